(* The laws of CuTe's algebra of layouts, with any number of modes and any sizes and strides:
   coalesce, composition, complement, logical divide and product, right and left inverse.

   A flat layout is a list of modes (size, stride), the fastest mode first. By theorem 9 (RankNested.v) a
   nested layout is the flat layout of its leaves. *)

Require Import ZArith List Lia Permutation.
Require Import Symlayout.RankLists Symlayout.RankRadix Symlayout.RankNested Symlayout.RankBroadcast.
Import ListNotations.
Open Scope Z_scope.

(* -- definitions ------------------------------------------------------------------------------------ *)

Definition modes : Type := list (Z * Z).
Definition shape (l : modes) : list Z := map fst l.
Definition stride (l : modes) : list Z := map snd l.
Definition size_of (l : modes) : Z := product (shape l).

(* The offset of the number x: it is split with the left mode fastest, and the last mode takes the whole
   remaining quotient. *)
Definition offset (l : modes) (x : Z) : Z := dot (stride l) (colex (shape l) x).

(* coalesce: modes of size 1 are dropped; s0:d0 and s1:d1 with d1 = s0*d0 become s0*s1:d0. *)
Fixpoint coalesce_onto (m : Z * Z) (l : modes) : modes :=
  match l with
  | [] => [m]
  | (s, d) :: l' =>
      if s =? 1 then coalesce_onto m l'
      else if fst m =? 1 then coalesce_onto (s, d) l'
      else if d =? fst m * snd m then coalesce_onto (fst m * s, snd m) l'
      else m :: coalesce_onto (s, d) l'
  end.
Definition coalesce (l : modes) : modes :=
  match l with
  | [] => [(1, 0)]
  | m :: l' => coalesce_onto m l'
  end.

(* composition of A with one mode s:d. Each mode n:w of A but the last gives a mode of
   min(max(1, n/d), s) places; what is left of s and d goes on, and the last mode takes all of it. *)
Fixpoint compose (A : modes) (s d : Z) : modes :=
  match A with
  | [] => []
  | [(_, w)] => [(s, d * w)]
  | (n, w) :: A' =>
      let m := Z.min (Z.max 1 (n / d)) s in
      (m, d * w) :: compose A' (s / m) (ceildiv d n)
  end.
(* Its condition: at every mode one of n and d divides the other, and what the mode takes divides s. *)
Fixpoint composable (A : modes) (s d : Z) : Prop :=
  match A with
  | [] => False
  | [_] => True
  | (n, _) :: A' =>
      let m := Z.min (Z.max 1 (n / d)) s in
      ((n | d) \/ (d | n)) /\ (m | s) /\ composable A' (s / m) (ceildiv d n)
  end.
(* composition of A with B, mode by mode: a mode of the result for each mode of B. *)
Definition composition (A B : modes) : layout :=
  Modes (map (fun m => Modes (map (fun t => Mode (fst t) (snd t)) (compose A (fst m) (snd m)))) B).

(* complement of A in M, where A is in the order of its strides: the places between its modes. *)
Fixpoint complement_from (current : Z) (A : modes) (M : Z) : modes :=
  match A with
  | [] => [(ceildiv M current, current)]
  | (s, d) :: A' => (d / current, current) :: complement_from (s * d) A' M
  end.
Definition complement (A : modes) (M : Z) : modes := complement_from 1 A M.
(* Its condition: each stride is a multiple of size*stride of the mode before. *)
Fixpoint complementable_from (current : Z) (A : modes) : Prop :=
  match A with
  | [] => True
  | (s, d) :: A' => (current | d) /\ 0 < d /\ complementable_from (s * d) A'
  end.
Definition complementable (A : modes) : Prop := complementable_from 1 A.

(* "divide of A by B: composition of A with (B, complement(B, size A))";
   "product of A by B: (A, complement(A, size A * cosize B) composed with B)". *)
Definition cosize (l : modes) : Z := extent (shape l) (stride l).
Definition logical_divide (A B : modes) : layout := composition A (B ++ complement B (size_of A)).
Definition logical_product (A B : modes) : layout :=
  Modes [Modes (map (fun t => Mode (fst t) (snd t)) A);
         composition (complement A (size_of A * cosize B)) B].

(* The products of the sizes to the left of each mode. *)
Fixpoint prefixes_from (current : Z) (n : list Z) : list Z :=
  match n with
  | [] => []
  | s :: n' => current :: prefixes_from (current * s) n'
  end.
