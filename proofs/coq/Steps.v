(* What printed proofs are made of.  Nothing here has to be read to believe a theorem. *)

Require Import FinFun.
Require Export Symlayout.Lemmas Symlayout.Polynomials Symlayout.Layouts.

(* -- relations by how far their sides are apart ------------------------------------------------- *)

Lemma ge_by : forall p a b, 0 <= p -> p = a - b -> a >= b.
Proof. intros; lia. Qed.
Lemma gt_by : forall p a b, 0 <= p -> p = a - b - 1 -> a > b.
Proof. intros; lia. Qed.
Lemma le_by : forall p a b, 0 <= p -> p = b - a -> a <= b.
Proof. intros; lia. Qed.
Lemma lt_by : forall p a b, 0 <= p -> p = b - a - 1 -> a < b.
Proof. intros; lia. Qed.
Lemma eq_by : forall p a b, p = 0 -> p = a - b -> a = b.
Proof. intros; lia. Qed.
Lemma ne_by : forall p a b, p <> 0 -> p = a - b -> a <> b.
Proof. intros p a b H E H0; apply H; lia. Qed.

Lemma of_ge : forall p a b, a >= b -> p = a - b -> 0 <= p.
Proof. intros; lia. Qed.
Lemma of_gt : forall p a b, a > b -> p = a - b - 1 -> 0 <= p.
Proof. intros; lia. Qed.
Lemma of_le : forall p a b, a <= b -> p = b - a -> 0 <= p.
Proof. intros; lia. Qed.
Lemma of_lt : forall p a b, a < b -> p = b - a - 1 -> 0 <= p.
Proof. intros; lia. Qed.
Lemma of_eq : forall p a b, a = b -> p = a - b -> 0 <= p.
Proof. intros; lia. Qed.
Lemma of_qe : forall p a b, a = b -> p = b - a -> 0 <= p.
Proof. intros; lia. Qed.
Lemma of_ne : forall p a b, a <> b -> p = b - a -> p <> 0.
Proof. intros; lia. Qed.

Lemma moved : forall p q, 0 <= q -> p = q -> 0 <= p.
Proof. intros; lia. Qed.
Lemma moved_ne : forall p q, q <> 0 -> p = q -> p <> 0.
Proof. intros p q H ->; exact H. Qed.
Lemma opposite_ne : forall p q, q <> 0 -> p = - q -> p <> 0.
Proof. intros; lia. Qed.
Lemma both_ends : forall p q, 0 <= p -> 0 <= q -> q = - p -> p = 0.
Proof. intros; lia. Qed.
Lemma positive_ne : forall p q, 0 <= q -> q = p - 1 -> p <> 0.
Proof. intros; lia. Qed.
Lemma negative_ne : forall p q, 0 <= q -> q = - p - 1 -> p <> 0.
Proof. intros; lia. Qed.
Lemma natural_by : forall x q c, 0 <= q -> 0 <= c -> x = q + c -> 0 <= x.
Proof. intros; lia. Qed.
Lemma instance_by : forall p c, c >= 0 -> p = c -> 0 <= p.
Proof. intros; lia. Qed.

Lemma ge_numbers : forall a b, (b <=? a) = true -> a >= b.
Proof. intros; lia. Qed.
Lemma ge_itself : forall p, 0 <= p -> p >= 0.
Proof. intros; lia. Qed.
Lemma of_itself : forall p, p >= 0 -> 0 <= p.
Proof. intros; lia. Qed.
Lemma not_zero : forall d, d >= 1 -> d <> 0.
Proof. intros; lia. Qed.

Lemma named : forall x : Z, exists q, q = x.
Proof. intro x; exists x; reflexivity. Qed.

Lemma through : forall (f : Z -> Z) a x q, f x = q -> a = x -> f a = q.
Proof. intros f a x q H ->; exact H. Qed.
Lemma through2 : forall (f : Z -> Z -> Z) a b x y q, f x y = q -> a = x -> b = y -> f a b = q.
Proof. intros f a b x y q H -> ->; exact H. Qed.

