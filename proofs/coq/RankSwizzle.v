(* All swizzles at once are involutions.

   "Swizzle(B,M,S): x ^ ((x & yyy) >> S)", where yyy are B bits from bit M + max(S, 0) on, and |S| >= B.
   A negative S shifts to the left, as Z.shiftr does. *)

Require Import ZArith List Lia Bool.
Require Import Symlayout.RankLists.
Open Scope bool_scope.
Open Scope Z_scope.

(* -- definitions ------------------------------------------------------------------------------------ *)

Definition swizzle_mask (B M S : Z) : Z := Z.shiftl (Z.ones B) (M + Z.max S 0).
Definition swizzle (B M S x : Z) : Z := Z.lxor x (Z.shiftr (Z.land x (swizzle_mask B M S)) S).
Definition swizzle_legal (B M S : Z) : Prop := 0 <= B /\ 0 <= M /\ B <= Z.abs S.

Example swizzle_3_3_3 : map (swizzle 3 3 3) (8 :: 9 :: 64 :: 72 :: nil) = (8 :: 9 :: 72 :: 64 :: nil).
Proof. reflexivity. Qed.
Example swizzle_2_0_minus_3 : swizzle 2 0 (-3) 3 = 27.
Proof. reflexivity. Qed.

(* -- bit by bit ------------------------------------------------------------------------------------- *)

Lemma mask_bit : forall B M S i, swizzle_legal B M S -> 0 <= i ->
  Z.testbit (swizzle_mask B M S) i
  = (M + Z.max S 0 <=? i) && (i <? M + Z.max S 0 + B).
Proof.
  intros B M S i [HB [HM HS]] Hi. unfold swizzle_mask.
  rewrite Z.shiftl_spec by exact Hi.
  destruct (Z.leb_spec (M + Z.max S 0) i) as [C|C].
  - simpl. destruct (Z.ltb_spec i (M + Z.max S 0 + B)) as [D|D].
    + apply Z.ones_spec_low. lia.
    + apply Z.ones_spec_high. lia.
  - simpl. apply Z.testbit_neg_r. lia.
Qed.

(* Bit i of the result is bit i of x, xor bit i + S of x where that bit is one of yyy. *)
Theorem swizzle_bit : forall B M S x i, swizzle_legal B M S -> 0 <= i ->
  Z.testbit (swizzle B M S x) i
  = xorb (Z.testbit x i)
      (Z.testbit x (i + S) && ((M + Z.max S 0 <=? i + S) && (i + S <? M + Z.max S 0 + B))).
Proof.
  intros B M S x i L Hi. unfold swizzle. rewrite Z.lxor_spec. f_equal.
  rewrite Z.shiftr_spec by exact Hi. rewrite Z.land_spec.
  destruct (Z_lt_ge_dec (i + S) 0) as [C|C].
  - rewrite Z.testbit_neg_r by exact C. reflexivity.
  - rewrite mask_bit; [reflexivity | exact L | lia].
Qed.

Theorem swizzle_involution : forall B M S x, swizzle_legal B M S ->
  swizzle B M S (swizzle B M S x) = x.
Proof.
  intros B M S x L. apply Z.bits_inj'. intros i Hi.
  rewrite swizzle_bit by assumption. rewrite (swizzle_bit B M S x i L Hi).
  destruct L as [HB [HM HS]].
  destruct (Z.leb_spec (M + Z.max S 0) (i + S)) as [C|C];
    destruct (Z.ltb_spec (i + S) (M + Z.max S 0 + B)) as [D|D]; simpl;
    rewrite ?Bool.andb_false_r, ?Bool.andb_true_r, ?Bool.xorb_false_r; try reflexivity.
  (* yyy is not changed by itself: |S| >= B *)
  rewrite swizzle_bit by (try lia; repeat split; assumption).
  assert (N : (M + Z.max S 0 <=? i + S + S) && (i + S + S <? M + Z.max S 0 + B) = false).
  { destruct (Z.leb_spec (M + Z.max S 0) (i + S + S)) as [E|E];
      destruct (Z.ltb_spec (i + S + S) (M + Z.max S 0 + B)) as [F|F]; try reflexivity. lia. }
  rewrite N, Bool.andb_false_r, Bool.xorb_false_r, Bool.xorb_assoc, Bool.xorb_nilpotent.
  apply Bool.xorb_false_r.
Qed.

