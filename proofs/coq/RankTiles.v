(* Theorems 4, 5, 6 and 7. Tiled layouts: of any rank, with tiles of any rank, repeated, with combined
   dimensions; and the same as pad, reshape, transpose.

   "linear_index_with_tile(e, d, t) = linear_index((floor(e/t), e mod t), (ceil(d/t), t))", entry by entry,
   where (a, b) is concatenation. *)

Require Import ZArith List Lia Permutation.
Require Import Symlayout.RankLists Symlayout.RankIndex.
Import ListNotations.
Open Scope Z_scope.

(* -- definitions ------------------------------------------------------------------------------------ *)

Definition counts (t d : list Z) : list Z := map2 ceildiv d t.
Definition quotients (t e : list Z) : list Z := map2 Z.div e t.
Definition remainders (t e : list Z) : list Z := map2 Z.modulo e t.

Definition linear_index_with_tile (e d t : list Z) : Z :=
  linear_index (counts t d ++ t) (quotients t e ++ remainders t e).

(* An entry of a tile is a size or `*`. *)
Inductive entry : Type := Size (t : Z) | Star.

Fixpoint sizes (t : list entry) : list Z :=
  match t with
  | [] => []
  | Size s :: t' => s :: sizes t'
  | Star :: t' => sizes t'
  end.

(* Sizes are positive, and `*` has a more minor neighbour. *)
Fixpoint tile (t : list entry) : Prop :=
  match t with
  | [] => True
  | [Star] => False
  | Star :: t' => tile t'
  | Size s :: t' => 0 < s /\ tile t'
  end.

(* "If dimension i is combined by `*`, it is removed from both the shape and the tile, and dimension i-1 of
   the shape has its bound increased from d_{i-1} to d_i*d_{i-1}. This repeats for each `*`." *)
Fixpoint combined_shape (t : list entry) (d : list Z) : list Z :=
  match t, d with
  | Star :: t', a :: b :: d' => combined_shape t' (a * b :: d')
  | Size _ :: t', a :: d' => a :: combined_shape t' d'
  | _, _ => d
  end.
Fixpoint combined (t : list entry) (d e : list Z) : list Z :=
  match t, d, e with
  | Star :: t', a :: b :: d', p :: q :: e' => combined t' (a * b :: d') (p * b + q :: e')
  | Size _ :: t', a :: d', p :: e' => p :: combined t' d' e'
  | _, _, _ => e
  end.

(* A shape with fewer dimensions than the tile has leading 1s; their coordinates are 0. *)
Definition leading {A : Type} (x : Z) (t : list A) (l : list Z) : list Z :=
  repeat x (length t - length l) ++ l.