(* right inverse of L: its modes that fill memory from 0 on without a gap, in the order of their strides (the
   mode numbers q), each with its stride in the number of an element. *)
Definition right_inverse (q : list nat) (L : modes) : modes :=
  combine (pick q (shape L)) (pick q (prefixes_from 1 (shape L))).
(* left inverse of L: the right inverse of (L, complement of L), which leaves no gap. *)
Definition left_inverse (q : list nat) (L : modes) (M : Z) : modes := right_inverse q (L ++ complement L M).

Example compose_example : compose [(4, 1); (8, 10)] 4 2 = [(2, 2); (2, 10)].
Proof. reflexivity. Qed.
Example complement_example : complement [(4, 1); (2, 8)] 32 = [(1, 1); (2, 4); (2, 16)].
Proof. reflexivity. Qed.
Example coalesce_example : coalesce [(2, 1); (1, 6); (6, 2)] = [(12, 1)].
Proof. reflexivity. Qed.

(* -- lemmas ----------------------------------------------------------------------------------------- *)

Lemma shape_length : forall l, length (shape l) = length l.
Proof. intros. apply map_length. Qed.
Lemma stride_length : forall l, length (stride l) = length l.
Proof. intros. apply map_length. Qed.

Lemma offset_one : forall s d x, offset [(s, d)] x = d * x.
Proof. intros. unfold offset. simpl. rewrite dot_cons, dot_nil_l. ring. Qed.

Lemma offset_cons : forall s d l x, l <> [] ->
  offset ((s, d) :: l) x = d * (x mod s) + offset l (x / s).
Proof.
  intros s d l x N. destruct l as [|m l]; [contradiction|]. unfold offset. simpl. apply dot_cons.
Qed.

(* All digits with their mod: the same for the numbers of the layout. *)
Definition inner (l : modes) (x : Z) : Z := dot (stride l) (digits (shape l) x).

Lemma inner_cons : forall s d l x, inner ((s, d) :: l) x = d * (x mod s) + inner l (x / s).
Proof. intros. unfold inner. simpl. apply dot_cons. Qed.

Lemma colex_is_digits : forall n x, positive n -> 0 <= x < product n -> colex n x = digits n x.
Proof.
  intros n x P H. destruct n as [|s n]; [reflexivity|].
  rewrite <- colex_mod by (try exact P; discriminate). f_equal. symmetry. apply Z.mod_small. exact H.
Qed.

Lemma offset_is_inner : forall l x, positive (shape l) -> 0 <= x < size_of l -> offset l x = inner l x.
Proof. intros l x P H. unfold offset, inner. rewrite colex_is_digits by assumption. reflexivity. Qed.

Lemma offset_0 : forall l, positive (shape l) -> offset l 0 = 0.
Proof.
  induction l as [|[s d] l IH]; intros P; [reflexivity|].
  simpl in P. apply positive_cons in P. destruct P as [Hs P]. destruct l as [|m l].
  - rewrite offset_one. ring.
  - rewrite offset_cons by discriminate. rewrite Z.mod_0_l, Z.div_0_l by lia. rewrite IH by exact P. ring.
Qed.

(* A flat layout is a nested one of one level. *)
Definition flat (l : modes) : layout := Modes (map (fun t => Mode (fst t) (snd t)) l).

Lemma flat_leaves : forall l, leaf_sizes (flat l) = shape l /\ leaf_strides (flat l) = stride l.
Proof.
  unfold flat. induction l as [|[s d] l [IH1 IH2]]; [split; reflexivity|].
  simpl map. rewrite sizes_cons, strides_cons, IH1, IH2. split; reflexivity.
Qed.

Lemma flat_shaped : forall l, positive (shape l) -> l <> [] -> shaped (flat l).
Proof.
  intros l P N. split.
  - intros E. apply map_eq_nil in E. contradiction.
  - clear N. induction l as [|[s d] l IH]; [exact I|].
    simpl in P. apply positive_cons in P. destruct P as [Hs P]. split; [exact Hs | apply IH; exact P].
Qed.

Theorem flat_offset : forall l x, positive (shape l) -> l <> [] ->
  crd2offset (flat l) (Number x) = offset l x.
Proof.
  intros l x P N. rewrite nested_is_flat by (apply flat_shaped; assumption).
  destruct (flat_leaves l) as [E1 E2]. rewrite E1, E2. reflexivity.
Qed.

