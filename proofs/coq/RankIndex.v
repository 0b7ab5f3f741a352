(* Theorems 1, 2 and 3. The linear index, its coordinates, and any order of the dimensions.

   "Without tiling, an element e = (e_n, ..., e_1) of an array with bounds d = (d_n, ..., d_1), d_1 the most
   minor, lies at linear_index(e, d) = e_n*d_{n-1}*...*d_1 + e_{n-1}*d_{n-2}*...*d_1 + ... + e_1."
   Lists have the most major dimension at their head. *)

Require Import ZArith List Lia Permutation.
Require Import Symlayout.RankLists.
Import ListNotations.
Open Scope Z_scope.

(* -- definitions ------------------------------------------------------------------------------------ *)

Fixpoint linear_index (d e : list Z) : Z :=
  match d, e with
  | _ :: d', x :: e' => x * product d' + linear_index d' e'
  | _, _ => 0
  end.

(* The coordinate of a dimension: floor(x / m) mod its size, m the product of the more minor sizes. *)
Fixpoint coordinates (d : list Z) (x : Z) : list Z :=
  match d with
  | [] => []
  | size :: d' => (x / product d') mod size :: coordinates d' x
  end.

(* minor_to_major lists the dimension numbers, the most minor first. The physical order is its reverse. *)
Definition physical (minor_to_major : list nat) (l : list Z) : list Z := pick (rev minor_to_major) l.
Definition place_of (minor_to_major : list nat) (d e : list Z) : Z :=
  linear_index (physical minor_to_major d) (physical minor_to_major e).
Definition coordinates_of (minor_to_major : list nat) (d : list Z) (x : Z) : list Z :=
  unpick (rev minor_to_major) (coordinates (physical minor_to_major d) x).

(* -- theorem 1 -------------------------------------------------------------------------------------- *)

Theorem linear_index_bounds : forall d e, box d e -> 0 <= linear_index d e < product d.
Proof.
  intros d e H. induction H as [|s x d e Hx H IH].
  - simpl linear_index. rewrite product_nil. lia.
  - simpl linear_index. rewrite product_cons. nia.
Qed.

Lemma coordinates_length : forall d x, length (coordinates d x) = length d.
Proof. induction d as [|s d IH]; intros x; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

(* A multiple of the number of elements changes no coordinate. *)
Lemma coordinates_shift : forall d k x, positive d -> coordinates d (k * product d + x) = coordinates d x.
Proof.
  induction d as [|s d IH]; intros k x H; [reflexivity|].
  apply positive_cons in H. destruct H as [Hs H]. pose proof (product_positive d H) as Hp.
  simpl coordinates. rewrite product_cons. f_equal.
  - replace (k * (s * product d) + x) with (k * s * product d + x) by ring.
    rewrite Z.div_add_l by lia. rewrite Z.add_comm. apply Z_mod_plus_full.
  - replace (k * (s * product d) + x) with (k * s * product d + x) by ring. apply IH. exact H.
Qed.

Theorem coordinates_of_linear_index : forall d e, box d e -> coordinates d (linear_index d e) = e.
Proof.
  intros d e H. induction H as [|s x d e Hx H IH]; [reflexivity|].
  pose proof (linear_index_bounds d e H) as B. simpl coordinates. simpl linear_index. f_equal.
  - destruct (euclid x (linear_index d e) (product d) B) as [E _]. rewrite E.
    apply Z.mod_small. exact Hx.
  - rewrite coordinates_shift; [exact IH | apply (box_positive d e); exact H].
Qed.

Lemma linear_index_of_coordinates_mod : forall d x, positive d ->
  linear_index d (coordinates d x) = x mod product d.
Proof.
  induction d as [|s d IH]; intros x H.
  - simpl. symmetry. apply Z.mod_1_r.
  - apply positive_cons in H. destruct H as [Hs H]. pose proof (product_positive d H) as Hp.
    simpl linear_index. rewrite product_cons, IH by exact H.
    rewrite (Z.mul_comm s). rewrite Z.rem_mul_r by lia. ring.
Qed.

Lemma coordinates_box : forall d x, positive d -> box d (coordinates d x).
Proof.
  induction d as [|s d IH]; intros x H; simpl; [constructor|].
  apply positive_cons in H. destruct H as [Hs H]. apply box_cons. split; [|apply IH; exact H].
  apply Z.mod_pos_bound. exact Hs.
Qed.

Theorem linear_index_of_coordinates : forall d x, nonnegative d -> 0 <= x < product d ->
  box d (coordinates d x) /\ linear_index d (coordinates d x) = x.
Proof.
  intros d x H Hx. assert (P : positive d) by (apply positive_of_product; [exact H | lia]).
  split; [apply coordinates_box; exact P|].
  rewrite linear_index_of_coordinates_mod by exact P. apply Z.mod_small. exact Hx.