(* -- expressions that differ only in how they are written --------------------------------------- *)

Ltac units :=
  repeat first
    [ rewrite Z.div_1_r | rewrite Z.mod_1_r | rewrite ceildiv_1 | rewrite Z.div_0_l by lia | rewrite Z.mod_0_l by lia ].

Ltac constants :=
  repeat match goal with
  | |- context [ceildiv ?x ?d] =>
      is_number x; is_number d; let v := eval compute in (ceildiv x d) in
      change (ceildiv x d) with v
  | |- context [?x / ?d] =>
      is_number x; is_number d; let v := eval compute in (x / d) in change (x / d) with v
  | |- context [?x mod ?d] =>
      is_number x; is_number d; let v := eval compute in (x mod d) in change (x mod d) with v
  | |- context [Z.min ?x ?d] =>
      is_number x; is_number d; let v := eval compute in (Z.min x d) in change (Z.min x d) with v
  | |- context [Z.max ?x ?d] =>
      is_number x; is_number d; let v := eval compute in (Z.max x d) in change (Z.max x d) with v
  end
with is_number x :=
  lazymatch x with
  | Z0 => idtac
  | Zpos ?p => is_positive p
  | Zneg ?p => is_positive p
  end
with is_positive p :=
  lazymatch p with xH => idtac | xO ?q => is_positive q | xI ?q => is_positive q end.

Ltac plain x :=
  lazymatch x with
  | context [Z.div _ _] => fail
  | context [Z.modulo _ _] => fail
  | context [ceildiv _ _] => fail
  | context [Z.min _ _] => fail
  | context [Z.max _ _] => fail
  | _ => idtac
  end.

(* The innermost operation, and all that equal it, become one unknown. *)
Ltac gather f x d :=
  plain x; plain d;
  let v := fresh "v" in let E := fresh "E" in
  remember (f x d) as v eqn:E in |- *;
  repeat match goal with
  | |- context [f ?y ?e] =>
      plain y; plain e;
      replace (f y e) with v by (rewrite E; apply f_equal2; ring)
  end;
  clear E.

Ltac same :=
  intros;
  repeat (progress (units; constants));
  repeat match goal with
  | |- context [Z.div ?x ?d] => gather Z.div x d
  | |- context [Z.modulo ?x ?d] => gather Z.modulo x d
  | |- context [ceildiv ?x ?d] => gather ceildiv x d
  | |- context [Z.min ?x ?d] => gather Z.min x d
  | |- context [Z.max ?x ?d] => gather Z.max x d
  end;
  first [reflexivity | ring].

(* The lists of a layout computed, its integers left as they are. *)
Ltac unfolded :=
  cbn -[Z.add Z.mul Z.sub Z.opp Z.div Z.modulo Z.min Z.max Z.le Z.lt Z.pow ceildiv truncdiv truncmod
        exp2 choose Z.land Z.lor Z.lxor Z.of_nat];
  cbv beta delta [numbered counted block within greatest least buffer];
  cbn -[Z.add Z.mul Z.sub Z.opp Z.div Z.modulo Z.min Z.max Z.le Z.lt Z.pow ceildiv truncdiv truncmod
        exp2 choose Z.land Z.lor Z.lxor Z.of_nat].

(* Sizes are mostly known to be at least 1: then there is an element. *)
Ltac ones :=
  repeat match goal with
  | |- context [Z.min ?n 1] =>
      rewrite (Z.min_r n 1) by (first [lia | apply ceildiv_positive; lia | nia])
  end.

Ltac written := intros; unfolded; first [same | ones; same].

(* Lists element by element. *)
Lemma cons_eq : forall (x y : Z) a b, x = y -> a = b -> x :: a = y :: b.
Proof. intros x y a b -> ->; reflexivity. Qed.

(* -- what claims say, by what certificates show -------------------------------------------------- *)

Lemma separates_by : forall m (back : Z -> list Z),
  (forall p, inside p (shape m) -> back (offset m p) = p) -> separates m.
Proof.
  intros m back H p q Hp Hq E.
  rewrite <- (H p Hp), <- (H q Hq), E; reflexivity.