Theorem nested_offset : forall l x, shaped l ->
  crd2offset l (Number x) = offset (combine (leaf_sizes l) (leaf_strides l)) x.
Proof.
  intros l x S. rewrite nested_is_flat by exact S. unfold offset, shape, stride.
  pose proof (strides_length l) as L. revert L. generalize (leaf_sizes l) (leaf_strides l).
  intros n w L. assert (E : map fst (combine n w) = n /\ map snd (combine n w) = w).
  { revert w L. induction n as [|s n IH]; intros [|a w] L; simpl in L; try discriminate; [auto|].
    destruct (IH w ltac:(lia)) as [E1 E2]. simpl. rewrite E1, E2. auto. }
  destruct E as [E1 E2]. rewrite E1, E2. reflexivity.
Qed.

(* -- coalesce --------------------------------------------------------------------------------------- *)

Lemma coalesce_onto_inner : forall l m x, 0 < fst m -> positive (shape l) ->
  inner (coalesce_onto m l) x = inner (m :: l) x /\
  size_of (coalesce_onto m l) = size_of (m :: l) /\ positive (shape (coalesce_onto m l)).
Proof.
  induction l as [|[s d] l IH]; intros [s0 d0] x H P; simpl in H.
  - simpl. split; [reflexivity|]. split; [reflexivity|]. constructor; [exact H | constructor].
  - simpl in P. apply positive_cons in P. destruct P as [Hs P]. simpl coalesce_onto.
    destruct (Z.eqb_spec s 1) as [E|E].
    + subst s. destruct (IH (s0, d0) x H P) as [I1 [I2 I3]]. rewrite I1, I2. split; [|split].
      * rewrite !inner_cons, Z.mod_1_r, Z.div_1_r. ring.
      * unfold size_of. simpl. rewrite !product_cons. ring.
      * exact I3.
    + destruct (Z.eqb_spec s0 1) as [E0|E0].
      * subst s0. destruct (IH (s, d) x Hs P) as [I1 [I2 I3]]. rewrite I1, I2. split; [|split].
        -- rewrite (inner_cons 1), Z.mod_1_r, Z.div_1_r. ring.
        -- unfold size_of. simpl. rewrite !product_cons. ring.
        -- exact I3.
      * destruct (Z.eqb_spec d (s0 * d0)) as [E1|E1].
        -- subst d. destruct (IH (s0 * s, d0) x) as [I1 [I2 I3]]; [simpl; nia | exact P |].
           rewrite I1, I2. split; [|split].
           ++ rewrite !inner_cons, Z.rem_mul_r by lia. rewrite <- Z.div_div by lia. ring.
           ++ unfold size_of. simpl. rewrite !product_cons. ring.
           ++ exact I3.
        -- destruct (IH (s, d) (x / s0) Hs P) as [I1 [I2 I3]]. split; [|split].
           ++ rewrite (inner_cons s0), I1, <- inner_cons. reflexivity.
           ++ unfold size_of in *. simpl shape in *. rewrite product_cons, I2, <- product_cons. reflexivity.
           ++ simpl. apply positive_cons. split; assumption.
Qed.

(* "size(R) == size(L) and R(i) == L(i) for every i" *)
Theorem coalesce_law : forall l, positive (shape l) ->
  size_of (coalesce l) = size_of l /\
  forall i, 0 <= i < size_of l -> offset (coalesce l) i = offset l i.
Proof.
  intros l P. destruct l as [|[s d] l].
  - split; [reflexivity|]. intros i H. change (offset [(1, 0)] i = 0). rewrite offset_one. ring.
  - simpl in P. apply positive_cons in P. destruct P as [Hs P].
    destruct (coalesce_onto_inner l (s, d) 0 Hs P) as [_ [I2 I3]].
    simpl coalesce. split; [exact I2|]. intros i H.
    rewrite (offset_is_inner (coalesce_onto _ _)); [|exact I3 | rewrite I2; exact H].
    rewrite (offset_is_inner ((s, d) :: l)); [| |exact H].
    + apply coalesce_onto_inner; assumption.
    + simpl. apply positive_cons. split; assumption.
Qed.

(* -- composition with one mode ---------------------------------------------------------------------- *)

Lemma compose_not_nil : forall A s d, A <> [] -> compose A s d <> [].
Proof. intros [|[n w] [|m A]] s d N; simpl; [contradiction | discriminate | discriminate]. Qed.