Qed.

Theorem linear_index_injective : forall d, injective (box d) (linear_index d).
Proof.
  intros d a b Ha Hb E. rewrite <- (coordinates_of_linear_index d a Ha), E.
  apply coordinates_of_linear_index. exact Hb.
Qed.

Theorem linear_index_bijective : forall d, nonnegative d ->
  bijective (box d) (range (product d)) (linear_index d).
Proof.
  intros d H. split; [|split].
  - intros e B. apply linear_index_bounds. exact B.
  - apply linear_index_injective.
  - intros x Hx. exists (coordinates d x). apply linear_index_of_coordinates; [exact H | exact Hx].
Qed.

(* The recursion L_{k+1} = L_k * d_{k+1} + e_{k+1}, from the most major dimension on. *)
Theorem linear_index_recursion : forall d e s x, length d = length e ->
  linear_index (d ++ [s]) (e ++ [x]) = linear_index d e * s + x.
Proof.
  induction d as [|a d IH]; intros [|y e] s x L; simpl in L; try discriminate.
  - simpl. rewrite product_nil. ring.
  - simpl linear_index. simpl app. simpl linear_index. rewrite IH by lia.
    rewrite product_app, product_cons, product_nil. ring.
Qed.

(* The index is the sum of stride times coordinate; a stride is the product of the more minor sizes. *)
Fixpoint strides (d : list Z) : list Z :=
  match d with
  | [] => []
  | _ :: d' => product d' :: strides d'
  end.

Theorem linear_index_strides : forall d e, linear_index d e = dot (strides d) e.
Proof.
  induction d as [|s d IH]; intros [|x e]; simpl; try reflexivity.
  rewrite dot_cons, IH. ring.
Qed.

Lemma strides_length : forall d, length (strides d) = length d.
Proof. induction d as [|s d IH]; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

(* -- theorem 2 -------------------------------------------------------------------------------------- *)

(* The most major dimension needs no mod. *)
Theorem most_major_coordinate : forall s d x, positive d -> 0 <= x < product (s :: d) ->
  (x / product d) mod s = x / product d.
Proof.
  intros s d x H Hx. rewrite product_cons in Hx. pose proof (product_positive d H) as Hp.
  apply Z.mod_small. split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia].
Qed.

(* Splitting from the minor end: x_n = x, e_k = x_k mod d_k, x_{k-1} = floor(x_k / d_k). *)
Theorem coordinates_recursion : forall d s x, positive d -> 0 < s ->
  coordinates (d ++ [s]) x = coordinates d (x / s) ++ [x mod s].
Proof.
  induction d as [|a d IH]; intros s x H Hs.
  - simpl. rewrite Z.div_1_r. reflexivity.
  - apply positive_cons in H. destruct H as [Ha H]. pose proof (product_positive d H) as Hp.
    simpl app. simpl coordinates. rewrite IH by assumption. f_equal. f_equal.
    rewrite product_app, product_cons, product_nil, Z.mul_1_r.
    rewrite (Z.mul_comm (product d)). symmetry. apply Z.div_div; lia.
Qed.

(* -- lemmas for tiles ------------------------------------------------------------------------------- *)

Lemma linear_index_app : forall d1 d2 e1 e2, length d1 = length e1 ->
  linear_index (d1 ++ d2) (e1 ++ e2) = linear_index d1 e1 * product d2 + linear_index d2 e2.
Proof.
  induction d1 as [|s d1 IH]; intros d2 [|x e1] e2 L; simpl in L; try discriminate.
  - simpl. ring.
  - simpl app. simpl linear_index. rewrite IH by lia. rewrite product_app. ring.
Qed.

Lemma linear_index_zeros : forall k d, linear_index d (repeat 0 k) = 0.
Proof.
  induction k as [|k IH]; intros [|s d]; simpl; try reflexivity. rewrite IH. ring.
Qed.

(* -- theorem 3 -------------------------------------------------------------------------------------- *)

Lemma physical_box : forall p d, permutation (length d) p ->
  bijective (box d) (box (physical p d)) (physical p).
Proof. intros p d P. apply pick_bijective. apply permutation_rev. exact P. Qed.

Lemma physical_product : forall p d, permutation (length d) p -> product (physical p d) = product d.
Proof. intros p d P. apply product_pick. apply permutation_rev. exact P. Qed.

Lemma physical_nonnegative : forall p d, permutation (length d) p -> nonnegative d ->
  nonnegative (physical p d).
Proof.
  intros p d P H. unfold nonnegative in *. rewrite Forall_forall in *. intros x K. apply H.
  apply (Permutation_in _ (pick_permutation _ d (permutation_rev _ p P))). exact K.
Qed.