Qed.

(* Numbers of places, and places of numbers. *)
Fixpoint peeled (reversed : list Z) (n : Z) : list Z :=
  match reversed with
  | [] => []
  | [_] => [n]
  | d :: rest => n mod d :: peeled rest (n / d)
  end.

Definition place_at (sizes : list Z) (n : Z) : list Z := rev (peeled (rev sizes) n).

Lemma product_app : forall a b, product (a ++ b) = product a * product b.
Proof.
  unfold product; induction a as [| x a IH]; intro b; cbn [app fold_right]; [lia |].
  rewrite IH; ring.
Qed.

Lemma number_app : forall p q a b, length p = length a ->
  number (p ++ q) (a ++ b) = number p a * product b + number q b.
Proof.
  induction p as [| x p IH]; intros q [| n a] b E; cbn in E; try discriminate; [cbn; lia |].
  cbn [app number]; rewrite IH by lia; rewrite product_app; ring.
Qed.

Lemma inside_length : forall p s, inside p s -> length p = length s.
Proof.
  induction p as [| x p IH]; intros [| n s]; cbn; try tauto.
  intros [_ H]; f_equal; auto.
Qed.

Lemma inside_app : forall p q a b, length p = length a ->
  inside (p ++ q) (a ++ b) <-> inside p a /\ inside q b.
Proof.
  induction p as [| x p IH]; intros q [| n a] b E; cbn in E; try discriminate; cbn; [tauto |].
  rewrite IH by lia; tauto.
Qed.

Lemma place_at_app : forall sizes d n, sizes <> [] ->
  place_at (sizes ++ [d]) n = place_at sizes (n / d) ++ [n mod d].
Proof.
  intros sizes d n H; unfold place_at; rewrite rev_app_distr; cbn [rev app].
  destruct (rev sizes) as [| e rest] eqn:E.
  - apply (f_equal (@rev Z)) in E; rewrite rev_involutive in E; cbn in E; contradiction.
  - cbn [peeled]; reflexivity.
Qed.

(* The place with the number of a place is the place. *)
Lemma place_at_number : forall sizes p, inside p sizes -> place_at sizes (number p sizes) = p.
Proof.
  induction sizes as [| d sizes IH] using rev_ind; intros p H.
  - destruct p; [reflexivity | destruct H].
  - pose proof (inside_length _ _ H) as L; rewrite app_length in L; cbn in L.
    destruct p as [| x p] using rev_ind; [cbn in L; lia | clear IHp].
    rewrite app_length in L; cbn in L; assert (length p = length sizes) as L' by lia.
    apply inside_app in H; [destruct H as [Hp [Hx _]] | assumption].
    rewrite number_app by assumption; cbn [number product fold_right].
    destruct sizes as [| e rest].
    + destruct p; [| cbn in L'; discriminate]; cbn; f_equal; lia.
    + rewrite place_at_app by discriminate.
      destruct (div_mod_unique (number p (e :: rest) * (d * 1) + (x * 1 + 0)) d
        (number p (e :: rest)) x) as [-> ->]; try lia.
      rewrite IH by assumption; reflexivity.
Qed.

Lemma number_bounds : forall sizes p, inside p sizes -> 0 <= number p sizes < product sizes.
Proof.
  induction sizes as [| d sizes IH]; intros [| x p]; cbn [inside number]; try tauto.
  - intros _; unfold product; cbn [fold_right]; lia.
  - intros [Hx Hp]; specialize (IH _ Hp).
    change (product (d :: sizes)) with (d * product sizes); nia.
Qed.

Lemma place_at_inside : forall sizes n, at_least 0 sizes -> 0 <= n < product sizes ->
  inside (place_at sizes n) sizes /\ number (place_at sizes n) sizes = n.
Proof.
  induction sizes as [| d sizes IH] using rev_ind; intros n A H.
  - cbn in *; lia.
  - assert (at_least 0 sizes /\ 0 <= d) as [As Hd].
    { clear - A; induction sizes; cbn in *; tauto. }
    rewrite product_app in H; cbn [product fold_right] in H.
    assert (0 <= product sizes) as P.
    { clear - As; induction sizes as [| x s IH]; cbn in *; [lia |].
      apply Z.mul_nonneg_nonneg; [tauto | apply IH; tauto]. }
    assert (1 <= d) by nia.
    pose proof (Z.div_mod n d ltac:(lia)) as E.
    pose proof (Z.mod_pos_bound n d ltac:(lia)) as B.
    destruct sizes as [| e rest].
    + unfold place_at; cbn [rev app peeled inside number]; unfold product in *.
      cbn [fold_right] in *; lia.
    + rewrite place_at_app by discriminate.
      assert (0 <= n / d < product (e :: rest)) as Q.
      { split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia]. }
      destruct (IH (n / d) As Q) as [I N].
      pose proof (inside_length _ _ I) as L.
      rewrite inside_app, number_app, N by assumption; cbn [inside number product fold_right].
      repeat split; try assumption; lia.
