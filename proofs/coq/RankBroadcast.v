(* Theorem 8. Broadcasting, for every rank: a legal broadcast gives every element of the result exactly one
   element of each operand, in whichever order its two steps are done, and is a stride of 0. *)

Require Import ZArith List Lia Permutation.
Require Import Symlayout.RankLists Symlayout.RankIndex.
Import ListNotations.
Open Scope Z_scope.

(* -- definitions ------------------------------------------------------------------------------------ *)

(* "Two dimensions are compatible if they are equal, or one of them is 1." The size of the result is the
   other size: 0 with 1 gives 0. *)
Definition compatible (d a : Z) : Prop := d = a \/ d = 1 \/ a = 1.
Definition result (d a : Z) : Z := if d =? 1 then a else d.

(* Degenerate broadcasting: the coordinate stays, and is 0 where the operand's size is 1. *)
Definition operand_coordinate (d r : Z) : Z := if d =? 1 then 0 else r.
Definition degenerate (d r : list Z) : list Z := map2 operand_coordinate d r.

(* InDim broadcasting: entry k of b is the dimension of the larger operand (sizes a) that dimension k of the
   smaller one (sizes d) matches. A matched dimension takes the smaller operand's size. *)
Fixpoint set (k : nat) (x : Z) (l : list Z) : list Z :=
  match k, l with
  | _, [] => []
  | O, _ :: l' => x :: l'
  | S k', a :: l' => a :: set k' x l'
  end.
Fixpoint put (b : list nat) (d a : list Z) : list Z :=
  match b, d with
  | k :: b', x :: d' => set k x (put b' d' a)
  | _, _ => a
  end.
Definition in_dim_shape (b : list nat) (d a : list Z) : list Z := put b d a.
Definition in_dim (b : list nat) (r : list Z) : list Z := pick b r.

(* "One entry per dimension of the smaller operand; none too large; sizes equal or one of them 1; strictly
   increasing." *)
Fixpoint increasing (from : nat) (b : list nat) : Prop :=
  match b with
  | [] => True
  | k :: b' => (from <= k)%nat /\ increasing (S k) b'
  end.
Definition legal (b : list nat) (d a : list Z) : Prop :=
  length b = length d /\ increasing 0 b /\ Forall (fun k => (k < length a)%nat) b /\
  Forall2 compatible d (pick b a).

(* InDim, then degenerate: the result's shape, and the coordinates of the two operands. *)
Definition broadcast_shape (b : list nat) (d a : list Z) : list Z := map2 result (in_dim_shape b d a) a.
Definition smaller (b : list nat) (d a r : list Z) : list Z :=
  in_dim b (degenerate (in_dim_shape b d a) r).
Definition larger (a r : list Z) : list Z := degenerate a r.

(* The documents' examples. *)
Example outer : broadcast_shape [0; 1]%nat [2; 1] [1; 3] = [2; 3].
Proof. reflexivity. Qed.
Example vector_and_matrix : broadcast_shape [0]%nat [4] [1; 2] = [4; 2].
Proof. reflexivity. Qed.
Example matrix_and_cuboid : in_dim_shape [1; 2]%nat [1; 2] [4; 3; 1] = [4; 1; 2] /\
  broadcast_shape [1; 2]%nat [1; 2] [4; 3; 1] = [4; 3; 2].
Proof. split; reflexivity. Qed.

(* -- one dimension ---------------------------------------------------------------------------------- *)

Lemma operand_inside : forall d a r, compatible d a -> 0 <= r < result d a ->
  0 <= operand_coordinate d r < d /\ 0 <= operand_coordinate a r < a.
Proof.
  intros d a r C H. unfold operand_coordinate, result in *.
  destruct (Z.eqb_spec d 1) as [D|D], (Z.eqb_spec a 1) as [A|A]; unfold compatible in C; lia.
Qed.

Theorem result_symmetric : forall d a, compatible d a -> result d a = result a d.
Proof.
  intros d a C. unfold result, compatible in *.
  destruct (Z.eqb_spec d 1) as [D|D], (Z.eqb_spec a 1) as [A|A]; lia.
Qed.

Theorem operand_coordinate_min : forall d a r, compatible d a -> 0 <= r < result d a ->
  operand_coordinate d r = Z.min r (d - 1).
Proof.
  intros d a r C H. unfold operand_coordinate, result, compatible in *.
  destruct (Z.eqb_spec d 1) as [D|D]; lia.
Qed.

(* Compatible is exactly: there is a size that each of the two equals or is expanded to. *)
Theorem compatible_iff : forall d a,
  compatible d a <-> exists n, (d = 1 \/ d = n) /\ (a = 1 \/ a = n).
Proof.
  intros d a. unfold compatible. split.
  - intros [E|[E|E]]; [exists a | exists a | exists d]; auto.
  - intros [n [[E|E] [F|F]]]; subst; auto.
Qed.

Theorem result_unique : forall d a n, (d = 1 \/ d = n) -> (a = 1 \/ a = n) -> ~ (d = 1 /\ a = 1) ->
  n = result d a.
Proof.
  intros d a n D A N. unfold result. destruct (Z.eqb_spec d 1) as [E|E]; lia.
Qed.

(* -- degenerate broadcasting, every rank ------------------------------------------------------------ *)

Theorem degenerate_inside : forall d a r, Forall2 compatible d a -> box (map2 result d a) r ->
  box d (degenerate d r) /\ box a (degenerate a r).
Proof.
  intros d a r C. revert r. induction C as [|x y d a Hc C IH]; intros r B.
  - split; constructor.
  - simpl in B. apply box_cons_l in B. destruct B as [z [r' [E [Hz B]]]]. subst.
    destruct (operand_inside x y z Hc Hz) as [O1 O2]. destruct (IH r' B) as [I1 I2].
    split; apply box_cons; split; assumption.
Qed.

Theorem degenerate_symmetric : forall d a, Forall2 compatible d a -> map2 result d a = map2 result a d.
Proof.
  intros d a C. induction C as [|x y d a Hc C IH]; [reflexivity|].
  simpl. rewrite IH, (result_symmetric x y Hc). reflexivity.
Qed.

(* The operand's coordinate is the only one that keeps r where the sizes agree and is inside. *)
Theorem degenerate_unique : forall d n r e, Forall2 (fun x y => x = 1 \/ x = y) d n -> box n r -> box d e ->
  Forall2 (fun (t : Z * Z) z => fst t <> 1 -> z = snd t) (combine d r) e ->
  e = degenerate d r.
Proof.
  intros d n r e C. revert r e. induction C as [|x y d n Hc C IH]; intros r e B Be F.
  - apply box_nil_l in Be. subst. reflexivity.
  - apply box_cons_l in B. destruct B as [z [r' [E [Hz B]]]]. subst.
    apply box_cons_l in Be. destruct Be as [u [e' [E [Hu Be]]]]. subst. simpl in F.
    inversion F as [|t u' l l' F1 F2 T1 T2]; subst. simpl in F1. unfold degenerate in *. simpl. f_equal.
    + unfold operand_coordinate. destruct (Z.eqb_spec x 1) as [D|D]; [lia | apply F1; exact D].
    + apply IH; assumption.
Qed.

(* -- placing dimensions ----------------------------------------------------------------------------- *)

Lemma set_length : forall k x l, length (set k x l) = length l.
Proof.
  induction k as [|k IH]; intros x [|a l]; simpl; try reflexivity. rewrite IH. reflexivity.
Qed.

Lemma set_same : forall k x l, (k < length l)%nat -> nth k (set k x l) 0 = x.
Proof.
  induction k as [|k IH]; intros x [|a l] H; simpl in H; try lia; simpl; [reflexivity|].
  apply IH. lia.
Qed.

Lemma set_other : forall k j x l, j <> k -> nth j (set k x l) 0 = nth j l 0.
Proof.
  induction k as [|k IH]; intros [|j] x [|a l] H; simpl; try reflexivity; try contradiction.
  apply IH. lia.
Qed.

Lemma put_length : forall b d a, length (put b d a) = length a.
Proof.
  induction b as [|k b IH]; intros [|x d] a; simpl; try reflexivity. rewrite set_length. apply IH.
Qed.

Lemma put_other : forall b d a j, ~ In j b -> nth j (put b d a) 0 = nth j a 0.
Proof.
  induction b as [|k b IH]; intros [|x d] a j N; simpl; try reflexivity.
  simpl in N. rewrite set_other by (intros E; subst; apply N; left; reflexivity).
  apply IH. intros K. apply N. right. exact K.
Qed.

Lemma pick_set : forall b k x l, ~ In k b -> pick b (set k x l) = pick b l.
Proof.
  intros b k x l N. apply map_ext_in. intros j J. apply set_other. intros E. subst. contradiction.
Qed.

Lemma pick_put : forall b d a, NoDup b -> length b = length d -> Forall (fun k => (k < length a)%nat) b ->
  pick b (put b d a) = d.
Proof.
  induction b as [|k b IH]; intros [|x d] a N L F; simpl in L; try discriminate; [reflexivity|].
  inversion N as [|k' b' N1 N2]; subst. inversion F as [|k' b' F1 F2]; subst.
  simpl put. change (nth k (set k x (put b d a)) 0 :: pick b (set k x (put b d a)) = x :: d).
  rewrite set_same by (rewrite put_length; exact F1). rewrite pick_set by exact N1.
  rewrite IH; [reflexivity | exact N2 | lia | exact F2].
Qed.

Lemma increasing_above : forall b k j, increasing k b -> In j b -> (k <= j)%nat.
Proof.
  induction b as [|i b IH]; intros k j I J; simpl in *; [contradiction|].
  destruct I as [I1 I2]. destruct J as [J|J]; [lia|].
  specialize (IH (S i) j I2 J). lia.
Qed.

Lemma increasing_NoDup : forall b k, increasing k b -> NoDup b.
Proof.
  induction b as [|i b IH]; intros k I; simpl in *; constructor.
  - intros J. apply (increasing_above b (S i)) in J; [lia | apply I].
  - apply (IH (S i)). apply I.
Qed.

Lemma pick_map2 : forall f b l m, length l = length m -> f 0 0 = 0 ->
  pick b (map2 f l m) = map2 f (pick b l) (pick b m).
Proof.
  intros f b l m L Z. induction b as [|k b IH]; [reflexivity|].
  unfold pick in *. simpl. rewrite IH, nth_map2 by assumption. reflexivity.
Qed.

(* A degenerate dimension is decided by its own size alone. *)
Lemma pick_degenerate : forall b d r, length d = length r ->
  pick b (degenerate d r) = degenerate (pick b d) (pick b r).
Proof. intros b d r L. apply pick_map2; [exact L | reflexivity]. Qed.

Lemma compatible_refl : forall a, Forall2 compatible a a.
Proof. induction a as [|y a IH]; constructor; [left; reflexivity | exact IH]. Qed.

Lemma set_compatible : forall k x l a, Forall2 compatible l a -> (k < length a)%nat ->
  compatible x (nth k a 0) -> Forall2 compatible (set k x l) a.
Proof.
  intros k x l a C. revert k. induction C as [|z y l a Hc C IH]; intros k K X; simpl in K; [lia|].
  destruct k as [|k]; simpl; constructor; try assumption. apply IH; [lia | exact X].
Qed.

Lemma put_compatible : forall b d a, Forall (fun k => (k < length a)%nat) b ->
  Forall2 compatible d (pick b a) -> Forall2 compatible (put b d a) a.
Proof.
  induction b as [|k b IH]; intros d a F C; simpl; [apply compatible_refl|].
  destruct d as [|x d]; [apply compatible_refl|].
  inversion F as [|k' b' F1 F2]; subst.
  unfold pick in C. simpl in C. inversion C as [|x' y' d' l' C1 C2]; subst.
  apply set_compatible; [apply IH; assumption | exact F1 | exact C1].
Qed.

Lemma broadcast_compatible : forall b d a, legal b d a -> Forall2 compatible (in_dim_shape b d a) a.
Proof. intros b d a [_ [_ [F C]]]. apply put_compatible; assumption. Qed.

(* -- InDim and degenerate --------------------------------------------------------------------------- *)

(* Every coordinate of the result goes to one coordinate of each operand, inside of it. *)
Theorem broadcast_inside : forall b d a r, legal b d a -> box (broadcast_shape b d a) r ->
  box d (smaller b d a r) /\ box a (larger a r).
Proof.
  intros b d a r G B. pose proof (broadcast_compatible b d a G) as C.
  destruct (degenerate_inside _ _ _ C B) as [D1 D2]. split; [|exact D2].
  destruct G as [L [I [F _]]]. unfold smaller, in_dim.
  rewrite <- (pick_put b d a) at 1; [|apply (increasing_NoDup b 0); exact I | exact L | exact F].
  apply box_pick; [|exact D1]. unfold in_dim_shape. rewrite put_length. exact F.
Qed.

(* The two steps in the other order: first the coordinate is placed, then it is expanded. *)
Theorem in_either_order : forall b d a r, legal b d a -> length r = length a ->
  smaller b d a r = degenerate d (in_dim b r).
Proof.
  intros b d a r [L [I [F _]]] R. unfold smaller, in_dim, in_dim_shape.
  rewrite pick_degenerate by (rewrite put_length; congruence).
  rewrite pick_put; [reflexivity | apply (increasing_NoDup b 0); exact I | exact L | exact F].
Qed.

(* The matched sizes of the result, and the new ones. *)
Theorem broadcast_sizes : forall b d a k, legal b d a ->
  pick b (broadcast_shape b d a) = map2 result d (pick b a) /\
  (~ In k b -> nth k (broadcast_shape b d a) 0 = nth k a 0).
Proof.
  intros b d a k [L [I [F C]]]. unfold broadcast_shape, in_dim_shape. split.
  - rewrite pick_map2; [|apply put_length | reflexivity].
    rewrite pick_put; [reflexivity | apply (increasing_NoDup b 0); exact I | exact L | exact F].
  - intros K. rewrite nth_map2; [|apply put_length | reflexivity].
    rewrite put_other by exact K. unfold result. destruct (nth k a 0 =? 1); reflexivity.
Qed.

(* Scalars broadcast to anything, with no dimensions given. *)
Theorem scalar : forall a, legal [] [] a /\ broadcast_shape [] [] a = a /\
  (forall r, smaller [] [] a r = []).
Proof.
  intros a. split; [|split].
  - repeat split; constructor.
  - unfold broadcast_shape, in_dim_shape. simpl. induction a as [|y a IH]; [reflexivity|].
    simpl. rewrite IH. unfold result. destruct (y =? 1); reflexivity.
  - reflexivity.
Qed.

(* Operands of one rank: the entries are 0, ..., n-1, and only the degenerate step is left. *)
Theorem same_rank : forall d a r, Forall2 compatible d a -> length r = length a ->
  legal (seq 0 (length d)) d a /\ smaller (seq 0 (length d)) d a r = degenerate d r.
Proof.
  intros d a r C R.
  assert (L : length d = length a).
  { clear - C. induction C as [|x y d a Hc C IH]; simpl; [reflexivity | rewrite IH; reflexivity]. }
  assert (G : legal (seq 0 (length d)) d a).
  { split; [apply seq_length|]. split; [|split].
    - generalize (length d). clear. intros n. generalize 0%nat.
      induction n as [|n IH]; intros k; simpl; [exact I|]. split; [lia | apply IH].
    - apply Forall_forall. intros k K. apply in_seq in K. lia.
    - rewrite L, pick_seq. exact C. }
  split; [exact G|]. rewrite in_either_order by assumption. unfold in_dim.
  rewrite L, <- R, pick_seq. reflexivity.
Qed.

(* -- a broadcast moves nothing: it is a stride of 0 ------------------------------------------------- *)

(* The operand's strides w at its dimensions, 0 where its size is 1 and in new dimensions. *)
Definition expanded_strides (d w : list Z) : list Z := map2 (fun size s => if size =? 1 then 0 else s) d w.
Definition broadcast_strides (b : list nat) (n : nat) (d w : list Z) : list Z :=
  put b (expanded_strides d w) (repeat 0 n).

Lemma dot_zeros : forall n r, dot (repeat 0 n) r = 0.
Proof.
  induction n as [|n IH]; intros [|x r]; simpl; try reflexivity; try apply dot_nil_r.
  rewrite dot_cons, IH. ring.
Qed.

Lemma dot_set : forall k x l r, (k < length l)%nat -> length l = length r ->
  dot (set k x l) r = dot l r + (x - nth k l 0) * nth k r 0.
Proof.
  induction k as [|k IH]; intros x [|a l] [|y r] K L; simpl in K, L; try lia; simpl.
  - rewrite !dot_cons. ring.
  - rewrite !dot_cons, IH by lia. ring.
Qed.

Lemma dot_put : forall b w r, NoDup b -> Forall (fun k => (k < length r)%nat) b -> length b = length w ->
  dot (put b w (repeat 0 (length r))) r = dot w (pick b r).
Proof.
  induction b as [|k b IH]; intros [|x w] r N F L; simpl in L; try discriminate.
  - apply dot_zeros.
  - inversion N as [|k' b' N1 N2]; subst. inversion F as [|k' b' F1 F2]; subst. simpl put.
    rewrite dot_set by (rewrite put_length, repeat_length; auto).
    rewrite put_other by exact N1. rewrite IH by (try assumption; lia).
    unfold pick. simpl map. rewrite dot_cons.
    replace (nth k (repeat 0 (length r)) 0) with 0; [ring|].
    symmetry. apply nth_repeat.
Qed.

Lemma dot_expanded : forall d w r, dot (expanded_strides d w) r = dot w (degenerate d r).
Proof.
  unfold expanded_strides, degenerate.
  induction d as [|x d IH]; intros [|s w] [|y r]; simpl;
    rewrite ?dot_nil_l, ?dot_nil_r; try reflexivity.
  rewrite !dot_cons, IH. unfold operand_coordinate. destruct (x =? 1); ring.
Qed.

Theorem broadcast_is_stride_0 : forall b d a w r, legal b d a -> length w = length d ->
  length r = length a ->
  dot w (smaller b d a r) = dot (broadcast_strides b (length a) d w) r.
Proof.
  intros b d a w r G W R. rewrite in_either_order by assumption.
  destruct G as [L [I [F _]]]. rewrite <- dot_expanded. symmetry. unfold broadcast_strides, in_dim.
  rewrite <- R. apply dot_put.
  - apply (increasing_NoDup b 0). exact I.
  - rewrite R. exact F.
  - unfold expanded_strides. rewrite map2_length; congruence.
Qed.

Corollary broadcast_linear_index : forall b d a r, legal b d a -> length r = length a ->
  linear_index d (smaller b d a r) = dot (broadcast_strides b (length a) d (strides d)) r.
Proof.
  intros b d a r G R. rewrite linear_index_strides. apply broadcast_is_stride_0; auto.
  apply strides_length.
Qed.

(* -- the other dialects ----------------------------------------------------------------------------- *)

(* StableHLO: entries are unique and need not increase; a size is 1 or equal to the result's (sizes n). *)
Theorem stablehlo : forall b d n r, Forall (fun k => (k < length n)%nat) b ->
  Forall2 (fun x y => x = 1 \/ x = y) d (pick b n) -> box n r -> box d (degenerate d (pick b r)).
Proof.
  intros b d n r F C B. pose proof (box_pick b n r F B) as P. revert P C.
  generalize (pick b n) (pick b r). clear. intros m s P C. revert s P.
  induction C as [|x y d m Hc C IH]; intros s P.
  - apply box_nil_l in P. subst. constructor.
  - apply box_cons_l in P. destruct P as [z [s' [E [Hz P]]]]. subst. apply box_cons. split.
    + unfold operand_coordinate. destruct (Z.eqb_spec x 1) as [D|D]; lia.
    + apply IH. exact P.
Qed.

(* NumPy: aligned at the right, which is legal with the last dimensions as entries. *)
Theorem numpy : forall d a1 a2, Forall2 compatible d a2 ->
  legal (seq (length a1) (length d)) d (a1 ++ a2).
Proof.
  intros d a1 a2 C.
  assert (L : length d = length a2).
  { clear - C. induction C as [|x y d a Hc C IH]; simpl; [reflexivity | rewrite IH; reflexivity]. }
  split; [apply seq_length|]. split; [|split].
  - assert (G : forall n k j, (k <= j)%nat -> increasing k (seq j n)).
    { clear. induction n as [|n IH]; intros k j K; simpl; [exact I|]. split; [exact K | apply IH; lia]. }
    apply G. lia.
  - apply Forall_forall. intros k K. apply in_seq in K. rewrite app_length. lia.
  - assert (E : pick (seq (length a1) (length d)) (a1 ++ a2) = a2); [|rewrite E; exact C].
    assert (G : forall n k, pick (seq (length a1 + k) n) (a1 ++ a2) = pick (seq k n) a2).
    { clear. induction n as [|n IH]; intros k; [reflexivity|].
      unfold pick in *. simpl seq. simpl map. f_equal; [apply app_nth2_plus|].
      rewrite <- IH. f_equal. f_equal. lia. }
    replace (length a1) with (length a1 + 0)%nat by lia. rewrite G, L. apply pick_seq.
Qed.