(* A swizzle is a bijection of the integers, and of the numbers below a power of two that holds its bits. *)
Theorem swizzle_injective : forall B M S x y, swizzle_legal B M S ->
  swizzle B M S x = swizzle B M S y -> x = y.
Proof.
  intros B M S x y L E. rewrite <- (swizzle_involution B M S x L), E. apply swizzle_involution. exact L.
Qed.

Lemma below_power : forall n x, 0 <= n -> (0 <= x < 2 ^ n <-> 0 <= x /\ forall i, n <= i -> Z.testbit x i = false).
Proof.
  intros n x Hn. split.
  - intros H. split; [lia|]. intros i Hi.
    destruct (Z.eq_dec x 0) as [E|E]; [subst; apply Z.testbit_0_l|].
    apply Z.bits_above_log2; [lia|].
    assert (Z.log2 x < n) by (apply Z.log2_lt_pow2; lia). lia.
  - intros [H0 H]. split; [exact H0|]. destruct (Z.eq_dec x 0) as [E|E].
    + subst. apply Z.pow_pos_nonneg; lia.
    + apply Z.log2_lt_pow2; [lia|].
      destruct (Z_lt_ge_dec (Z.log2 x) n) as [C|C]; [exact C|]. exfalso.
      specialize (H (Z.log2 x) ltac:(lia)). rewrite Z.bit_log2 in H by lia. discriminate.
Qed.

Lemma swizzle_nonnegative : forall B M S x, swizzle_legal B M S -> 0 <= x -> 0 <= swizzle B M S x.
Proof.
  intros B M S x L H. unfold swizzle. apply Z.lxor_nonneg. split; [|intros; exact H].
  intros _. apply Z.shiftr_nonneg. apply Z.land_nonneg. left. exact H.
Qed.

Theorem swizzle_range : forall B M S n x, swizzle_legal B M S -> B + M + Z.abs S <= n -> 0 <= x < 2 ^ n ->
  0 <= swizzle B M S x < 2 ^ n.
Proof.
  intros B M S n x L Hn H. assert (N : 0 <= n) by (destruct L; lia).
  apply (below_power n _ N) in H. destruct H as [H0 H]. apply (below_power n _ N). split.
  - apply swizzle_nonnegative; assumption.
  - intros i Hi. rewrite swizzle_bit by (try assumption; lia). rewrite H by exact Hi.
    destruct L as [HB [HM HS]].
    destruct (Z.ltb_spec (i + S) (M + Z.max S 0 + B)) as [C|C];
      rewrite ?Bool.andb_false_r; [lia | reflexivity].
Qed.

Theorem swizzle_bijective : forall B M S n, swizzle_legal B M S -> B + M + Z.abs S <= n ->
  bijective (range (2 ^ n)) (range (2 ^ n)) (swizzle B M S).
Proof.
  intros B M S n L Hn. split; [|split].
  - intros x Hx. apply swizzle_range; assumption.
  - intros x y _ _ E. apply (swizzle_injective B M S); assumption.
  - intros y Hy. exists (swizzle B M S y). split; [apply swizzle_range; assumption|].
    apply swizzle_involution. exact L.
Qed.

(* Numbers below 2^M are a run that stays together: x = 2^M*q + r goes to 2^M*q' + r. *)
Theorem swizzle_keeps_low_bits : forall B M S x, swizzle_legal B M S ->
  swizzle B M S x mod 2 ^ M = x mod 2 ^ M.
Proof.
  intros B M S x L. apply Z.bits_inj'. intros i Hi. destruct L as [HB [HM HS]].
  destruct (Z_lt_ge_dec i M) as [C|C].
  - rewrite !Z.mod_pow2_bits_low by exact C.
    rewrite swizzle_bit by (repeat split; assumption).
    assert (N : (M + Z.max S 0 <=? i + S) = false) by (apply Z.leb_gt; lia).
    rewrite N. simpl. rewrite Bool.andb_false_r. apply Bool.xorb_false_r.
  - rewrite !Z.mod_pow2_bits_high by lia. reflexivity.
Qed.

(* A swizzle after an injective layout: no two numbers share an offset. *)
Theorem swizzled_layout_injective : forall (A : Type) (P : A -> Prop) (f : A -> Z) B M S,
  swizzle_legal B M S -> injective P f -> injective P (fun a => swizzle B M S (f a)).
Proof.
  intros A P f B M S L J a b Ha Hb E. apply (J a b Ha Hb). apply (swizzle_injective B M S); assumption.
Qed.