Qed.

(* As many places as offsets: then offsets that are in range and apart are all of them. *)
Lemma pigeons : forall (f : Z -> Z) k, 0 <= k ->
  (forall n, 0 <= n < k -> 0 <= f n < k) ->
  (forall a b, 0 <= a < k -> 0 <= b < k -> f a = f b -> a = b) ->
  forall n, 0 <= n < k -> exists a, 0 <= a < k /\ f a = n.
Proof.
  intros f k Hk B I n Hn.
  set (all := map Z.of_nat (seq 0 (Z.to_nat k))).
  assert (forall a, In a all <-> 0 <= a < k) as A.
  { intro a; unfold all; rewrite in_map_iff; split.
    - intros [m [<- H]]; apply in_seq in H; lia.
    - intro H; exists (Z.to_nat a); rewrite in_seq; lia. }
  assert (NoDup all) as U.
  { apply Injective_map_NoDup; [intros x y E; lia | apply seq_NoDup]. }
  assert (NoDup (map f all)) as V.
  { clear - U A I; assert (forall l, NoDup l -> incl l all -> NoDup (map f l)) as H.
    { induction l as [| x l IH]; intros D C; cbn; constructor.
      - rewrite in_map_iff; intros [y [E Hy]]; inversion D; subst.
        assert (y = x) as -> by (apply I; [apply A, C; right | apply A, C; left |]; auto).
        contradiction.
      - inversion D; apply IH; [assumption | intros z Hz; apply C; right; assumption]. }
    apply H; [exact U | apply incl_refl]. }
  assert (In n (map f all)) as W.
  { apply (NoDup_length_incl V (l' := all)).
    - rewrite map_length; lia.
    - intros y Hy; apply in_map_iff in Hy; destruct Hy as [x [<- Hx]]; apply A, B, A, Hx.
    - apply A; exact Hn. }
  apply in_map_iff in W; destruct W as [a [E Ha]]; exists a; split; [apply A; exact Ha | exact E].
Qed.

Lemma covers_by_count : forall m, at_least 0 (shape m) -> product (shape m) = size m ->
  stays m (size m) -> separates m -> covers m.
Proof.
  intros m A E B I n Hn.
  assert (forall k, 0 <= k < product (shape m) ->
    inside (place_at (shape m) k) (shape m) /\ number (place_at (shape m) k) (shape m) = k) as P.
  { intros k Hk; apply place_at_inside; assumption. }
  destruct (pigeons (fun k => offset m (place_at (shape m) k)) (size m)) with (n := n)
    as [a [Ha Ea]].
  - lia.
  - intros k Hk; apply B, P; lia.
  - intros a b Ha Hb Eab; apply I in Eab; [| apply P; lia | apply P; lia].
    rewrite <- (proj2 (P a ltac:(lia))), <- (proj2 (P b ltac:(lia))), Eab; reflexivity.
  - exact Hn.
  - exists (place_at (shape m) a); split; [apply P; lia | exact Ea].
Qed.

(* The element of b with the number of an element of a. *)
Lemma same_elements_by : forall a b : Layout,
  (forall p, inside p (shape a) ->
    offset a p = offset b (place_at (shape b) (number p (shape a)))) ->
  forall p q, inside p (shape a) -> inside q (shape b) ->
    number p (shape a) = number q (shape b) -> offset a p = offset b q.
Proof.
  intros a b H p q Hp Hq E; rewrite (H p Hp), E, place_at_number by assumption; reflexivity.
Qed.

Lemma same_elements_back : forall a b : Layout,
  (forall q, inside q (shape b) ->
    offset b q = offset a (place_at (shape a) (number q (shape b)))) ->
  forall p q, inside p (shape a) -> inside q (shape b) ->
    number p (shape a) = number q (shape b) -> offset a p = offset b q.
Proof.
  intros a b H p q Hp Hq E; symmetry; apply (same_elements_by b a H q p Hq Hp); symmetry; exact E.
Qed.

(* -- what printed proofs of theorems say ---------------------------------------------------------- *)

Ltac unfolded_in H :=
  cbn -[Z.add Z.mul Z.sub Z.opp Z.div Z.modulo Z.min Z.max Z.le Z.lt Z.pow ceildiv truncdiv truncmod
        exp2 choose Z.land Z.lor Z.lxor Z.of_nat] in H.

Ltac lists := intros; unfold place_at; unfolded; repeat (apply cons_eq; [same |]); reflexivity.

Ltac pieces H :=
  match type of H with
  | _ /\ _ => let a := fresh H in let b := fresh H in destruct H as [a b]; pieces a; pieces b
  | _ => idtac
  end.

(* All parts of what is to be shown, from what is known. *)
Ltac parts_known :=
  repeat match goal with H : _ /\ _ |- _ => destruct H end;
  repeat match goal with |- _ /\ _ => split end;
  try assumption; try exact I; try lia.

Ltac defined_by := unfolded; parts_known.

(* A place of so many coordinates has no fewer and no more. *)
Ltac wrong_length L := exfalso; vm_compute in L; discriminate L.

Ltac below := intros; first [assumption | lia | unfolded; parts_known].

(* -- proofs by cases ------------------------------------------------------------------------------ *)

Lemma choose_yes : forall p q c d, p < q -> choose p q c d = c.
Proof. intros p q c d H; unfold choose; rewrite (proj2 (Z.ltb_lt p q) H); reflexivity. Qed.
Lemma choose_no : forall p q c d, q <= p -> choose p q c d = d.
Proof. intros p q c d H; unfold choose; rewrite (proj2 (Z.ltb_ge p q) H); reflexivity. Qed.

(* Conditionals by a comparison that is decided are one of their branches. *)
Ltac decided :=
  repeat match goal with
  | |- context [choose ?p ?q ?c ?d] =>
      first [ rewrite (choose_yes p q c d ltac:(lia)) | rewrite (choose_no p q c d ltac:(lia)) ]
  | G : context [choose ?p ?q ?c ?d] |- _ =>
      first [ rewrite (choose_yes p q c d ltac:(lia)) in G | rewrite (choose_no p q c d ltac:(lia)) in G ]
  end.

(* The hypothesis stays under another name. *)
Ltac kept H := let K := fresh "K'" in rename H into K.

(* What gives each point back tells points apart. *)
Lemma one_to_one_by : forall f (back : list Z -> list Z),
  (forall p results, takes f p results -> back results = p) -> one_to_one f.
Proof.
  intros f back H p q r P Q; transitivity (back r); [symmetry; apply H; exact P | apply H; exact Q].
Qed.

(* One more coordinate of a place. *)
Ltac coordinate p x H L U :=
  destruct p as [| x p]; cbn [takes inside] in H; [contradiction |]; destruct H as [[L U] H].
Ltac no_coordinate p H := destruct p as [| ? p]; cbn [takes inside] in H; [| contradiction].
Ltac each_by tactic :=
  repeat match goal with
  | |- _ /\ _ => split
  | |- _ :: _ = _ :: _ => apply cons_eq
  end;
  first [reflexivity | tactic].
