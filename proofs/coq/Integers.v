(* The integers of symlayout.

   `x / d` rounds down and `x mod d` has the sign of the divisor: Python's `x // d` and `x % d`.
   Rocq's functions are total: a statement that divides says itself that no divisor is 0. *)

Require Export ZArith List Lia.
Export ListNotations.
#[export] Set Warnings "-notation-overridden".
Open Scope Z_scope.
Open Scope list_scope.

(* The quotient that rounds up. *)
Definition ceildiv (x d : Z) : Z := - (- x / d).

(* C's quotient and remainder, which round towards 0. *)
Definition truncdiv (x d : Z) : Z := Z.quot x d.
Definition truncmod (x d : Z) : Z := Z.rem x d.

(* Two to a power; a claim with a power says that its exponent is not negative. *)
Definition exp2 (k : Z) : Z := 2 ^ k.

(* `c if p < q else d`. *)
Definition choose (p q c d : Z) : Z := if p <? q then c else d.

(* The product of sizes, and their row-major number: the last coordinate is the fastest. *)
Definition product (sizes : list Z) : Z := fold_right Z.mul 1 sizes.

Fixpoint number (place sizes : list Z) : Z :=
  match place, sizes with
  | x :: place, _ :: sizes => x * product sizes + number place sizes
  | _, _ => 0
  end.

(* -- what is known of them ------------------------------------------------------------------- *)

Lemma div_mod_unique : forall x d q r, 0 <= r -> r < d -> x = d * q + r -> x / d = q /\ x mod d = r.
Proof.
  intros x d q r H0 H1 E; split; symmetry.
  - apply (Z.div_unique x d q r); lia.
  - apply (Z.mod_unique x d q r); lia.
Qed.

Lemma ceildiv_div : forall x d, 1 <= d -> ceildiv x d = (x + d - 1) / d.
Proof.
  intros x d Hd; unfold ceildiv.
  pose proof (Z.div_mod (- x) d ltac:(lia)) as E.
  pose proof (Z.mod_pos_bound (- x) d ltac:(lia)) as B.
  symmetry.
  apply (proj1 (div_mod_unique (x + d - 1) d (- (- x / d)) (d - 1 - (- x) mod d)
    ltac:(lia) ltac:(lia) ltac:(lia))).
Qed.

Lemma ceildiv_bounds : forall x d, 1 <= d -> ceildiv x d * d >= x /\ (ceildiv x d - 1) * d < x.
Proof.
  intros x d Hd; unfold ceildiv.
  pose proof (Z.div_mod (- x) d ltac:(lia)) as E.
  pose proof (Z.mod_pos_bound (- x) d ltac:(lia)) as B.
  nia.
Qed.

Lemma ceildiv_positive : forall x d, 1 <= d -> 1 <= x -> 1 <= ceildiv x d.
Proof. intros x d Hd Hx; pose proof (ceildiv_bounds x d Hd); nia. Qed.

Lemma ceildiv_natural : forall x d, 1 <= d -> 0 <= x -> 0 <= ceildiv x d.
Proof. intros x d Hd Hx; pose proof (ceildiv_bounds x d Hd); nia. Qed.

Lemma ceildiv_1 : forall x, ceildiv x 1 = x.
Proof. intro x; unfold ceildiv; rewrite Z.div_1_r; lia. Qed.
