(* Theorem 12. Digits that do not carry, and digits that leave no gap.

   Digits c_1, ..., c_n with 0 <= c_k < n_k and strides w_k >= 0.
     X_0 = 0    X_{k+1} = X_k + w_{k+1} * c_{k+1}            the offset: dot w c
     E_0 = 1    E_{k+1} = E_k + w_{k+1} * (n_{k+1} - 1)      one more than the largest offset: extent n w
   Lists have the digit that is added first at their head. *)

Require Import ZArith List Lia Permutation.
Require Import Symlayout.RankLists.
Import ListNotations.
Open Scope Z_scope.

(* One more than the largest offset. *)
Definition extent (n w : list Z) : Z := 1 + dot w (map (fun s => s - 1) n).

(* A relation between E_k and w_{k+1} at every step, from E on. *)
Fixpoint every_step (R : Z -> Z -> Prop) (E : Z) (n w : list Z) : Prop :=
  match n, w with
  | s :: n', a :: w' => R E a /\ every_step R (E + a * (s - 1)) n' w'
  | _, _ => True
  end.
Definition no_carries (n w : list Z) : Prop := every_step (fun E a => a >= E) 1 n w.
Definition no_gaps (n w : list Z) : Prop := every_step (fun E a => a <= E) 1 n w.
Definition exact (n w : list Z) : Prop := every_step (fun E a => a = E) 1 n w.

(* E_{k+1} = E_k + w_{k+1} * (n_{k+1} - 1), the recursion of every_step. *)
Theorem extent_recursion : forall n w s a, length w = length n ->
  extent (n ++ [s]) (w ++ [a]) = extent n w + a * (s - 1).
Proof.
  intros n w s a L. unfold extent. rewrite map_app, dot_app by (rewrite map_length; exact L).
  simpl map. rewrite dot_cons, dot_nil_l. ring.
Qed.

(* -- inside ----------------------------------------------------------------------------------------- *)

Theorem offset_bounds : forall n w c, nonnegative w -> box n c -> 0 <= dot w c < extent n w.
Proof.
  intros n w c Hw H. unfold extent. revert w Hw.
  induction H as [|s x n c Hx H IH]; intros w Hw.
  - rewrite dot_nil_r. simpl map. rewrite dot_nil_r. lia.
  - destruct w as [|a w].
    + rewrite !dot_nil_l. lia.
    + apply nonnegative_cons in Hw. destruct Hw as [Ha Hw]. specialize (IH w Hw).
      simpl map. rewrite !dot_cons. nia.
Qed.

(* -- no carries ------------------------------------------------------------------------------------- *)

(* One step: a number r of [0, E) and digits without carries above E come back from their sum. *)
Lemma no_carries_from : forall n w c c' E r r', length w = length n -> nonnegative w ->
  every_step (fun E a => a >= E) E n w -> box n c -> box n c' -> 0 <= r < E -> 0 <= r' < E ->
  r + dot w c = r' + dot w c' -> r = r' /\ c = c'.
