(* Theorems 6 and 7. Combined dimensions, repeated tiles, and the whole of an XLA layout.
   The definitions are in RankTiles.v. *)

Require Import ZArith List Lia Permutation.
Require Import Symlayout.RankLists Symlayout.RankIndex Symlayout.RankTiles.
Import ListNotations.
Open Scope Z_scope.

(* -- theorem 7: combined dimensions ----------------------------------------------------------------- *)

Theorem combined_index : forall t d e, length d = length e ->
  linear_index (combined_shape t d) (combined t d e) = linear_index d e.
Proof.
  induction t as [|[s|] t IH]; intros d e L; [reflexivity | |].
  - destruct d as [|a d], e as [|p e]; simpl in L; try discriminate; [reflexivity|].
    simpl. rewrite IH by lia. f_equal. f_equal.
    clear. revert d. induction t as [|[s|] t IH]; intros d; [reflexivity | |].
    + destruct d as [|a d]; [reflexivity|]. simpl. rewrite !product_cons, IH. reflexivity.
    + destruct d as [|a [|b d]]; [reflexivity | reflexivity |]. simpl. rewrite IH, !product_cons. ring.
  - destruct d as [|a [|b d]], e as [|p [|q e]]; simpl in L; try discriminate; try reflexivity.
    simpl combined_shape. simpl combined. rewrite IH by (simpl; lia). simpl linear_index.
    rewrite !product_cons. ring.
Qed.

Theorem combined_elements : forall t d, product (combined_shape t d) = product d.
Proof.
  induction t as [|[s|] t IH]; intros d; [reflexivity | |].
  - destruct d as [|a d]; [reflexivity|]. simpl. rewrite !product_cons, IH. reflexivity.
  - destruct d as [|a [|b d]]; [reflexivity | reflexivity |]. simpl. rewrite IH, !product_cons. ring.
Qed.

