(* Identities of polynomials: what `ring` shows, without looking for the terms again.  Nothing here has
   to be read to believe a theorem. *)

Require Import Symlayout.Integers.

(* A polynomial as it is written: an unknown by its number, a constant, a sum, a difference, a product,
   an opposite.  No size has such a name. *)
Inductive poly :=
  | var' (k : nat)
  | num' (z : Z)
  | add' (a b : poly)
  | sub' (a b : poly)
  | mul' (a b : poly)
  | opp' (a : poly).

Fixpoint eval (env : list Z) (p : poly) : Z :=
  match p with
  | var' k => nth k env 0
  | num' z => z
  | add' a b => eval env a + eval env b
  | sub' a b => eval env a - eval env b
  | mul' a b => eval env a * eval env b
  | opp' a => - eval env a
  end.

(* What computes goes first where terms are compared; sums of integers are compared as they are. *)
Strategy expand [eval].
Strategy 1000 [Z.add Z.mul Z.sub Z.opp].

(* The normal form: products of unknowns in order, each once, with their coefficients. *)
Definition mono := list nat.
Fixpoint cmp (a b : mono) : comparison :=
  match a, b with
  | [], [] => Eq | [], _ => Lt | _, [] => Gt
  | x :: a, y :: b => match Nat.compare x y with Eq => cmp a b | c => c end
  end.
Fixpoint mins (x : nat) (m : mono) : mono :=
  match m with [] => [x] | y :: r => if Nat.leb x y then x :: m else y :: mins x r end.
Definition mmul (a b : mono) : mono := fold_right mins b a.
Definition terms := list (mono * Z).
Fixpoint add1 (m : mono) (c : Z) (t : terms) : terms :=
  match t with
  | [] => [(m, c)]
  | (n, d) :: r => match cmp m n with
     | Eq => (n, c + d) :: r
     | Lt => (m, c) :: t
     | Gt => (n, d) :: add1 m c r end
  end.
Definition tadd (a b : terms) : terms := fold_right (fun mc t => add1 (fst mc) (snd mc) t) b a.
Definition tmul (a b : terms) : terms :=
  fold_right (fun mc t => fold_right (fun nd t => add1 (mmul (fst mc) (fst nd)) (snd mc * snd nd) t) t b) [] a.
Fixpoint norm (p : poly) : terms :=
  match p with
  | var' k => [([k], 1)]
  | num' z => [([], z)]
  | add' a b => tadd (norm a) (norm b)
  | sub' a b => tadd (norm a) (tmul [([], -1)] (norm b))
  | mul' a b => tmul (norm a) (norm b)
  | opp' a => tmul [([], -1)] (norm a)
  end.