Lemma taken_places : forall n d s, 0 < s ->
  let m := Z.min (Z.max 1 (n / d)) s in 0 < m /\ m <= s.
Proof. intros n d s Hs m. unfold m. lia. Qed.

Lemma ceildiv_nonnegative : forall d n, 0 < n -> 0 <= d -> 0 <= ceildiv d n.
Proof. intros d n Hn Hd. apply Z.div_pos; lia. Qed.

Theorem compose_law : forall A s d, positive (shape A) -> 0 < s -> 0 <= d -> composable A s d ->
  size_of (compose A s d) = s /\ positive (shape (compose A s d)) /\
  forall x, 0 <= x < s -> offset (compose A s d) x = offset A (d * x).
Proof.
  induction A as [|[n w] A IH]; intros s d P Hs Hd C; [contradiction|].
  simpl in P. apply positive_cons in P. destruct P as [Hn P]. destruct A as [|m' A].
  - simpl. unfold size_of. simpl. rewrite product_cons, product_nil. split; [ring|].
    split; [constructor; [exact Hs | constructor]|]. intros x H. rewrite !offset_one. ring.
  - set (m := Z.min (Z.max 1 (n / d)) s) in *.
    change (((n | d) \/ (d | n)) /\ (m | s) /\ composable (m' :: A) (s / m) (ceildiv d n)) in C.
    change (compose ((n, w) :: m' :: A) s d)
      with ((m, d * w) :: compose (m' :: A) (s / m) (ceildiv d n)).
    destruct C as [C1 [C2 C3]]. destruct (taken_places n d s Hs) as [M1 M2]. fold m in M1, M2.
    destruct C2 as [k Ek]. assert (Hk : s / m = k) by (rewrite Ek; apply Z.div_mul; lia).
    assert (Pk : 0 < k) by nia. rewrite Hk in *.
    destruct (IH k (ceildiv d n) P Pk (ceildiv_nonnegative d n Hn Hd) C3) as [I1 [I2 I3]].
    assert (N : compose (m' :: A) k (ceildiv d n) <> []) by (apply compose_not_nil; discriminate).
    split; [|split].
    + unfold size_of in *. simpl shape in *. rewrite product_cons, I1, Ek. ring.
    + simpl. apply positive_cons. split; assumption.
    + intros x Hx. rewrite offset_cons by exact N. rewrite offset_cons by discriminate.
      assert (Q : 0 <= x / m < k).
      { split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia]. }
      rewrite I3 by exact Q. destruct C1 as [[j Ej]|[j Ej]].
      * (* n divides d: the mode takes one place *)
        assert (Pj : 0 <= j) by nia.
        assert (E1 : m = 1).
        { unfold m. assert (n / d <= 1).
          { destruct (Z.eq_dec d 0) as [D0|D0]; [rewrite D0, Zdiv_0_r; lia|].
            assert (1 <= j) by nia. apply Z.div_le_upper_bound; [lia | nia]. }
          lia. }
        assert (E2 : ceildiv d n = j).
        { pose proof (ceildiv_exact d n Hn (ex_intro _ j Ej)) as E. nia. }
        rewrite E1, E2, Z.mod_1_r, Z.div_1_r. rewrite Ej.
        replace (j * n * x) with (j * x * n + 0) by ring.
        destruct (euclid (j * x) 0 n ltac:(lia)) as [U1 U2]. rewrite U1, U2. ring.
      * (* d divides n: the mode takes n/d places, or all *)
        assert (Pj : 0 < j) by nia. assert (Pd : 0 < d) by nia.
        assert (E0 : n / d = j) by (rewrite Ej; apply Z.div_mul; lia).
        assert (E2 : ceildiv d n = 1).
        { destruct (ceildiv_spec d n Hn) as [S1 S2]. nia. }
        rewrite E2. rewrite Ej. rewrite (Z.mul_comm j d), Z.mul_mod_distr_l by lia.
        rewrite Z.div_mul_cancel_l by lia.
        assert (E : x mod m = x mod j /\ x / m = x / j).
        { unfold m. rewrite E0. destruct (Z_le_gt_dec j s) as [C|C].
          - replace (Z.min (Z.max 1 j) s) with j by lia. auto.
          - replace (Z.min (Z.max 1 j) s) with s by lia.
            rewrite !Z.mod_small, !Z.div_small by lia. auto. }
        destruct E as [E3 E4]. rewrite E3, E4. rewrite Z.mul_1_l. ring.
Qed.