Lemma physical_positive : forall p d, permutation (length d) p -> positive d -> positive (physical p d).
Proof.
  intros p d P H. unfold positive in *. rewrite Forall_forall in *. intros x K. apply H.
  apply (Permutation_in _ (pick_permutation _ d (permutation_rev _ p P))). exact K.
Qed.

Theorem any_order_bijective : forall p d, permutation (length d) p -> nonnegative d ->
  bijective (box d) (range (product d)) (place_of p d).
Proof.
  intros p d P H. rewrite <- (physical_product p d P).
  apply (bijective_compose _ _ _ (box d) (box (physical p d)) _
    (physical p) (linear_index (physical p d))).
  - apply physical_box. exact P.
  - apply linear_index_bijective. apply physical_nonnegative; assumption.
Qed.

Theorem any_order_coordinates : forall p d e, permutation (length d) p -> box d e ->
  coordinates_of p d (place_of p d e) = e.
Proof.
  intros p d e P B. unfold coordinates_of, place_of.
  destruct (physical_box p d P) as [F _].
  rewrite coordinates_of_linear_index by (apply F; exact B).
  apply (unpick_pick (length d)); [apply permutation_rev; exact P|].
  symmetry. apply box_length. exact B.
Qed.

Theorem any_order_place : forall p d x, permutation (length d) p -> nonnegative d -> 0 <= x < product d ->
  box d (coordinates_of p d x) /\ place_of p d (coordinates_of p d x) = x.
Proof.
  intros p d x P H Hx. rewrite <- (physical_product p d P) in Hx.
  destruct (linear_index_of_coordinates _ x (physical_nonnegative p d P H) Hx) as [B E].
  split.
  - apply box_unpick; [apply permutation_rev; exact P | exact B].
  - unfold place_of, coordinates_of, physical in *.
    rewrite (pick_unpick (length d)); [exact E | apply permutation_rev; exact P |].
    apply box_length in B. rewrite <- B, pick_length. apply permutation_length.
    apply permutation_rev. exact P.
Qed.

(* The coordinate of the dimension that is number j in physical order, of m elements in the more minor ones,
   is floor(x / m) mod its size. *)
Lemma coordinates_nth : forall d x j, (j < length d)%nat ->
  nth j (coordinates d x) 0 = (x / product (skipn (S j) d)) mod nth j d 0.
Proof.
  induction d as [|s d IH]; intros x j H; simpl in H; [lia|].
  destruct j as [|j]; [reflexivity|]. apply (IH x j). lia.
Qed.

Theorem any_order_formula : forall p d x j, permutation (length d) p -> (j < length d)%nat ->
  nth (nth j (rev p) 0%nat) (coordinates_of p d x) 0
  = (x / product (skipn (S j) (physical p d))) mod nth j (physical p d) 0.
Proof.
  intros p d x j P H. pose proof (permutation_rev _ p P) as Q.
  pose proof (permutation_length _ _ Q) as L. unfold coordinates_of.
  rewrite unpick_nth.
  - rewrite place_nth; [|apply (permutation_NoDup (length d)); exact Q | lia].
    apply coordinates_nth. unfold physical. rewrite pick_length, L. exact H.
  - rewrite L. apply (permutation_in (length d) (rev p)); [exact Q|]. apply nth_In. lia.
Qed.

(* The default order {n-1,...,1,0} is theorem 1. *)
Theorem default_order : forall d e, length d = length e ->
  place_of (rev (seq 0 (length d))) d e = linear_index d e.
Proof.
  intros d e L. unfold place_of, physical. rewrite rev_involutive, pick_seq. rewrite L, pick_seq.
  reflexivity.
Qed.

(* Legacy padding: "the array is laid out as if it had the padded sizes", each at least the size. *)
Theorem padded_dimensions : forall p d widths, permutation (length d) p -> Forall2 Z.le d widths ->
  injective (box d) (place_of p widths) /\
  maps_into (box d) (range (product widths)) (place_of p widths).
Proof.
  intros p d widths P W.
  assert (L : length d = length widths).
  { clear P. induction W as [|a b d w H W IH]; simpl; [reflexivity | rewrite IH; reflexivity]. }
  assert (I : forall e, box d e -> box widths e).
  { clear P L. induction W as [|a b d w H W IH]; intros e B; [exact B|].
    apply box_cons_l in B. destruct B as [x [e' [E [Hx B]]]]. subst.
    apply box_cons. split; [lia | apply IH; exact B]. }
  rewrite L in P. split.
  - intros a b Ha Hb E. destruct (physical_box p widths P) as [_ [J _]]. apply J; auto.
    apply (linear_index_injective (physical p widths)); [| |exact E];
      apply physical_box; auto.
  - intros e B. unfold range, place_of. rewrite <- (physical_product p widths P).
    apply linear_index_bounds. apply physical_box; auto.
Qed.