Proof.
  induction n as [|s n IH]; intros w c c' E r r' L Hw S B B' Hr Hr' H.
  - apply box_nil_l in B, B'. subst. rewrite !dot_nil_r in H. split; [lia | reflexivity].
  - destruct w as [|a w]; [discriminate|]. apply nonnegative_cons in Hw. destruct Hw as [Ha Hw].
    apply box_cons_l in B. destruct B as [x [d [E1 [Hx B]]]].
    apply box_cons_l in B'. destruct B' as [x' [d' [E2 [Hx' B']]]]. subst.
    simpl in S. destruct S as [S1 S2]. rewrite !dot_cons in H.
    destruct (IH w d d' (E + a * (s - 1)) (r + a * x) (r' + a * x')) as [I1 I2].
    + simpl in L. lia.
    + exact Hw.
    + exact S2.
    + exact B.
    + exact B'.
    + nia.
    + nia.
    + lia.
    + destruct (euclid_unique x r x' r' a) as [J1 J2]; [lia | lia | lia |]. subst. auto.
Qed.

Theorem no_carries_injective : forall n w, length w = length n -> nonnegative w -> no_carries n w ->
  injective (box n) (dot w).
Proof.
  intros n w L Hw S c c' B B' H.
  apply (no_carries_from n w c c' 1 0 0); auto; lia.
Qed.

(* -- no gaps ---------------------------------------------------------------------------------------- *)

Lemma no_gaps_from : forall n w E x, length w = length n -> nonnegative w -> positive n -> 0 < E ->
  every_step (fun E a => a <= E) E n w ->
  0 <= x < E + dot w (map (fun s => s - 1) n) ->
  exists r c, 0 <= r < E /\ box n c /\ r + dot w c = x.
Proof.
  induction n as [|s n IH]; intros w E x L Hw Hn HE S H.
  - simpl map in H. rewrite dot_nil_r in H. exists x, []. rewrite dot_nil_r.
    repeat split; try lia. constructor.
  - destruct w as [|a w]; [discriminate|]. apply nonnegative_cons in Hw. destruct Hw as [Ha Hw].
    apply positive_cons in Hn. destruct Hn as [Hs Hn]. simpl in S. destruct S as [S1 S2].
    simpl map in H. rewrite dot_cons in H.
    destruct (IH w (E + a * (s - 1)) x) as [r [c [Hr [B Ex]]]].
    + simpl in L. lia.
    + exact Hw.
    + exact Hn.
    + nia.
    + exact S2.
    + lia.
    + (* below a*s the digit is r/a; from there on it is the last one *)
      destruct (Z_lt_ge_dec r (a * s)) as [C|C].
      * assert (a > 0) as Pa by nia.
        pose proof (Z.div_mod r a ltac:(lia)) as D. pose proof (Z.mod_pos_bound r a ltac:(lia)) as M.
        exists (r mod a), (r / a :: c). split; [lia|]. split.
        -- apply box_cons. split; [|exact B]. split.
           ++ apply Z.div_pos; lia.
           ++ apply Z.div_lt_upper_bound; lia.
        -- rewrite dot_cons. lia.
      * exists (r - a * (s - 1)), (s - 1 :: c). split; [lia|]. split.
        -- apply box_cons. split; [lia | exact B].
        -- rewrite dot_cons. lia.
Qed.

Theorem no_gaps_onto : forall n w, length w = length n -> nonnegative w -> positive n -> no_gaps n w ->
  onto (box n) (range (extent n w)) (dot w).
Proof.
  intros n w L Hw Hn S x H.
  destruct (no_gaps_from n w 1 x L Hw Hn ltac:(lia) S H) as [r [c [Hr [B E]]]].
  exists c. split; [exact B | lia].
Qed.

(* -- both ------------------------------------------------------------------------------------------- *)

Lemma every_step_weaken : forall (R S : Z -> Z -> Prop) n w E, (forall e a, R e a -> S e a) ->
  every_step R E n w -> every_step S E n w.
Proof.
  intros R S. induction n as [|s n IH]; intros [|a w] E W H; simpl in *; auto.
  destruct H as [H1 H2]. split; [apply W; exact H1 | apply IH; assumption].
Qed.

Lemma exact_extent_from : forall n w E, length w = length n ->
  every_step (fun E a => a = E) E n w ->
  E + dot w (map (fun s => s - 1) n) = E * product n.
Proof.
  induction n as [|s n IH]; intros [|a w] E L S; simpl in L; try discriminate.
  - simpl map. rewrite dot_nil_r, product_nil. ring.
  - simpl in S. destruct S as [S1 S2]. subst a. simpl map. rewrite dot_cons, product_cons.
    specialize (IH w (E + E * (s - 1)) ltac:(lia) S2). nia.
Qed.

Theorem exact_extent : forall n w, length w = length n -> exact n w -> extent n w = product n.
Proof.
  intros n w L S. unfold extent. rewrite (exact_extent_from n w 1 L S). ring.
Qed.

Lemma exact_nonnegative_from : forall n w E, length w = length n -> positive n -> 0 < E ->
  every_step (fun E a => a = E) E n w -> nonnegative w.
Proof.
  induction n as [|s n IH]; intros [|a w] E L Hn HE S; simpl in L; try discriminate.
  - constructor.
  - simpl in S. destruct S as [S1 S2]. subst a. apply positive_cons in Hn. destruct Hn as [Hs Hn].
    apply nonnegative_cons. split; [lia|].
    apply (IH w (E + E * (s - 1))); [lia | exact Hn | nia | exact S2].
Qed.

Lemma exact_nonnegative : forall n w, length w = length n -> positive n -> exact n w -> nonnegative w.
Proof. intros n w L Hn S. apply (exact_nonnegative_from n w 1); auto. lia. Qed.

Theorem exact_bijective : forall n w, length w = length n -> positive n -> exact n w ->
  bijective (box n) (range (product n)) (dot w).
Proof.
  intros n w L Hn S. pose proof (exact_nonnegative n w L Hn S) as Hw.
  pose proof (exact_extent n w L S) as E. split; [|split].
  - intros c B. unfold range. rewrite <- E. apply offset_bounds; assumption.
  - apply no_carries_injective; [exact L | exact Hw |].
    apply (every_step_weaken (fun E a => a = E)); [intros; lia | exact S].
  - rewrite <- E. apply no_gaps_onto; [exact L | exact Hw | exact Hn |].
    apply (every_step_weaken (fun E a => a = E)); [intros; lia | exact S].
Qed.

(* -- in any order ----------------------------------------------------------------------------------- *)

Lemma pick_nonnegative : forall p w, nonnegative w -> nonnegative (pick p w).
Proof.
  intros p w H. induction p as [|k p IH]; unfold pick; simpl; [constructor|].
  constructor; [|exact IH]. destruct (Nat.lt_ge_cases k (length w)) as [C|C].
  - unfold nonnegative in H. rewrite Forall_forall in H. apply H. apply nth_In. exact C.
  - rewrite nth_overflow by exact C. lia.
Qed.

Lemma pick_positive : forall p d, permutation (length d) p -> positive d -> positive (pick p d).
Proof.
  intros p d P H. unfold positive in *. rewrite Forall_forall in *. intros x K. apply H.
  apply (Permutation_in _ (pick_permutation p d P)). exact K.
Qed.

Lemma offset_reordered : forall p n w c, permutation (length n) p -> length w = length n -> box n c ->
  dot w c = dot (pick p w) (pick p c).
Proof.
  intros p n w c P L B. symmetry. apply dot_pick.
  - rewrite L. exact P.
  - apply box_length in B. congruence.
Qed.

Theorem no_carries_injective_in_any_order : forall p n w,
  permutation (length n) p -> length w = length n -> nonnegative w -> no_carries (pick p n) (pick p w) ->
  injective (box n) (dot w).
Proof.
  intros p n w P L Hw S c c' B B' H.
  rewrite (offset_reordered p n w c P L B), (offset_reordered p n w c' P L B') in H.
  destruct (pick_bijective p n P) as [F1 [F2 _]].
  apply F2; [exact B | exact B' |].
  apply (no_carries_injective (pick p n) (pick p w)); auto.
  - rewrite !pick_length. reflexivity.
  - apply pick_nonnegative. exact Hw.
Qed.

Theorem no_gaps_onto_in_any_order : forall p n w,
  permutation (length n) p -> length w = length n -> nonnegative w -> positive n ->
  no_gaps (pick p n) (pick p w) ->
  onto (box n) (range (extent (pick p n) (pick p w))) (dot w).
Proof.
  intros p n w P L Hw Hn S x H.
  destruct (no_gaps_onto (pick p n) (pick p w)) with (b := x) as [c [B E]]; auto.
  - rewrite !pick_length. reflexivity.
  - apply pick_nonnegative. exact Hw.
  - apply pick_positive; assumption.
  - destruct (pick_bijective p n P) as [_ [_ F]]. destruct (F c B) as [e [Be Ee]].
    exists e. split; [exact Be|]. rewrite (offset_reordered p n w e P L Be), Ee. exact E.
Qed.

Theorem exact_bijective_in_any_order : forall p n w,
  permutation (length n) p -> length w = length n -> positive n -> exact (pick p n) (pick p w) ->
  bijective (box n) (range (product n)) (dot w).
Proof.
  intros p n w P L Hn S. rewrite <- (product_pick p n P).
  apply (bijective_ext _ _ _ _ (fun c => dot (pick p w) (pick p c))).
  - intros c B. symmetry. apply (offset_reordered p n w c P L B).
  - apply (bijective_compose _ _ _ (box n) (box (pick p n))).
    + apply pick_bijective. exact P.
    + apply exact_bijective; [rewrite !pick_length; reflexivity | apply pick_positive; assumption | exact S].
Qed.