Definition zero (t : terms) : bool := forallb (fun mc => Z.eqb (snd mc) 0) t.
Definition same_poly (a b : poly) : bool := zero (norm (sub' a b)).
Definition mval env (m : mono) : Z := fold_right (fun k v => nth k env 0 * v) 1 m.
Definition tval env (t : terms) : Z := fold_right (fun mc v => snd mc * mval env (fst mc) + v) 0 t.
Lemma cmp_eq : forall a b, cmp a b = Eq -> a = b.
Proof. induction a; destruct b; cbn; try discriminate; auto. destruct (Nat.compare a n) eqn:E; try discriminate. apply Nat.compare_eq in E; subst. intro; f_equal; auto. Qed.
Lemma tval_cons env m c t : tval env ((m, c) :: t) = c * mval env m + tval env t.
Proof. reflexivity. Qed.
Lemma mval_cons env k m : mval env (k :: m) = nth k env 0 * mval env m.
Proof. reflexivity. Qed.
Lemma add1_val env m c t : tval env (add1 m c t) = c * mval env m + tval env t.
Proof.
  induction t as [| [n d] r IH]; cbn [add1]; [reflexivity |].
  destruct (cmp m n) eqn:E; rewrite ?tval_cons.
  - apply cmp_eq in E; subst n; ring.
  - reflexivity.
  - rewrite IH; ring.
Qed.
Lemma tadd_val env a b : tval env (tadd a b) = tval env a + tval env b.
Proof.
  unfold tadd; induction a as [| [m c] a IH]; cbn [fold_right fst snd]; [reflexivity |].
  rewrite add1_val, IH, tval_cons; ring.
Qed.
Lemma mins_val env x m : mval env (mins x m) = nth x env 0 * mval env m.
Proof.
  induction m as [| y r IH]; cbn [mins]; [reflexivity |].
  destruct (Nat.leb x y); rewrite ?mval_cons, ?IH; ring.
Qed.
Lemma mmul_val env a b : mval env (mmul a b) = mval env a * mval env b.
Proof.
  unfold mmul; induction a as [| x a IH]; cbn [fold_right]; [unfold mval at 2; cbn [fold_right]; ring |].
  rewrite mins_val, IH, mval_cons; ring.
Qed.
Lemma tmul1_val env m c b t :
  tval env (fold_right (fun nd t => add1 (mmul m (fst nd)) (c * snd nd) t) t b) =
  c * mval env m * tval env b + tval env t.
Proof.
  induction b as [| [n d] b IH]; cbn [fold_right fst snd]; [unfold tval at 2; cbn [fold_right]; ring |].
  rewrite add1_val, IH, mmul_val, tval_cons; ring.
Qed.
Lemma tmul_val env a b : tval env (tmul a b) = tval env a * tval env b.
Proof.
  unfold tmul; induction a as [| [m c] a IH]; cbn [fold_right fst snd]; [reflexivity |].
  rewrite tmul1_val, IH, tval_cons; ring.
Qed.
Lemma norm_val env p : tval env (norm p) = eval env p.
Proof.
  induction p; cbn [norm eval].
  - rewrite tval_cons, mval_cons; unfold tval, mval; cbn [fold_right]; ring.
  - rewrite tval_cons; unfold tval, mval; cbn [fold_right]; ring.
  - rewrite tadd_val, IHp1, IHp2; reflexivity.
  - rewrite tadd_val, tmul_val, IHp1, IHp2; unfold tval at 1, mval; cbn [fold_right fst snd]; ring.
  - rewrite tmul_val, IHp1, IHp2; reflexivity.
  - rewrite tmul_val, IHp; unfold tval at 1, mval; cbn [fold_right fst snd]; ring.
Qed.
Lemma zero_val env t : zero t = true -> tval env t = 0.
Proof.
  unfold zero; induction t as [| [m c] t IH]; cbn [forallb fst snd]; [reflexivity |].
  intro H; apply andb_prop in H; destruct H as [H1 H2]; apply Z.eqb_eq in H1.
  rewrite tval_cons, H1, (IH H2); reflexivity.
Qed.
Lemma by_poly : forall env a b, same_poly a b = true -> eval env a = eval env b.
Proof.
  intros env a b H; unfold same_poly in H; apply (zero_val env) in H.
  rewrite norm_val in H; cbn [eval] in H; lia.
Qed.

(* -- signs ---------------------------------------------------------------------------------------- *)

Fixpoint natural (env : list Z) : Prop :=
  match env with
  | [] => True
  | x :: env => 0 <= x /\ natural env
  end.

(* No coefficient is negative, and nothing is subtracted. *)
Fixpoint plain_poly (p : poly) : bool :=
  match p with
  | var' _ => true
  | num' z => 0 <=? z
  | add' a b | mul' a b => plain_poly a && plain_poly b
  | sub' _ _ | opp' _ => false
  end.

Lemma by_signs : forall env p, natural env -> plain_poly p = true -> 0 <= eval env p.
Proof.
  intros env p H; induction p; cbn [plain_poly eval]; intro E; try discriminate.
  - revert k E; induction env as [| x env IH]; intros [| k] _; cbn [nth]; try lia.
    + exact (proj1 H).
    + apply IH; [exact (proj2 H) | reflexivity].
  - apply Z.leb_le; exact E.
  - apply andb_prop in E; apply Z.add_nonneg_nonneg; tauto.
  - apply andb_prop in E; apply Z.mul_nonneg_nonneg; tauto.
Qed.
