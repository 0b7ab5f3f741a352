(* What printed proofs are made of.  Nothing here has to be read to believe a theorem. *)

Require Export Symlayout.Lemmas Symlayout.Polynomials Symlayout.Places.

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
  | context [Z.lxor _ _] => fail
  | context [Z.land _ _] => fail
  | context [Z.lor _ _] => fail
  | context [truncdiv _ _] => fail
  | context [truncmod _ _] => fail
  | context [choose _ _ _ _] => fail
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

Ltac gather_choice p q c d :=
  plain p; plain q; plain c; plain d;
  let v := fresh "v" in let E := fresh "E" in
  remember (choose p q c d) as v eqn:E in |- *;
  repeat match goal with
  | |- context [choose ?p' ?q' ?c' ?d'] =>
      plain p'; plain q'; plain c'; plain d';
      replace (choose p' q' c' d') with v by (rewrite E; f_equal; ring)
  end;
  clear E.

Ltac gathered :=
  repeat (progress (units; constants));
  repeat match goal with
  | |- context [Z.div ?x ?d] => gather Z.div x d
  | |- context [Z.modulo ?x ?d] => gather Z.modulo x d
  | |- context [ceildiv ?x ?d] => gather ceildiv x d
  | |- context [Z.min ?x ?d] => gather Z.min x d
  | |- context [Z.max ?x ?d] => gather Z.max x d
  | |- context [Z.lxor ?x ?d] => gather Z.lxor x d
  | |- context [Z.land ?x ?d] => gather Z.land x d
  | |- context [Z.lor ?x ?d] => gather Z.lor x d
  | |- context [truncdiv ?x ?d] => gather truncdiv x d
  | |- context [truncmod ?x ?d] => gather truncmod x d
  | |- context [choose ?p ?q ?c ?d] => gather_choice p q c d
  end.

Ltac same := intros; gathered; first [reflexivity | ring].

(* What is known in other words, as far as these are the same polynomials. *)
Ltac alike :=
  intros;
  repeat match goal with H : _ /\ _ |- _ => destruct H end;
  repeat match goal with
  | H : @eq Z _ _ |- _ => revert H
  | H : Z.le _ _ |- _ => revert H
  | H : Z.lt _ _ |- _ => revert H
  | H : Z.ge _ _ |- _ => revert H
  | H : Z.gt _ _ |- _ => revert H
  | H : ~ (@eq Z _ _) |- _ => revert H
  | H : _ \/ _ |- _ => revert H
  end;
  gathered; intros; first [assumption | lia].

Ltac known := first [assumption | lia | alike].

(* The lists of a layout computed, its integers left as they are. *)
Ltac unfolded :=
  lazy -[Z.add Z.mul Z.sub Z.opp Z.div Z.modulo Z.min Z.max Z.le Z.lt Z.ge Z.gt Z.pow ceildiv truncdiv
         truncmod exp2 choose Z.land Z.lor Z.lxor Z.of_nat not iff].

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
  lazy -[Z.add Z.mul Z.sub Z.opp Z.div Z.modulo Z.min Z.max Z.le Z.lt Z.ge Z.gt Z.pow ceildiv truncdiv
         truncmod exp2 choose Z.land Z.lor Z.lxor Z.of_nat not iff] in H.

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

(* -- the points of a map, and where they lie ------------------------------------------------------ *)

Lemma first_known : forall A B : Prop, A -> (A -> B) -> A /\ B.
Proof. auto. Qed.

(* Everything that a point is said to satisfy. *)
Ltac point_known :=
  repeat match goal with |- _ /\ _ => split end;
  first [exact I | known | repeat (apply cons_eq; [first [assumption | symmetry; assumption | same] |]); reflexivity].

(* The same function in other words. *)
Ltac point_again :=
  repeat match goal with H : _ /\ _ |- _ => destruct H end;
  repeat match goal with |- _ /\ _ => split end;
  first [exact I | known |
    repeat (apply cons_eq; [same |]); reflexivity |
    match goal with H : _ = _ :> list Z |- _ => rewrite H end;
    repeat (apply cons_eq; [same |]); reflexivity].

(* -- an exclusive or in the place of a coordinate ------------------------------------------------- *)

Lemma lxor_below : forall n k a b, n = 2 ^ k -> 0 <= k -> 0 <= a -> a < n -> 0 <= b -> b < n ->
  0 <= Z.lxor a b /\ Z.lxor a b < n.
Proof.
  intros n k a b -> K A A' B B'.
  assert (0 <= Z.lxor a b) as L by (apply Z.lxor_nonneg; lia).
  split; [exact L |].
  destruct (Z.eq_dec (Z.lxor a b) 0) as [E | E]; [rewrite E; apply Z.pow_pos_nonneg; lia |].
  apply Z.log2_lt_pow2; [lia |].
  assert (forall c, 0 <= c -> c < 2 ^ k -> Z.log2 c < k \/ c = 0) as H.
  { intros c C C'; destruct (Z.eq_dec c 0); [right; assumption | left].
    apply Z.log2_lt_pow2; lia. }
  pose proof (Z.log2_lxor a b A B) as M.
  destruct (H a A A') as [Ha | ->], (H b B B') as [Hb | ->].
  - lia.
  - rewrite Z.lxor_0_r; assumption.
  - rewrite Z.lxor_0_l; assumption.
  - rewrite Z.lxor_0_l in E; contradiction.
Qed.

Lemma lxor_twice : forall x y q, y = Z.lxor x q -> Z.lxor y q = x.
Proof. intros x y q ->; rewrite Z.lxor_assoc, Z.lxor_nilpotent, Z.lxor_0_r; reflexivity. Qed.