(* "A tile with fewer dimensions keeps the most major dimensions as they are and applies to the most minor
   ones": a function of the last dimensions, from dimension k on. *)
Definition on_suffix (k : nat) (f : list Z -> list Z) (l : list Z) : list Z := firstn k l ++ f (skipn k l).

Definition split_shape (t : list Z) (d : list Z) : list Z := counts t d ++ t.
Definition split (t : list Z) (e : list Z) : list Z := quotients t e ++ remainders t e.

(* One level of tiles, on an array in physical order: its shape, and the coordinates of an element. *)
Definition level_shape (t : list entry) (d : list Z) : list Z :=
  let d' := leading 1 t d in
  on_suffix (length d' - length t) (fun m => split_shape (sizes t) (combined_shape t m)) d'.
Definition level (t : list entry) (d e : list Z) : list Z :=
  let d' := leading 1 t d in
  let k := (length d' - length t)%nat in
  on_suffix k (fun x => split (sizes t) (combined t (skipn k d') x)) (leading 0 t e).

(* Repeated tiles: each level tiles the array that the level before it left. *)
Fixpoint tiled_shape (tiles : list (list entry)) (d : list Z) : list Z :=
  match tiles with
  | [] => d
  | t :: ts => tiled_shape ts (level_shape t d)
  end.
Fixpoint tiled (tiles : list (list entry)) (d e : list Z) : list Z :=
  match tiles with
  | [] => e
  | t :: ts => tiled ts (level_shape t d) (level t d e)
  end.

(* f32[d]{minor_to_major:T(..)(..)}: the offset of element e, and the number of places of the buffer. *)
Definition xla_offset (minor_to_major : list nat) (tiles : list (list entry)) (d e : list Z) : Z :=
  let d' := physical minor_to_major d in
  linear_index (tiled_shape tiles d') (tiled tiles d' (physical minor_to_major e)).
Definition xla_places (minor_to_major : list nat) (tiles : list (list entry)) (d : list Z) : Z :=
  product (tiled_shape tiles (physical minor_to_major d)).

(* Every tile size divides the size that it tiles, at every level. *)
Definition level_divides (t : list entry) (d : list Z) : Prop :=
  let d' := leading 1 t d in
  Forall2 Z.divide (sizes t) (combined_shape t (skipn (length d' - length t) d')).
Fixpoint tiles_divide (tiles : list (list entry)) (d : list Z) : Prop :=
  match tiles with
  | [] => True
  | t :: ts => level_divides t d /\ tiles_divide ts (level_shape t d)
  end.

(* Pad, reshape, transpose, on an array of which the first k dimensions are left as they are. *)
Fixpoint interleave (l m : list Z) : list Z :=
  match l, m with
  | a :: l', b :: m' => a :: b :: interleave l' m'
  | _, _ => []
  end.
(* "1. The array is padded to (ceil(d_n/t_n)*t_n, ..., ceil(d_1/t_1)*t_1)." Coordinates stay. *)
Definition padded (k : nat) (t d : list Z) : list Z :=
  on_suffix k (fun m => map2 (fun size s => ceildiv size s * s) m t) d.
(* "2. Each dimension i is broken up into (ceil(d_i/t_i), t_i)." A reshape keeps the linear index. *)
Definition broken (k : nat) (t d : list Z) : list Z := on_suffix k (fun m => interleave (counts t m) t) d.
Definition reshape (before after e : list Z) : list Z := coordinates after (linear_index before e).
(* "3. A transpose moves t_n, ..., t_1 to the most minor dimensions, keeping their relative order." *)
Definition tiles_last (k n : nat) : list nat :=
  seq 0 k ++ map (fun i => k + 2 * i)%nat (seq 0 n) ++ map (fun i => k + (2 * i + 1))%nat (seq 0 n).
Definition pad_reshape_transpose_shape (k : nat) (t d : list Z) : list Z :=
  pick (tiles_last k (length t)) (broken k t d).
Definition pad_reshape_transpose (k : nat) (t d e : list Z) : list Z :=
  pick (tiles_last k (length t)) (reshape (padded k t d) (broken k t d) e).

(* The documents' examples. *)
Example figure_1 :
  map (fun i => map (fun j => linear_index_with_tile [i; j] [3; 5] [2; 2]) [0; 1; 2; 3; 4]) [0; 1; 2]
  = [[0; 1; 4; 5; 8]; [2; 3; 6; 7; 10]; [12; 13; 16; 17; 20]].
Proof. reflexivity. Qed.
Example figure_1_offset : xla_offset [1; 0]%nat [[Size 2; Size 2]] [3; 5] [2; 3] = 17.
Proof. reflexivity. Qed.
Example figure_2 :
  map (fun i => xla_offset [1; 0]%nat [[Size 2; Size 4]; [Size 2; Size 1]] [4; 8] [1; i]) [0; 1; 7]
  = [1; 3; 15].
Proof. reflexivity. Qed.
Example reaches_into_counts :
  xla_offset [1; 0]%nat [[Size 2; Size 4]; [Size 2; Size 1; Size 1; Size 1]] [8; 8] [6; 5] = 51.
Proof. reflexivity. Qed.
Example later_padding :
  xla_places [1; 0]%nat [[Size 3; Size 4]; [Size 2; Size 1]] [8; 128] = 1536.
Proof. reflexivity. Qed.
Example combining : combined_shape [Star; Star; Size 2; Star; Size 3] [2; 7; 8; 11; 10] = [112; 110].
Proof. reflexivity. Qed.

(* -- digits of all dimensions ----------------------------------------------------------------------- *)

Lemma counts_length : forall t d, length t = length d -> length (counts t d) = length t.
Proof. intros t d L. unfold counts. rewrite map2_length; congruence. Qed.
Lemma quotients_length : forall t e, length t = length e -> length (quotients t e) = length t.
Proof. intros t e L. unfold quotients. rewrite map2_length; congruence. Qed.
Lemma remainders_length : forall t e, length t = length e -> length (remainders t e) = length t.
Proof. intros t e L. unfold remainders. rewrite map2_length; congruence. Qed.

Lemma quotients_box : forall t d e, positive t -> length t = length d -> box d e ->
  box (counts t d) (quotients t e).
Proof.
  induction t as [|s t IH]; intros [|a d] e P L B; simpl in L; try discriminate.
  - apply box_nil_l in B. subst. constructor.
  - apply box_cons_l in B. destruct B as [x [e' [E [Hx B]]]]. subst.
    apply positive_cons in P. destruct P as [Hs P]. apply box_cons. split.
    + apply ceildiv_digit; assumption.
    + apply IH; [exact P | lia | exact B].
Qed.

Lemma remainders_box : forall t e, positive t -> length t = length e -> box t (remainders t e).
Proof.
  induction t as [|s t IH]; intros [|x e] P L; simpl in L; try discriminate.
  - constructor.
  - apply positive_cons in P. destruct P as [Hs P]. apply box_cons. split.
    + apply Z.mod_pos_bound. exact Hs.
    + apply IH; [exact P | lia].
Qed.

Lemma digits_injective : forall t e e', positive t -> length t = length e -> length t = length e' ->
  quotients t e = quotients t e' -> remainders t e = remainders t e' -> e = e'.
Proof.
  induction t as [|s t IH]; intros [|x e] [|x' e'] P L L' Q R; simpl in L, L'; try discriminate.
  - reflexivity.
  - apply positive_cons in P. destruct P as [Hs P].
    injection Q as Q1 Q2. injection R as R1 R2. f_equal.
    + rewrite (Z.div_mod x s), (Z.div_mod x' s) by lia. rewrite Q1, R1. reflexivity.
    + apply IH; [exact P | lia | lia | exact Q2 | exact R2].
Qed.

Lemma digits_onto : forall t d q r, positive t -> Forall2 Z.divide t d -> box (counts t d) q -> box t r ->
  exists e, box d e /\ quotients t e = q /\ remainders t e = r.
Proof.
  intros t d q r P D. revert q r. induction D as [|s a t d Hd D IH]; intros q r Q R.
  - apply box_nil_l in Q, R. subst. exists []. repeat split. constructor.
  - apply positive_cons in P. destruct P as [Hs P].
    apply box_cons_l in Q. destruct Q as [x [q' [E1 [Hx Q]]]].
    apply box_cons_l in R. destruct R as [y [r' [E2 [Hy R]]]]. subst.
    destruct (IH P q' r' Q R) as [e [B [E1 E2]]].
    pose proof (ceildiv_exact a s Hs Hd) as C. destruct (euclid x y s Hy) as [U V].
    exists (x * s + y :: e). split; [|split].
    + apply box_cons. split; [|exact B]. nia.
    + unfold quotients in *. simpl. rewrite U, E1. reflexivity.
    + unfold remainders in *. simpl. rewrite V, E2. reflexivity.
Qed.

(* Where the last place of the buffer holds an element, every tile divides. *)
Lemma digits_last : forall t d, positive t -> positive d -> length t = length d ->
  (forall q r, box (counts t d) q -> box t r ->
    exists e, box d e /\ quotients t e = q /\ remainders t e = r) ->
  Forall2 Z.divide t d.
Proof.
  intros t d P Q L F.
  destruct (F (map (fun x => x - 1) (counts t d)) (map (fun x => x - 1) t)) as [e [B [E1 E2]]].
  - clear F. revert d Q L.
    induction t as [|s t IH]; intros [|a d] Q L; simpl in L; try discriminate; [constructor|].
    apply positive_cons in P, Q. destruct P as [Hs P], Q as [Ha Q]. unfold counts. simpl.
    apply box_cons. split; [|apply IH; [exact P | exact Q | lia]].
    pose proof (ceildiv_positive a s Hs Ha) as C. lia.
  - clear - P. induction P as [|s t Hs P IH]; simpl; constructor; [lia | exact IH].
  - clear F Q. revert d e L B E1 E2.
    induction t as [|s t IH]; intros [|a d] e L B E1 E2; simpl in L; try discriminate; [constructor|].
    apply positive_cons in P. destruct P as [Hs P].
    apply box_cons_l in B. destruct B as [x [e' [E [Hx B]]]]. subst e.
    unfold quotients, remainders, counts in *. simpl in E1, E2.
    injection E1 as E1 E3. injection E2 as E2 E4. constructor.
    + destruct (ceildiv_spec a s Hs) as [C1 C2]. exists (ceildiv a s).
      pose proof (Z.div_mod x s ltac:(lia)) as D. rewrite E1, E2 in D. lia.
    + apply (IH P d e'); [lia | exact B | exact E3 | exact E4].
Qed.

Lemma split_into : forall t d, positive t -> length t = length d ->
  maps_into (box d) (box (split_shape t d)) (split t).
Proof.
  intros t d P L e B. apply box_app.
  - apply quotients_box; assumption.
  - apply remainders_box; [exact P|]. apply box_length in B. congruence.
Qed.

Lemma split_injective : forall t d, positive t -> length t = length d -> injective (box d) (split t).
Proof.
  intros t d P L e e' B B' E. apply box_length in B, B'. unfold split in E.
  apply app_inj in E; [|rewrite !quotients_length; congruence]. destruct E as [E1 E2].
  apply (digits_injective t); congruence.
Qed.

Lemma split_onto : forall t d, positive t -> positive d -> length t = length d ->
  (onto (box d) (box (split_shape t d)) (split t) <-> Forall2 Z.divide t d).
Proof.
  intros t d P Q L. split.
  - intros O. apply digits_last; [exact P | exact Q | exact L |]. intros q r Bq Br.
    destruct (O (q ++ r)) as [e [B E]]; [apply box_app; assumption|].
    exists e. split; [exact B|]. unfold split in E. apply app_inj in E; [exact E|].
    apply box_length in Bq, B. rewrite counts_length in Bq by exact L.
    rewrite quotients_length; congruence.
  - intros D y B. apply box_app_l in B. destruct B as [q [r [E [Bq Br]]]]. subst.
    destruct (digits_onto t d q r P D Bq Br) as [e [B [E1 E2]]]. exists e.
    split; [exact B|]. unfold split. congruence.
Qed.

(* -- theorem 4 -------------------------------------------------------------------------------------- *)

Theorem tile_bounds : forall d t e, positive t -> length t = length d -> box d e ->
  0 <= linear_index_with_tile e d t < product (counts t d) * product t.
Proof.
  intros d t e P L B. rewrite <- product_app. apply linear_index_bounds.
  apply (split_into t d P L e B).
Qed.

Theorem tile_injective : forall d t, positive t -> length t = length d ->
  injective (box d) (fun e => linear_index_with_tile e d t).
Proof.
  intros d t P L. apply (injective_compose _ _ _ (box d) (box (split_shape t d)) (split t)).
  - apply split_into; assumption.
  - apply split_injective; assumption.
  - apply linear_index_injective.
Qed.

Theorem tile_bijective_iff : forall d t, positive t -> positive d -> length t = length d ->
  (bijective (box d) (range (product (counts t d) * product t)) (fun e => linear_index_with_tile e d t)
   <-> Forall2 Z.divide t d).
Proof.
  intros d t P Q L. rewrite <- (split_onto t d P Q L). split.
  - intros [F1 [F2 F3]] y B. destruct (F3 (linear_index (split_shape t d) y)) as [e [Be E]].
    + unfold range. rewrite <- product_app. apply linear_index_bounds. exact B.
    + exists e. split; [exact Be|]. apply (linear_index_injective (split_shape t d)); [|exact B|exact E].
      apply split_into; assumption.
  - intros O. split; [|split].
    + intros e B. apply tile_bounds; assumption.
    + apply tile_injective; assumption.
    + intros x Hx. unfold range in Hx. rewrite <- product_app in Hx.
      assert (N : nonnegative (split_shape t d)).
      { apply positive_nonnegative. apply positive_app. split; [|exact P].
        clear - P Q L. revert d Q L.
        induction t as [|s t IH]; intros [|a d] Q L; simpl in L; try discriminate; [constructor|].
        apply positive_cons in P, Q. destruct P as [Hs P], Q as [Ha Q].
        apply positive_cons. split; [apply ceildiv_positive; assumption | apply IH; auto]. }
      destruct (linear_index_of_coordinates _ x N Hx) as [B E].
      destruct (O _ B) as [e [Be Ee]]. exists e. split; [exact Be|].
      unfold linear_index_with_tile. fold (split t e) (split_shape t d). rewrite Ee. exact E.
Qed.

(* A tile that is shorter than the shape is the tile with leading 1s. *)
Theorem tile_of_ones : forall d1 d2 t e1 e2, length d1 = length e1 -> length t = length d2 ->
  length t = length e2 ->
  linear_index_with_tile (e1 ++ e2) (d1 ++ d2) (repeat 1 (length d1) ++ t)
  = linear_index (d1 ++ split_shape t d2) (e1 ++ split t e2).
Proof.
  intros d1 d2 t e1 e2 L1 L2 L3. unfold linear_index_with_tile, split_shape, split.
  assert (C : counts (repeat 1 (length d1) ++ t) (d1 ++ d2) = d1 ++ counts t d2).
  { unfold counts. rewrite map2_app by (rewrite repeat_length; reflexivity). f_equal.
    clear. induction d1 as [|a d1 IH]; simpl; [reflexivity|]. rewrite ceildiv_1, IH. reflexivity. }
  assert (Q : quotients (repeat 1 (length d1) ++ t) (e1 ++ e2) = e1 ++ quotients t e2).
  { unfold quotients. rewrite map2_app by (rewrite repeat_length; congruence). f_equal. rewrite L1.
    clear. induction e1 as [|a e1 IH]; simpl; [reflexivity|]. rewrite Z.div_1_r, IH. reflexivity. }
  assert (R : remainders (repeat 1 (length d1) ++ t) (e1 ++ e2) = repeat 0 (length d1) ++ remainders t e2).
  { unfold remainders. rewrite map2_app by (rewrite repeat_length; congruence). f_equal. rewrite L1.
    clear. induction e1 as [|a e1 IH]; simpl; [reflexivity|]. rewrite Z.mod_1_r, IH. reflexivity. }
  rewrite C, Q, R. rewrite <- !app_assoc.
  assert (LC : length (counts t d2) = length (quotients t e2)).
  { rewrite counts_length, quotients_length; congruence. }
  rewrite !linear_index_app by (try rewrite !repeat_length; congruence).
  rewrite !product_app, product_repeat_1, linear_index_zeros. ring.
Qed.

(* -- theorem 5 -------------------------------------------------------------------------------------- *)

Lemma interleave_index : forall c t q r, length c = length t -> length c = length q ->
  length c = length r ->
  linear_index (interleave c t) (interleave q r)
  = linear_index (map2 Z.mul c t) (map2 Z.add (map2 Z.mul q t) r)
  /\ product (interleave c t) = product (map2 Z.mul c t).
Proof.
  induction c as [|a c IH]; intros [|s t] [|x q] [|y r] L1 L2 L3; simpl in L1, L2, L3; try discriminate.
  - split; reflexivity.
  - destruct (IH t q r) as [I1 I2]; [lia | lia | lia |]. simpl.
    rewrite !product_cons, I1, I2. split; ring.
Qed.

Lemma interleave_box : forall c t q r, box c q -> box t r -> length c = length t ->
  box (interleave c t) (interleave q r).
Proof.
  intros c t q r B. revert t r. induction B as [|a x c q Hx B IH]; intros t r R L.
  - constructor.
  - destruct t as [|s t]; [discriminate|]. apply box_cons_l in R.
    destruct R as [y [r' [E [Hy R]]]]. subst. simpl. apply box_cons. split; [exact Hx|].
    apply box_cons. split; [exact Hy|]. apply IH; [exact R | simpl in L; lia].
Qed.

Lemma interleave_nth : forall i q r, length q = length r ->
  nth (2 * i) (interleave q r) 0 = nth i q 0 /\ nth (2 * i + 1) (interleave q r) 0 = nth i r 0.
Proof.
  induction i as [|i IH]; intros [|x q] [|y r] L; simpl in L; try discriminate.
  - split; reflexivity.
  - split; reflexivity.
  - split; destruct (2 * S i)%nat; reflexivity.
  - destruct (IH q r ltac:(lia)) as [I1 I2].
    replace (2 * S i)%nat with (S (S (2 * i))) by lia.
    replace (S (S (2 * i)) + 1)%nat with (S (S (2 * i + 1))) by lia. simpl interleave.
    split; [exact I1 | exact I2].
Qed.

Lemma interleave_length : forall q r, length q = length r ->
  length (interleave q r) = (2 * length q)%nat.
Proof.
  induction q as [|x q IH]; intros [|y r] L; simpl in L; try discriminate; [reflexivity|].
  simpl interleave. simpl length. rewrite IH by lia. lia.
Qed.

Lemma pick_tiles_last : forall a q r, length q = length r ->
  pick (tiles_last (length a) (length q)) (a ++ interleave q r) = a ++ q ++ r.
Proof.
  intros a q r L. unfold tiles_last. rewrite !pick_app. f_equal; [|f_equal].
  - transitivity (pick (seq 0 (length a)) a); [|apply pick_seq].
    unfold pick. apply map_ext_in. intros k K. apply in_seq in K. apply app_nth1. lia.
  - transitivity (pick (seq 0 (length q)) q); [|apply pick_seq].
    unfold pick. rewrite map_map. apply map_ext. intros k. rewrite app_nth2_plus.
    apply interleave_nth. exact L.
  - transitivity (pick (seq 0 (length q)) r); [|rewrite L; apply pick_seq].
    unfold pick. rewrite map_map. apply map_ext. intros k. rewrite app_nth2_plus.
    apply interleave_nth. exact L.
Qed.

Lemma on_suffix_app : forall l m f, on_suffix (length l) f (l ++ m) = l ++ f m.
Proof.
  intros l m f. unfold on_suffix.
  rewrite firstn_app, Nat.sub_diag, firstn_all, firstn_O, app_nil_r.
  rewrite skipn_app, Nat.sub_diag, skipn_all, skipn_O. reflexivity.
Qed.

Lemma padded_counts : forall t d, map2 (fun size s => ceildiv size s * s) d t = map2 Z.mul (counts t d) t.
Proof.
  induction t as [|s t IH]; intros [|a d]; simpl; try reflexivity.
  unfold counts in *. simpl. rewrite IH. reflexivity.
Qed.

Lemma digits_back : forall t e, positive t -> length t = length e ->
  map2 Z.add (map2 Z.mul (quotients t e) t) (remainders t e) = e.
Proof.
  induction t as [|s t IH]; intros [|x e] P L; simpl in L; try discriminate; [reflexivity|].
  apply positive_cons in P. destruct P as [Hs P]. unfold quotients, remainders in *. simpl.
  rewrite IH by (try exact P; lia). f_equal.
  rewrite (Z.mul_comm (x / s)). symmetry. apply Z.div_mod. lia.
Qed.

(* The pad holds the array, with less than one tile too many. *)
Theorem pad_is_least : forall d t, 0 < t -> ceildiv d t * t >= d /\ (ceildiv d t - 1) * t < d.
Proof. exact ceildiv_spec. Qed.

(* The reshape is a bitcast: it has as many elements and keeps every linear index. *)
Theorem reshape_is_bitcast : forall d1 d2 t e1 e2, positive t -> length t = length d2 ->
  box d1 e1 -> box d2 e2 ->
  let k := length d1 in let d := d1 ++ d2 in let e := e1 ++ e2 in
  product (broken k t d) = product (padded k t d) /\
  box (broken k t d) (reshape (padded k t d) (broken k t d) e) /\
  linear_index (broken k t d) (reshape (padded k t d) (broken k t d) e) = linear_index (padded k t d) e /\
  reshape (padded k t d) (broken k t d) e = e1 ++ interleave (quotients t e2) (remainders t e2).
Proof.
  intros d1 d2 t e1 e2 P L B1 B2 k d e. unfold padded, broken, k, d, e.
  pose proof (box_length d1 e1 B1) as L1. pose proof (box_length d2 e2 B2) as L2.
  rewrite !on_suffix_app. rewrite padded_counts.
  pose proof (counts_length t d2 L) as LC.
  pose proof (quotients_length t e2 ltac:(congruence)) as LQ.
  pose proof (remainders_length t e2 ltac:(congruence)) as LR.
  destruct (interleave_index (counts t d2) t (quotients t e2) (remainders t e2)) as [I1 I2];
    [congruence | congruence | congruence |].
  rewrite digits_back in I1 by (try exact P; congruence).
  assert (B : box (d1 ++ interleave (counts t d2) t)
                  (e1 ++ interleave (quotients t e2) (remainders t e2))).
  { apply box_app; [exact B1|]. apply interleave_box; [| | congruence].
    - apply quotients_box; assumption.
    - apply remainders_box; [exact P | congruence]. }
  assert (E : linear_index (d1 ++ map2 Z.mul (counts t d2) t) (e1 ++ e2)
              = linear_index (d1 ++ interleave (counts t d2) t)
                  (e1 ++ interleave (quotients t e2) (remainders t e2))).
  { rewrite !linear_index_app by exact L1. rewrite I1, I2. reflexivity. }
  assert (R : reshape (d1 ++ map2 Z.mul (counts t d2) t) (d1 ++ interleave (counts t d2) t) (e1 ++ e2)
              = e1 ++ interleave (quotients t e2) (remainders t e2)).
  { unfold reshape. rewrite E. apply coordinates_of_linear_index. exact B. }
  rewrite R. split; [|split; [|split]].
  - rewrite !product_app. congruence.
  - exact B.
  - symmetry. exact E.
  - reflexivity.
Qed.

(* The three operations take an element to its tile and its place in the tile: the most major dimensions,
   the quotients, the remainders. So the linear index of the result is the tiled index. *)
Theorem pad_reshape_transpose_is_tile : forall d1 d2 t e1 e2, positive t -> length t = length d2 ->
  box d1 e1 -> box d2 e2 ->
  pad_reshape_transpose_shape (length d1) t (d1 ++ d2) = d1 ++ counts t d2 ++ t /\
  pad_reshape_transpose (length d1) t (d1 ++ d2) (e1 ++ e2) = e1 ++ quotients t e2 ++ remainders t e2.
Proof.
  intros d1 d2 t e1 e2 P L B1 B2.
  destruct (reshape_is_bitcast d1 d2 t e1 e2 P L B1 B2) as [_ [_ [_ R]]].
  pose proof (box_length d1 e1 B1) as L1. pose proof (box_length d2 e2 B2) as L2.
  pose proof (counts_length t d2 L) as LC.
  pose proof (quotients_length t e2 ltac:(congruence)) as LQ.
  pose proof (remainders_length t e2 ltac:(congruence)) as LR. split.
  - unfold pad_reshape_transpose_shape, broken. rewrite on_suffix_app, <- LC.
    apply pick_tiles_last. exact LC.
  - unfold pad_reshape_transpose. rewrite R, L1, <- LQ. apply pick_tiles_last. congruence.
Qed.

Theorem pad_reshape_transpose_index : forall d t e, positive t -> length t = length d -> box d e ->
  linear_index (pad_reshape_transpose_shape 0 t d) (pad_reshape_transpose 0 t d e)
  = linear_index_with_tile e d t.
Proof.
  intros d t e P L B.
  destruct (pad_reshape_transpose_is_tile [] d t [] e P L box_nil B) as [E1 E2].
  simpl in E1, E2. rewrite E1, E2. reflexivity.
Qed.