Lemma combined_into : forall t d, maps_into (box d) (box (combined_shape t d)) (combined t d).
Proof.
  induction t as [|[s|] t IH]; intros d e B; [exact B | |].
  - destruct d as [|a d].
    + apply box_nil_l in B. subst. constructor.
    + apply box_cons_l in B. destruct B as [x [e' [E [Hx B]]]]. subst. simpl.
      apply box_cons. split; [exact Hx | apply IH; exact B].
  - destruct d as [|a [|b d]].
    + apply box_nil_l in B. subst. constructor.
    + apply box_cons_l in B. destruct B as [x [e' [E [Hx B]]]]. apply box_nil_l in B. subst. simpl.
      apply box_cons. split; [exact Hx | constructor].
    + apply box_cons_l in B. destruct B as [x [e1 [E1 [Hx B]]]].
      apply box_cons_l in B. destruct B as [y [e2 [E2 [Hy B]]]]. subst. simpl.
      apply IH. apply box_cons. split; [nia | exact B].
Qed.

(* The merged coordinates are a bijection of those of the array. *)
Theorem combined_bijective : forall t d, nonnegative d ->
  bijective (box d) (box (combined_shape t d)) (combined t d).
Proof.
  intros t d H. split; [|split].
  - apply combined_into.
  - intros a b Ha Hb E. apply (linear_index_injective d); [exact Ha | exact Hb |].
    rewrite <- (combined_index t d a), <- (combined_index t d b) by (apply box_length; assumption).
    rewrite E. reflexivity.
  - intros y B. exists (coordinates d (linear_index (combined_shape t d) y)).
    pose proof (linear_index_bounds _ y B) as R. rewrite combined_elements in R.
    destruct (linear_index_of_coordinates d _ H R) as [C E].
    split; [exact C|]. apply (linear_index_injective (combined_shape t d)).
    + apply combined_into. exact C.
    + exact B.
    + rewrite combined_index by (apply box_length; exact C). exact E.
Qed.

(* Merging two neighbours anywhere: dimensions k and k+1 become one. Several merges may be done in any
   order: two sequences that end with the same shape take each element to the same coordinates. *)
Fixpoint merge_shape (k : nat) (d : list Z) : list Z :=
  match k, d with
  | O, a :: b :: d' => a * b :: d'
  | S k', a :: d' => a :: merge_shape k' d'
  | _, _ => d
  end.
Fixpoint merge (k : nat) (d e : list Z) : list Z :=
  match k, d, e with
  | O, a :: b :: d', p :: q :: e' => p * b + q :: e'
  | S k', a :: d', p :: e' => p :: merge k' d' e'
  | _, _, _ => e
  end.
Fixpoint merges_shape (ks : list nat) (d : list Z) : list Z :=
  match ks with
  | [] => d
  | k :: ks' => merges_shape ks' (merge_shape k d)
  end.
Fixpoint merges (ks : list nat) (d e : list Z) : list Z :=
  match ks with
  | [] => e
  | k :: ks' => merges ks' (merge_shape k d) (merge k d e)
  end.

Lemma merge_keeps : forall k d e, box d e ->
  box (merge_shape k d) (merge k d e) /\
  linear_index (merge_shape k d) (merge k d e) = linear_index d e.
Proof.
  induction k as [|k IH]; intros d e B.
  - destruct d as [|a [|b d]].
    + apply box_nil_l in B. subst. split; [constructor | reflexivity].
    + apply box_cons_l in B. destruct B as [x [e' [E [Hx B]]]]. apply box_nil_l in B. subst. simpl.
      split; [|reflexivity]. apply box_cons. split; [exact Hx | constructor].
    + apply box_cons_l in B. destruct B as [x [e1 [E1 [Hx B]]]].
      apply box_cons_l in B. destruct B as [y [e2 [E2 [Hy B]]]]. subst. simpl. split.
      * apply box_cons. split; [nia | exact B].
      * rewrite product_cons. ring.
  - destruct d as [|a d].
    + apply box_nil_l in B. subst. split; [constructor | reflexivity].
    + apply box_cons_l in B. destruct B as [x [e' [E [Hx B]]]]. subst.
      destruct (IH d e' B) as [I1 I2]. simpl. split.
      * apply box_cons. split; assumption.
      * rewrite I2. f_equal. f_equal. clear. revert d.
        induction k as [|k IH]; intros d.
        -- destruct d as [|a [|b d]]; [reflexivity | reflexivity |]. simpl. rewrite !product_cons. ring.
        -- destruct d as [|a d]; [reflexivity|]. simpl. rewrite !product_cons, IH. reflexivity.
Qed.

Lemma merges_keep : forall ks d e, box d e ->
  box (merges_shape ks d) (merges ks d e) /\
  linear_index (merges_shape ks d) (merges ks d e) = linear_index d e.
Proof.
  induction ks as [|k ks IH]; intros d e B; simpl.
  - split; [exact B | reflexivity].
  - destruct (merge_keeps k d e B) as [M1 M2]. destruct (IH _ _ M1) as [I1 I2].
    split; [exact I1 | congruence].
Qed.

Theorem merges_in_any_order : forall ks js d e, box d e -> merges_shape ks d = merges_shape js d ->
  merges ks d e = merges js d e.
Proof.
  intros ks js d e B E. destruct (merges_keep ks d e B) as [K1 K2].
  destruct (merges_keep js d e B) as [J1 J2]. rewrite E in K1, K2.
  apply (linear_index_injective (merges_shape js d)); [exact K1 | exact J1 | congruence].
Qed.

Theorem combined_is_merges : forall ks t d e, box d e -> combined_shape t d = merges_shape ks d ->
  combined t d e = merges ks d e.
Proof.
  intros ks t d e B E. pose proof (combined_into t d e B) as C.
  pose proof (combined_index t d e (box_length d e B)) as I.
  destruct (merges_keep ks d e B) as [K1 K2]. rewrite E in C, I.
  apply (linear_index_injective (merges_shape ks d)); [exact C | exact K1 | congruence].
Qed.

Lemma combined_without_star : forall t d e, combined_shape (map Size t) d = d /\ combined (map Size t) d e = e.
Proof.
  induction t as [|s t IH]; intros d e; [split; reflexivity|]. split.
  - destruct d as [|a d]; [reflexivity|]. simpl. destruct (IH d []) as [I1 _]. rewrite I1. reflexivity.
  - destruct d as [|a d], e as [|p e]; try reflexivity. simpl. destruct (IH d e) as [_ I2].
    rewrite I2. reflexivity.
Qed.

Lemma sizes_without_star : forall t, sizes (map Size t) = t.
Proof. induction t as [|s t IH]; [reflexivity|]. simpl. rewrite IH. reflexivity. Qed.

(* -- one level -------------------------------------------------------------------------------------- *)

Lemma tile_positive : forall t, tile t -> positive (sizes t).
Proof.
  induction t as [|[s|] t IH]; intros H; simpl in *.
  - constructor.
  - apply positive_cons. split; [apply H | apply IH; apply H].
  - apply IH. destruct t; [contradiction | exact H].
Qed.

Lemma combined_length : forall t d, tile t -> length t = length d ->
  length (combined_shape t d) = length (sizes t).
Proof.
  induction t as [|[s|] t IH]; intros d H L; simpl in L.
  - destruct d; [reflexivity | discriminate].
  - destruct d as [|a d]; [discriminate|]. simpl. f_equal. apply IH; [apply H | simpl in L; lia].
  - destruct t as [|x t]; [contradiction|].
    destruct d as [|a [|b d]]; simpl in L; try discriminate.
    change (combined_shape (Star :: x :: t) (a :: b :: d)) with (combined_shape (x :: t) (a * b :: d)).
    change (sizes (Star :: x :: t)) with (sizes (x :: t)). apply IH; [exact H | simpl; lia].
Qed.

Lemma combined_positive : forall t d, positive d -> positive (combined_shape t d).
Proof.
  induction t as [|[s|] t IH]; intros d P; [exact P | |].
  - destruct d as [|a d]; [exact P|]. apply positive_cons in P. simpl. apply positive_cons.
    split; [apply P | apply IH; apply P].
  - destruct d as [|a [|b d]]; [exact P | exact P |]. simpl. apply IH.
    apply positive_cons in P. destruct P as [Ha P]. apply positive_cons in P. destruct P as [Hb P].
    apply positive_cons. split; [nia | exact P].
Qed.

Lemma leading_bijective : forall (t : list entry) d,
  bijective (box d) (box (leading 1 t d)) (leading 0 t).
Proof.
  intros t d. unfold leading. set (k := (length t - length d)%nat). split; [|split].
  - intros e B. rewrite <- (box_length d e B). fold k. apply box_app; [|exact B].
    clear. induction k as [|k IH]; simpl; constructor; [lia | exact IH].
  - intros a b Ha Hb E. rewrite <- (box_length d a Ha), <- (box_length d b Hb) in E.
    apply app_inv_head in E. exact E.
  - intros y B. apply box_app_l in B. destruct B as [e1 [e2 [E [B1 B2]]]]. exists e2.
    split; [exact B2|]. rewrite <- (box_length d e2 B2). fold k. subst y. f_equal.
    clear - B1. revert e1 B1. induction k as [|k IH]; intros e1 B1; simpl in *.
    + apply box_nil_l in B1. congruence.
    + apply box_cons_l in B1. destruct B1 as [x [e' [E [Hx B1]]]]. subst.
      rewrite <- (IH e' B1). f_equal. lia.
Qed.

Lemma leading_length : forall (t : list entry) x l, (length t <= length (leading x t l))%nat.
Proof. intros. unfold leading. rewrite app_length, repeat_length. lia. Qed.

Lemma suffix_into : forall d1 d2 m g, maps_into (box d2) (box m) g ->
  maps_into (box (d1 ++ d2)) (box (d1 ++ m)) (on_suffix (length d1) g).
Proof.
  intros d1 d2 m g G e B. apply box_app_l in B. destruct B as [e1 [e2 [E [B1 B2]]]]. subst.
  rewrite (box_length d1 e1 B1), on_suffix_app. apply box_app; [exact B1 | apply G; exact B2].
Qed.

Lemma suffix_injective : forall d1 d2 g, injective (box d2) g ->
  injective (box (d1 ++ d2)) (on_suffix (length d1) g).
Proof.
  intros d1 d2 g G a b Ha Hb E.
  apply box_app_l in Ha. destruct Ha as [a1 [a2 [Ea [A1 A2]]]].
  apply box_app_l in Hb. destruct Hb as [b1 [b2 [Eb [B1 B2]]]]. subst.
  rewrite (box_length d1 a1 A1), on_suffix_app in E.
  rewrite <- (box_length d1 a1 A1), (box_length d1 b1 B1), on_suffix_app in E.
  pose proof (box_length d1 a1 A1) as L1. pose proof (box_length d1 b1 B1) as L2.
  apply app_inj in E; [|congruence]. destruct E as [E1 E2]. f_equal; [exact E1 | apply G; assumption].
Qed.

Lemma suffix_onto : forall d1 d2 m g, positive d1 ->
  (onto (box (d1 ++ d2)) (box (d1 ++ m)) (on_suffix (length d1) g) <-> onto (box d2) (box m) g).
Proof.
  intros d1 d2 m g P. split.
  - intros O y B.
    assert (Z1 : box d1 (repeat 0 (length d1))).
    { clear - P. induction P as [|a d Ha P IH]; simpl; constructor; [lia | exact IH]. }
    destruct (O (repeat 0 (length d1) ++ y)) as [e [Be E]]; [apply box_app; assumption|].
    apply box_app_l in Be. destruct Be as [e1 [e2 [Ee [B1 B2]]]]. subst.
    rewrite (box_length d1 e1 B1), on_suffix_app in E. exists e2. split; [exact B2|].
    apply app_inj in E; [apply E | rewrite repeat_length; reflexivity].
  - intros O y B. apply box_app_l in B. destruct B as [y1 [y2 [E [B1 B2]]]]. subst.
    destruct (O y2 B2) as [e2 [Be E]]. exists (y1 ++ e2). split; [apply box_app; assumption|].
    rewrite (box_length d1 y1 B1), on_suffix_app, E. reflexivity.
Qed.

Lemma onto_compose_iff : forall (A B C : Type) (P : A -> Prop) (Q : B -> Prop) (R : C -> Prop)
  (f : A -> B) (g : B -> C), maps_into P Q f -> onto P Q f ->
  (onto P R (fun a => g (f a)) <-> onto Q R g).
Proof.
  intros A B C P Q R f g I O. split.
  - intros H c Hc. destruct (H c Hc) as [a [Ha E]]. exists (f a). split; [apply I; exact Ha | exact E].
  - intros H c Hc. destruct (H c Hc) as [b [Hb E]]. destruct (O b Hb) as [a [Ha Ea]].
    exists a. split; [exact Ha | congruence].
Qed.

Lemma leading_positive : forall (t : list entry) d, positive d -> positive (leading 1 t d).
Proof.
  intros t d P. unfold leading. apply positive_app. split; [|exact P].
  induction (length t - length d)%nat as [|k IH]; simpl; constructor; [lia | exact IH].
Qed.

(* The dimensions before the tile, and those that it covers. *)
Lemma level_parts : forall (t : list entry) d, exists d1 d2,
  leading 1 t d = d1 ++ d2 /\ length t = length d2 /\
  (length (leading 1 t d) - length t)%nat = length d1 /\
  skipn (length (leading 1 t d) - length t) (leading 1 t d) = d2.
Proof.
  intros t d. pose proof (leading_length t 1 d) as L.
  set (l := leading 1 t d) in *. set (k := (length l - length t)%nat).
  exists (firstn k l), (skipn k l). rewrite firstn_skipn, skipn_length, firstn_length.
  repeat split; unfold k; lia.
Qed.

Lemma combined_split_into : forall t d, tile t -> length t = length d ->
  maps_into (box d) (box (split_shape (sizes t) (combined_shape t d)))
    (fun x => split (sizes t) (combined t d x)).
Proof.
  intros t d T L e B. apply split_into.
  - apply tile_positive. exact T.
  - symmetry. apply combined_length; assumption.
  - apply combined_into. exact B.
Qed.

Lemma combined_split_injective : forall t d, tile t -> length t = length d ->
  injective (box d) (fun x => split (sizes t) (combined t d x)).
Proof.
  intros t d T L a b Ha Hb. assert (H : nonnegative d).
  { apply positive_nonnegative. apply (box_positive d a). exact Ha. }
  destruct (combined_bijective t d H) as [C1 [C2 _]].
  apply (injective_compose _ _ _ (box d) (box (combined_shape t d)) (combined t d) (split (sizes t)));
    try assumption.
  apply split_injective.
  - apply tile_positive. exact T.
  - symmetry. apply combined_length; assumption.
Qed.

Lemma combined_split_onto : forall t d, tile t -> length t = length d -> positive d ->
  (onto (box d) (box (split_shape (sizes t) (combined_shape t d)))
    (fun x => split (sizes t) (combined t d x))
   <-> Forall2 Z.divide (sizes t) (combined_shape t d)).
Proof.
  intros t d T L P.
  destruct (combined_bijective t d (positive_nonnegative d P)) as [C1 [_ C3]].
  rewrite (onto_compose_iff _ _ _ (box d) (box (combined_shape t d)) _ (combined t d) (split (sizes t)) C1 C3).
  apply split_onto.
  - apply tile_positive. exact T.
  - apply combined_positive. exact P.
  - symmetry. apply combined_length; assumption.
Qed.

Theorem level_into : forall t d, tile t -> maps_into (box d) (box (level_shape t d)) (level t d).
Proof.
  intros t d T e B. destruct (level_parts t d) as [d1 [d2 [E [L [K S]]]]].
  destruct (leading_bijective t d) as [F1 _]. specialize (F1 e B). unfold level_shape, level.
  rewrite S, K. rewrite E in *. rewrite on_suffix_app.
  exact (suffix_into d1 d2 _ _ (combined_split_into t d2 T L) (leading 0 t e) F1).
Qed.

Theorem level_injective : forall t d, tile t -> injective (box d) (level t d).
Proof.
  intros t d T. destruct (level_parts t d) as [d1 [d2 [E [L [K S]]]]].
  destruct (leading_bijective t d) as [F1 [F2 _]]. unfold level. rewrite S, K. rewrite E in *.
  apply (injective_compose _ _ _ (box d) (box (d1 ++ d2)) (leading 0 t)
    (on_suffix (length d1) (fun x => split (sizes t) (combined t d2 x)))); [exact F1 | exact F2 |].
  apply suffix_injective. apply combined_split_injective; assumption.
Qed.

Theorem level_onto : forall t d, tile t -> positive d ->
  (onto (box d) (box (level_shape t d)) (level t d) <-> level_divides t d).
Proof.
  intros t d T P. destruct (level_parts t d) as [d1 [d2 [E [L [K S]]]]].
  destruct (leading_bijective t d) as [F1 [_ F3]]. pose proof (leading_positive t d P) as Q.
  unfold level, level_shape, level_divides. rewrite S, K. rewrite E in *.
  apply positive_app in Q. destruct Q as [Q1 Q2].
  rewrite (onto_compose_iff _ _ _ (box d) (box (d1 ++ d2)) _ (leading 0 t)
    (on_suffix (length d1) (fun x => split (sizes t) (combined t d2 x))) F1 F3).
  rewrite on_suffix_app. rewrite suffix_onto by exact Q1.
  apply combined_split_onto; assumption.
Qed.

Lemma counts_positive : forall t d, positive t -> positive d -> positive (counts t d).
Proof.
  induction t as [|s t IH]; intros [|a d] P Q; simpl; try constructor.
  - apply positive_cons in P, Q. destruct P as [Hs P], Q as [Ha Q]. apply ceildiv_positive; assumption.
  - apply positive_cons in P, Q. apply IH; [apply P | apply Q].
Qed.

Lemma level_positive : forall t d, tile t -> positive d -> positive (level_shape t d).
Proof.
  intros t d T P. destruct (level_parts t d) as [d1 [d2 [E [L [K S]]]]].
  pose proof (leading_positive t d P) as Q. unfold level_shape. rewrite K. rewrite E in *.
  rewrite on_suffix_app. apply positive_app in Q. destruct Q as [Q1 Q2].
  pose proof (tile_positive t T) as TP.
  apply positive_app. split; [exact Q1|]. apply positive_app. split; [|exact TP].
  apply counts_positive; [exact TP | apply combined_positive; exact Q2].
Qed.

(* A level is the pad, the reshape and the transpose of theorem 5 on the combined array. *)
Theorem level_is_pad_reshape_transpose : forall t d1 d2 e1 e2, tile t -> length t = length d2 ->
  box d1 e1 -> box d2 e2 ->
  let m := combined_shape t d2 in let x := combined t d2 e2 in
  level_shape t (d1 ++ d2) = pad_reshape_transpose_shape (length d1) (sizes t) (d1 ++ m) /\
  level t (d1 ++ d2) (e1 ++ e2) = pad_reshape_transpose (length d1) (sizes t) (d1 ++ m) (e1 ++ x).
Proof.
  intros t d1 d2 e1 e2 T L B1 B2 m x.
  pose proof (box_length d1 e1 B1) as L1. pose proof (box_length d2 e2 B2) as L2.
  destruct (pad_reshape_transpose_is_tile d1 m (sizes t) e1 x) as [E1 E2].
  - apply tile_positive. exact T.
  - symmetry. apply combined_length; assumption.
  - exact B1.
  - apply combined_into. exact B2.
  - rewrite E1, E2. unfold level_shape, level, leading.
    assert (N : forall l : list Z, length l = length (d1 ++ d2) -> (length t - length l)%nat = 0%nat).
    { intros l Hl. rewrite Hl, app_length. lia. }
    rewrite N by reflexivity. rewrite N by (rewrite !app_length; congruence).
    simpl repeat. rewrite !app_nil_l.
    replace (length (d1 ++ d2) - length t)%nat with (length d1) by (rewrite app_length; lia).
    split; [rewrite on_suffix_app; reflexivity|].
    assert (Sk : skipn (length d1) (d1 ++ d2) = d2).
    { rewrite skipn_app, Nat.sub_diag, skipn_all, skipn_O. reflexivity. }
    rewrite Sk, L1, on_suffix_app. reflexivity.
Qed.

(* -- theorem 6: repeated tiles ---------------------------------------------------------------------- *)

Theorem tiled_into : forall tiles d, Forall tile tiles ->
  maps_into (box d) (box (tiled_shape tiles d)) (tiled tiles d).
Proof.
  intros tiles d T. revert d. induction T as [|t ts Ht T IH]; intros d e B; simpl; [exact B|].
  apply IH. apply level_into; assumption.
Qed.

Theorem tiled_injective : forall tiles d, Forall tile tiles -> injective (box d) (tiled tiles d).
Proof.
  intros tiles d T. revert d. induction T as [|t ts Ht T IH]; intros d; simpl.
  - intros a b _ _ E. exact E.
  - apply (injective_compose _ _ _ (box d) (box (level_shape t d)) (level t d) (tiled ts (level_shape t d))).
    + apply level_into. exact Ht.
    + apply level_injective. exact Ht.
    + apply IH.
Qed.

Theorem tiled_onto : forall tiles d, Forall tile tiles -> positive d ->
  (onto (box d) (box (tiled_shape tiles d)) (tiled tiles d) <-> tiles_divide tiles d).
Proof.
  intros tiles d T. revert d. induction T as [|t ts Ht T IH]; intros d P; simpl.
  - split; [constructor|]. intros _ y B. exists y. split; [exact B | reflexivity].
  - pose proof (level_positive t d Ht P) as Q. pose proof (level_into t d Ht) as I.
    rewrite <- (level_onto t d Ht P), <- (IH _ Q). split.
    + intros O.
      assert (O2 : onto (box (level_shape t d)) (box (tiled_shape ts (level_shape t d)))
                     (tiled ts (level_shape t d))).
      { intros y B. destruct (O y B) as [e [Be E]]. exists (level t d e).
        split; [apply I; exact Be | exact E]. }
      split; [|exact O2]. intros y B.
      destruct (O (tiled ts (level_shape t d) y)) as [e [Be E]]; [apply tiled_into; assumption|].
      exists e. split; [exact Be|].
      apply (tiled_injective ts (level_shape t d) T); [apply I; exact Be | exact B | exact E].
    + intros [O1 O2]. apply (onto_compose_iff _ _ _ (box d) (box (level_shape t d)) _ (level t d)); auto.
Qed.

Lemma tiled_positive : forall tiles d, Forall tile tiles -> positive d -> positive (tiled_shape tiles d).
Proof.
  intros tiles d T. revert d. induction T as [|t ts Ht T IH]; intros d P; simpl; [exact P|].
  apply IH. apply level_positive; assumption.
Qed.

(* -- the whole of an XLA layout: any rank, any order, any tiles -------------------------------------- *)

Theorem xla_bounds : forall p tiles d e, permutation (length d) p -> Forall tile tiles -> box d e ->
  0 <= xla_offset p tiles d e < xla_places p tiles d.
Proof.
  intros p tiles d e P T B. apply linear_index_bounds. apply tiled_into; [exact T|].
  destruct (physical_box p d P) as [F _]. apply F. exact B.
Qed.

Theorem xla_injective : forall p tiles d, permutation (length d) p -> Forall tile tiles ->
  injective (box d) (xla_offset p tiles d).
Proof.
  intros p tiles d P T. destruct (physical_box p d P) as [F1 [F2 _]].
  apply (injective_compose _ _ _ (box d) (box (physical p d)) (physical p)
    (fun x => linear_index (tiled_shape tiles (physical p d)) (tiled tiles (physical p d) x)));
    [exact F1 | exact F2 |].
  apply (injective_compose _ _ _ (box (physical p d)) (box (tiled_shape tiles (physical p d)))
    (tiled tiles (physical p d))).
  - apply tiled_into. exact T.
  - apply tiled_injective. exact T.
  - apply linear_index_injective.
Qed.

Theorem xla_bijective_iff : forall p tiles d, permutation (length d) p -> Forall tile tiles -> positive d ->
  (bijective (box d) (range (xla_places p tiles d)) (xla_offset p tiles d)
   <-> tiles_divide tiles (physical p d)).
Proof.
  intros p tiles d P T Q. pose proof (physical_positive p d P Q) as Q'.
  rewrite <- (tiled_onto tiles (physical p d) T Q').
  destruct (physical_box p d P) as [F1 [F2 F3]]. set (d' := physical p d) in *.
  pose proof (tiled_positive tiles d' T Q') as TP.
  split.
  - intros [_ [_ O]] y B. destruct (O (linear_index (tiled_shape tiles d') y)) as [e [Be E]].
    + apply linear_index_bounds. exact B.
    + exists (physical p e). split; [apply F1; exact Be|].
      apply (linear_index_injective (tiled_shape tiles d')); [|exact B | exact E].
      apply tiled_into; [exact T | apply F1; exact Be].
  - intros O. split; [|split].
    + intros e B. apply xla_bounds; assumption.
    + apply xla_injective; assumption.
    + intros x Hx.
      destruct (linear_index_of_coordinates _ x (positive_nonnegative _ TP) Hx) as [B E].
      destruct (O _ B) as [y [By Ey]]. destruct (F3 y By) as [e [Be Ee]]. exists e.
      split; [exact Be|]. unfold xla_offset. fold d'. rewrite Ee, Ey. exact E.
Qed.

(* Without tiles it is theorem 3, and a star-free tile combines nothing. *)
Theorem xla_without_tiles : forall p d e, xla_offset p [] d e = place_of p d e.
Proof. reflexivity. Qed.

(* A tile over the counts of a tile is a tile over the array. *)
Theorem tile_over_counts : forall a b x d, 0 < a -> 0 < b ->
  (x / a) / b = x / (a * b) /\ (x / a) mod b = (x mod (a * b)) / a /\
  ceildiv (ceildiv d a) b = ceildiv d (a * b).
Proof.
  intros a b x d Ha Hb. split; [|split].
  - apply Z.div_div; lia.
  - rewrite Z.rem_mul_r by lia.
    replace (x mod a + a * ((x / a) mod b)) with ((x / a) mod b * a + x mod a) by ring.
    destruct (euclid ((x / a) mod b) (x mod a) a (Z.mod_pos_bound x a Ha)) as [E _]. symmetry. exact E.
  - unfold ceildiv. rewrite <- Z.div_div by lia.
    replace (d + a * b - 1) with ((b - 1) * a + (d + a - 1)) by ring.
    rewrite Z.div_add_l by lia. f_equal. ring.
Qed.
