(* The laws of CuTe's algebra, continued: composition by modes, complement, logical divide and product,
   right and left inverse.  The definitions are in RankCute.v. *)

Require Import ZArith List Lia Permutation.
Require Import Symlayout.RankLists Symlayout.RankRadix Symlayout.RankNested Symlayout.RankBroadcast.
Require Import Symlayout.RankCute.
Import ListNotations.
Open Scope Z_scope.

(* -- composition, mode by mode ---------------------------------------------------------------------- *)

(* At every mode of A the digits of x and y add up to a digit. *)
Fixpoint carry_free (A : modes) (x y : Z) : Prop :=
  match A with
  | [] => True
  | [_] => True
  | (n, _) :: A' => x mod n + y mod n < n /\ carry_free A' (x / n) (y / n)
  end.

Lemma offset_add : forall A x y, positive (shape A) -> carry_free A x y ->
  offset A (x + y) = offset A x + offset A y.
Proof.
  induction A as [|[n w] A IH]; intros x y P C; [reflexivity|].
  simpl in P. apply positive_cons in P. destruct P as [Hn P]. destruct A as [|m A].
  - rewrite !offset_one. ring.
  - destruct C as [C1 C2]. rewrite !offset_cons by discriminate.
    pose proof (Z.div_mod x n ltac:(lia)) as Dx. pose proof (Z.mod_pos_bound x n Hn) as Mx.
    pose proof (Z.div_mod y n ltac:(lia)) as Dy. pose proof (Z.mod_pos_bound y n Hn) as My.
    destruct (euclid (x / n + y / n) (x mod n + y mod n) n ltac:(lia)) as [U1 U2].
    replace (x + y) with ((x / n + y / n) * n + (x mod n + y mod n)) by lia.
    rewrite U1, U2, IH by assumption. ring.
Qed.

Fixpoint stride_fits (A : modes) (d : Z) : Prop :=
  match A with
  | [] => True
  | [_] => True
  | (n, _) :: A' => ((n | d) \/ (d | n)) /\ stride_fits A' (ceildiv d n)
  end.

Lemma composable_fits : forall A s d, composable A s d -> stride_fits A d.
Proof.
  induction A as [|[n w] A IH]; intros s d C; [exact I|]. destruct A as [|m A]; [exact I|].
  destruct C as [C1 [_ C3]]. split; [exact C1|]. exact (IH _ _ C3).
Qed.

Lemma fits_carry_free : forall A d x y, positive (shape A) -> 0 < d -> stride_fits A d ->
  0 <= x < d -> (d | y) -> carry_free A x y.
Proof.
  induction A as [|[n w] A IH]; intros d x y P Hd F Hx D; [exact I|].
  simpl in P. apply positive_cons in P. destruct P as [Hn P]. destruct A as [|m A]; [exact I|].
  destruct F as [F1 F2]. destruct D as [z Ez].
  change (x mod n + y mod n < n /\ carry_free (m :: A) (x / n) (y / n)).
  destruct F1 as [[k Ek]|[k Ek]].
  - assert (Pk : 0 < k) by nia.
    assert (E : ceildiv d n = k).
    { pose proof (ceildiv_exact d n Hn (ex_intro _ k Ek)) as E. nia. }
    rewrite E in F2.
    assert (Ey : y = z * k * n + 0) by (rewrite Ez, Ek; ring).
    destruct (euclid (z * k) 0 n ltac:(lia)) as [U1 U2]. rewrite Ey, U1, U2.
    pose proof (Z.mod_pos_bound x n Hn) as M. split; [lia|].
    apply (IH k); [exact P | exact Pk | exact F2 | | exists z; reflexivity].
    split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; nia].
  - assert (Pk : 0 < k) by nia.
    assert (E : ceildiv d n = 1) by (destruct (ceildiv_spec d n Hn) as [S1 S2]; nia).
    rewrite E in F2. rewrite Z.mod_small by nia. rewrite Z.div_small by nia. split.
    + rewrite Ez, Ek, Z.mul_mod_distr_r by lia.
      pose proof (Z.mod_pos_bound z k Pk) as M. nia.
    + apply (IH 1); [exact P | lia | exact F2 | lia | apply Z.divide_1_l].
Qed.

Lemma offset_sum_from : forall A n w c E r, positive (shape A) -> length w = length n -> positive w ->
  Forall (stride_fits A) w -> every_step (fun E a => a >= E) E n w -> box n c -> 0 <= r < E ->
  offset A (r + dot w c) = offset A r + sum (map2 (fun a x => offset A (a * x)) w c).
Proof.
  intros A. induction n as [|s n IH]; intros [|a w] c E r P L Hw F S B Hr; simpl in L; try discriminate.
  - apply box_nil_l in B. subst. rewrite dot_nil_l. simpl. rewrite !Z.add_0_r. reflexivity.
  - apply box_cons_l in B. destruct B as [x [c' [Ec [Hx B]]]]. subst.
    apply positive_cons in Hw. destruct Hw as [Ha Hw]. inversion F as [|a' w' F1 F2]; subst.
    destruct S as [S1 S2]. rewrite dot_cons. simpl map2. simpl sum.
    replace (r + (a * x + dot w c')) with ((r + a * x) + dot w c') by ring.
    rewrite (IH w c' (E + a * (s - 1))); try assumption; [|lia | nia].
    rewrite offset_add; [ring | exact P |].
    apply (fits_carry_free A a); [exact P | exact Ha | exact F1 | lia | exists x; ring].
Qed.

(* Modes that are not in the order p add nothing: their stride is 0, or their size is 1. *)
Definition idle (p : list nat) (n w : list Z) : Prop :=
  forall k, (k < length n)%nat -> ~ In k p -> nth k w 0 = 0 \/ nth k n 0 = 1.

(* An order of all modes that are not idle, without carries. *)
Definition in_order (p : list nat) (n w : list Z) : Prop :=
  NoDup p /\ Forall (fun k => (k < length n)%nat) p /\ idle p n w /\
  positive (pick p w) /\ no_carries (pick p n) (pick p w).

Lemma rest_of_numbers : forall p l : list nat, NoDup p -> NoDup l -> incl p l ->
  exists r, Permutation l (p ++ r) /\ forall k, In k r -> In k l /\ ~ In k p.
Proof.
  induction p as [|a p IH]; intros l N M I.
  - exists l. split; [apply Permutation_refl|]. intros k K. split; [exact K | intros []].
  - inversion N as [|a' p' N1 N2]; subst.
    destruct (in_split a l (I a (or_introl eq_refl))) as [l1 [l2 E]]. subst.
    pose proof (NoDup_remove_1 _ _ _ M) as M1. pose proof (NoDup_remove_2 _ _ _ M) as M2.
    destruct (IH (l1 ++ l2) N2 M1) as [r [R1 R2]].
    + intros k K. assert (J : In k (l1 ++ a :: l2)) by (apply I; right; exact K).
      apply in_app_or in J. apply in_or_app. destruct J as [J|[J|J]]; auto. subst. contradiction.
    + exists r. split.
      * transitivity (a :: l1 ++ l2); [apply Permutation_sym, Permutation_middle|].
        simpl. apply perm_skip. exact R1.
      * intros k K. destruct (R2 k K) as [J1 J2]. split.
        -- apply in_app_or in J1. apply in_or_app. destruct J1 as [J1|J1]; [left | right; right]; exact J1.
        -- intros [J|J]; [subst; contradiction | contradiction].
Qed.

Lemma sum_zero : forall (f : nat -> Z) r, (forall k, In k r -> f k = 0) -> sum (map f r) = 0.
Proof.
  intros f r H. induction r as [|k r IH]; [reflexivity|]. simpl.
  rewrite H by (left; reflexivity). rewrite IH; [reflexivity|]. intros j J. apply H. right. exact J.
Qed.

Lemma sum_over_order : forall p n (f : nat -> Z), NoDup p -> Forall (fun k => (k < n)%nat) p ->
  (forall k, (k < n)%nat -> ~ In k p -> f k = 0) -> sum (map f (seq 0 n)) = sum (map f p).
Proof.
  intros p n f N F H. destruct (rest_of_numbers p (seq 0 n) N (seq_NoDup n 0)) as [r [R1 R2]].
  - intros k K. rewrite Forall_forall in F. apply in_seq. specialize (F k K). lia.
  - rewrite (sum_permutation _ _ (Permutation_map f R1)), map_app, sum_app.
    rewrite (sum_zero f r); [ring|]. intros k K. destruct (R2 k K) as [J1 J2].
    apply in_seq in J1. apply H; [lia | exact J2].
Qed.

Lemma sum_map2_nth : forall (g : Z -> Z -> Z) w c, length w = length c ->
  sum (map2 g w c) = sum (map (fun k => g (nth k w 0) (nth k c 0)) (seq 0 (length w))).
Proof.
  intros g. induction w as [|a w IH]; intros [|x c] L; simpl in L; try discriminate; [reflexivity|].
  simpl map2. simpl length. simpl seq. simpl map. simpl sum. rewrite <- seq_shift, map_map.
  rewrite IH by lia. reflexivity.
Qed.

Lemma sum_map2_order : forall (g : Z -> Z -> Z) p w c, length w = length c -> NoDup p ->
  Forall (fun k => (k < length w)%nat) p ->
  (forall k, (k < length w)%nat -> ~ In k p -> g (nth k w 0) (nth k c 0) = 0) ->
  sum (map2 g w c) = sum (map2 g (pick p w) (pick p c)).
Proof.
  intros g p w c L N F H. rewrite sum_map2_nth by exact L.
  rewrite (sum_over_order p (length w) (fun k => g (nth k w 0) (nth k c 0)) N F H). clear.
  induction p as [|k p IH]; [reflexivity|]. unfold pick in *. simpl. rewrite IH. reflexivity.
Qed.

(* A takes the sum of strides times coordinates to the sum, where B has no carries in some order. *)
Lemma offset_sum : forall A n w c p, positive (shape A) -> length w = length n ->
  Forall (stride_fits A) w -> in_order p n w -> box n c ->
  offset A (dot w c) = sum (map2 (fun a x => offset A (a * x)) w c).
Proof.
  intros A n w c p P L F [N [Fp [I [Hw S]]]] B. pose proof (box_length n c B) as LB.
  assert (Fw : Forall (fun k => (k < length w)%nat) p) by (rewrite L; exact Fp).
  assert (Z0 : forall k, (k < length w)%nat -> ~ In k p -> nth k w 0 * nth k c 0 = 0).
  { intros k K NK. rewrite L in K. destruct (I k K NK) as [E|E]; [rewrite E; ring|].
    apply box_nth in B. destruct B as [_ B]. specialize (B k K). rewrite E in B.
    replace (nth k c 0) with 0 by lia. ring. }
  assert (D : dot w c = dot (pick p w) (pick p c)).
  { apply (sum_map2_order Z.mul); try assumption. congruence. }
  rewrite D. rewrite <- (Z.add_0_l (dot _ _)).
  rewrite (offset_sum_from A (pick p n) (pick p w) (pick p c) 1 0); try assumption; try lia.
  - rewrite offset_0 by exact P. rewrite Z.add_0_l. symmetry.
    apply sum_map2_order; try assumption; [congruence|].
    intros k K NK. rewrite Z0 by assumption. apply offset_0. exact P.
  - rewrite !pick_length. reflexivity.
  - clear - F Fw. rewrite Forall_forall in *. intros x K. apply in_map_iff in K.
    destruct K as [k [E K]]. subst. apply F. apply nth_In. apply Fw. exact K.
  - apply box_pick; assumption.
Qed.

Lemma in_order_of_permutation : forall p n w, permutation (length n) p -> length w = length n ->
  positive w -> no_carries (pick p n) (pick p w) -> in_order p n w.
Proof.
  intros p n w P L Hw S. split; [apply (permutation_NoDup _ p P)|].
  split; [apply permutation_Forall; exact P|]. split; [|split; [|exact S]].
  - intros k K NK. exfalso. apply NK. apply (permutation_in (length n)); assumption.
  - apply pick_positive; [rewrite L; exact P | exact Hw].
Qed.

Lemma composition_tuple : forall A B c, A <> [] -> positive (shape A) -> positive (shape B) ->
  nonnegative (stride B) -> Forall (fun m => composable A (fst m) (snd m)) B -> box (shape B) c ->
  crd2offset (composition A B) (Tuple (map Number c))
  = sum (map2 (fun a x => offset A (a * x)) (stride B) c).
Proof.
  intros A B c N P. revert c. unfold composition.
  induction B as [|[s d] B IH]; intros c PB PS F Bc.
  - apply box_nil_l in Bc. subst. reflexivity.
  - simpl in PB, PS, Bc. apply positive_cons in PB. apply nonnegative_cons in PS.
    destruct PB as [Hs PB], PS as [Hd PS].
    inversion F as [|m B' F1 F2]; subst. simpl in F1.
    apply box_cons_l in Bc. destruct Bc as [x [c' [E [Hx Bc]]]]. subst.
    simpl map. rewrite crd2offset_tuple, (IH c') by assumption. simpl map2. simpl sum. f_equal.
    destruct (compose_law A s d P Hs Hd F1) as [_ [C2 C3]].
    fold (flat (compose A s d)). rewrite flat_offset.
    + apply C3. exact Hx.
    + exact C2.
    + apply compose_not_nil. exact N.
Qed.

(* One number against a tuple of modes is the tuple of its parts. *)
Lemma number_is_tuple : forall ms x,
  crd2offset (Modes ms) (Number x) = crd2offset (Modes ms) (Tuple (map Number (colex (map size ms) x))).
Proof.
  induction ms as [|m ms IH]; intros x; [reflexivity|]. destruct ms as [|m' ms].
  - rewrite crd2offset_last. simpl. ring.
  - rewrite crd2offset_number, IH.
    change (colex (map size (m :: m' :: ms)) x)
      with (x mod size m :: colex (map size (m' :: ms)) (x / size m)).
    rewrite (map_cons Number), crd2offset_tuple. reflexivity.
Qed.

Lemma size_flat : forall l, size (flat l) = size_of l.
Proof.
  intros l. unfold flat, size_of, shape. simpl. f_equal. rewrite map_map. apply map_ext. reflexivity.
Qed.

(* "R has B's profile, size(R) == size(B), R(c) == A(B(c)) for every coordinate c of B" *)
Theorem composition_law : forall A B p, A <> [] -> positive (shape A) -> positive (shape B) ->
  nonnegative (stride B) -> Forall (fun m => composable A (fst m) (snd m)) B ->
  in_order p (shape B) (stride B) ->
  size (composition A B) = size_of B /\
  (forall c, box (shape B) c ->
     crd2offset (composition A B) (Tuple (map Number c)) = offset A (dot (stride B) c)) /\
  (forall x, 0 <= x < size_of B -> crd2offset (composition A B) (Number x) = offset A (offset B x)).
Proof.
  intros A B p N P PB PS F S.
  assert (T : forall c, box (shape B) c ->
     crd2offset (composition A B) (Tuple (map Number c)) = offset A (dot (stride B) c)).
  { intros c Bc. rewrite composition_tuple by assumption. symmetry.
    apply (offset_sum A (shape B) (stride B) c p); try assumption.
    - rewrite shape_length. apply stride_length.
    - unfold stride. rewrite Forall_forall in *. intros d K. apply in_map_iff in K.
      destruct K as [m [E K]]. subst. apply (composable_fits A (fst m)). apply F. exact K. }
  assert (Z0 : map size (map (fun m => Modes (map (fun t => Mode (fst t) (snd t))
                 (compose A (fst m) (snd m)))) B) = shape B).
  { clear - P PB PS F. unfold shape. rewrite map_map. apply map_ext_in. intros [s d] K.
    rewrite Forall_forall in F. specialize (F (s, d) K).
    fold (flat (compose A (fst (s, d)) (snd (s, d)))). rewrite size_flat.
    apply compose_law; [exact P | | | exact F].
    - unfold positive, shape in PB. rewrite Forall_forall in PB. apply PB. apply in_map. exact K.
    - unfold nonnegative, stride in PS. rewrite Forall_forall in PS. apply PS. apply (in_map snd _ _ K). }
  split; [|split].
  - unfold composition, size_of. simpl. f_equal. exact Z0.
  - exact T.
  - intros x Hx. unfold composition. rewrite number_is_tuple, Z0. apply T. apply colex_box; assumption.
Qed.

(* -- complement ------------------------------------------------------------------------------------- *)

Fixpoint interleaved_from (current : Z) (A : modes) (M : Z) : modes :=
  match A with
  | [] => [(ceildiv M current, current)]
  | (s, d) :: A' => (d / current, current) :: (s, d) :: interleaved_from (s * d) A' M
  end.

(* size*stride of the last mode. *)
Fixpoint end_from (current : Z) (A : modes) : Z :=
  match A with
  | [] => current
  | (s, d) :: A' => end_from (s * d) A'
  end.

Lemma interleaved_permutation : forall A current M,
  Permutation (A ++ complement_from current A M) (interleaved_from current A M).
Proof.
  induction A as [|[s d] A IH]; intros current M; simpl; [apply Permutation_refl|].
  rewrite <- (IH (s * d) M).
  apply Permutation_sym. apply (Permutation_middle ((s, d) :: A)).
Qed.

Lemma complement_facts : forall A current M, 0 < current -> 0 < M -> positive (shape A) ->
  complementable_from current A ->
  let I := interleaved_from current A M in
  let C := complement_from current A M in
  every_step (fun E a => a = E) current (shape I) (stride I) /\ positive (shape I) /\
  current * product (shape I) = ceildiv M (end_from current A) * end_from current A /\
  0 < end_from current A /\ positive (shape C) /\ positive (stride C) /\
  (forall E, 0 < E <= current -> every_step (fun E a => a >= E) E (shape C) (stride C)).
Proof.
  induction A as [|[s d] A IH]; intros current M Hc HM P C; simpl.
  - unfold shape, stride. simpl. rewrite product_cons, product_nil.
    pose proof (ceildiv_positive M current Hc HM) as Q. repeat split; try lia; try ring.
    + constructor; [exact Q | constructor].
    + constructor; [exact Q | constructor].
    + constructor; [exact Hc | constructor].
  - simpl in P. apply positive_cons in P. destruct P as [Hs P]. destruct C as [[k Ek] [Hd C]].
    assert (Pk : 0 < k) by nia.
    assert (E : d / current = k) by (rewrite Ek; apply Z.div_mul; lia).
    destruct (IH (s * d) M ltac:(nia) HM P C) as [I1 [I2 [I3 [I4 [I5 [I6 I7]]]]]].
    rewrite E. unfold shape, stride in *. simpl. rewrite !product_cons. repeat split.
    + nia.
    + replace (current + current * (k - 1) + d * (s - 1)) with (s * d) by nia. exact I1.
    + constructor; [exact Pk | constructor; [exact Hs | exact I2]].
    + rewrite <- I3. rewrite Ek. ring.
    + exact I4.
    + constructor; [exact Pk | exact I5].
    + constructor; [exact Hc | exact I6].
    + lia.
    + apply I7. nia.
Qed.

(* The order of modes as a list of mode numbers. *)
Lemma order_of_permutation : forall l m : modes, Permutation l m ->
  exists p, permutation (length l) p /\ m = map (fun k => nth k l (0, 0)) p.
Proof.
  intros l m H. induction H as [|x l m H IH|x y l|l m n H1 IH1 H2 IH2].
  - exists []. split; [apply Permutation_refl | reflexivity].
  - destruct IH as [p [Pp E]]. exists (0%nat :: map S p). split.
    + unfold permutation in *. simpl. apply perm_skip. rewrite <- seq_shift. apply Permutation_map.
      exact Pp.
    + simpl. rewrite map_map. rewrite E. reflexivity.
  - exists (1%nat :: 0%nat :: seq 2 (length l)). split.
    + unfold permutation. simpl. apply perm_swap.
    + simpl. f_equal. f_equal.
      assert (G : forall (j : nat) (l k : modes), length k = j ->
                  map (fun i => nth i (k ++ l) (0, 0)) (seq j (length l)) = l).
      { clear. intros j l. revert j. induction l as [|z l IH]; intros j k L; [reflexivity|].
        simpl. f_equal.
        - rewrite app_nth2 by lia. rewrite L, Nat.sub_diag. reflexivity.
        - specialize (IH (S j) (k ++ [z])). rewrite <- app_assoc in IH. apply IH.
          rewrite app_length. simpl. lia. }
      symmetry. apply (G 2%nat l [y; x]). reflexivity.
  - destruct IH1 as [p [Pp E1]]. destruct IH2 as [q [Pq E2]].
    exists (map (fun k => nth k p 0%nat) q).
    assert (L : length m = length l) by (symmetry; apply Permutation_length; exact H1).
    split.
    + unfold permutation in *. rewrite L in Pq.
      transitivity (map (fun k => nth k p 0%nat) (seq 0 (length l))); [apply Permutation_map; exact Pq|].
      assert (G : map (fun k => nth k p 0%nat) (seq 0 (length p)) = p).
      { clear. induction p as [|a p IH]; [reflexivity|]. simpl. f_equal.
        rewrite <- seq_shift, map_map. exact IH. }
      pose proof (permutation_length _ p Pp) as Lp. rewrite <- Lp at 1. rewrite G. exact Pp.
    + rewrite E2, map_map. apply map_ext_in. intros k K. rewrite E1.
      assert (Kl : (k < length p)%nat).
      { apply (permutation_in _ q k Pq) in K. rewrite L in K.
        rewrite (permutation_length _ p Pp). exact K. }
      rewrite (nth_indep _ (0, 0) (nth 0%nat l (0, 0))) by (rewrite map_length; exact Kl).
      apply (map_nth (fun j => nth j l (0, 0))).
Qed.

Lemma order_of_modes : forall l m : modes, Permutation l m ->
  exists p, permutation (length l) p /\ shape m = pick p (shape l) /\ stride m = pick p (stride l).
Proof.
  intros l m H. destruct (order_of_permutation l m H) as [p [Pp E]]. exists p. split; [exact Pp|].
  subst. unfold shape, stride, pick. rewrite !map_map. split; apply map_ext; intros k.
  - symmetry. apply (map_nth fst l (0, 0)).
  - symmetry. apply (map_nth snd l (0, 0)).
Qed.

(* A with its complement is a bijection onto [0, M), rounded up to size*stride of A's last mode. A may have
   its modes in any order; the complement is computed in the order of the strides. *)
Definition covered (A : modes) (M : Z) : Z := ceildiv M (end_from 1 A) * end_from 1 A.

Lemma with_complement_exact : forall L A M, Permutation L A -> 0 < M -> positive (shape A) ->
  complementable A -> let U := L ++ complement A M in
  exists p, permutation (length U) p /\ exact (pick p (shape U)) (pick p (stride U)) /\
    positive (shape U) /\ product (shape U) = covered A M.
Proof.
  intros L A M H HM P C U.
  destruct (complement_facts A 1 M ltac:(lia) HM P C) as [F1 [F2 [F3 _]]].
  assert (Q : Permutation U (interleaved_from 1 A M)).
  { unfold U. rewrite H. apply interleaved_permutation. }
  destruct (order_of_modes _ _ Q) as [p [Pp [E1 E2]]]. exists p. rewrite E1, E2 in F1. rewrite E1 in F2, F3.
  assert (PU : permutation (length (shape U)) p) by (rewrite shape_length; exact Pp).
  split; [exact Pp|]. split; [exact F1|]. split.
  - unfold positive in *. rewrite Forall_forall in *. intros x K. apply F2.
    apply (Permutation_in _ (Permutation_sym (pick_permutation p _ PU))). exact K.
  - rewrite product_pick in F3 by exact PU. unfold covered. lia.
Qed.

Theorem complement_law : forall L A M, Permutation L A -> 0 < M -> positive (shape A) ->
  complementable A -> let U := L ++ complement A M in
  bijective (box (shape U)) (range (covered A M)) (dot (stride U)).
Proof.
  intros L A M H HM P C U.
  destruct (with_complement_exact L A M H HM P C) as [p [Pp [X [PU E]]]]. fold U in Pp, X, PU, E.
  rewrite <- E. apply (exact_bijective_in_any_order p).
  - rewrite shape_length. exact Pp.
  - rewrite shape_length. apply stride_length.
  - exact PU.
  - exact X.
Qed.

(* Where the last mode's size*stride divides M, that is [0, M) itself. *)
Theorem covered_exact : forall A M, 0 < end_from 1 A -> (end_from 1 A | M) -> covered A M = M.
Proof. intros A M H D. apply ceildiv_exact; assumption. Qed.

Lemma box_zeros : forall n, positive n -> box n (repeat 0 (length n)).
Proof. intros n P. induction P as [|a d Ha P IH]; simpl; constructor; [lia | exact IH]. Qed.

Lemma dot_zeros_r : forall k w, dot w (repeat 0 k) = 0.
Proof.
  induction k as [|k IH]; intros [|a w]; simpl; try reflexivity; try apply dot_nil_r.
  rewrite dot_cons, IH. ring.
Qed.

(* "Its image is disjoint from A's but for 0." *)
Theorem complement_disjoint : forall A M a c, 0 < M -> positive (shape A) -> complementable A ->
  box (shape A) a -> box (shape (complement A M)) c ->
  dot (stride A) a = dot (stride (complement A M)) c -> dot (stride A) a = 0.
Proof.
  intros A M a c HM P C Ba Bc E.
  destruct (complement_law A A M (Permutation_refl A) HM P C) as [_ [J _]].
  pose proof (box_length _ _ Ba) as La. pose proof (box_length _ _ Bc) as Lc.
  pose proof (box_positive _ _ Bc) as PC.
  assert (LS : length (stride A) = length (shape A)) by (rewrite shape_length; apply stride_length).
  unfold shape, stride in J. rewrite !map_app in J. fold (shape A) in J. fold (stride A) in J.
  fold (shape (complement A M)) in J. fold (stride (complement A M)) in J.
  specialize (J (a ++ repeat 0 (length (shape (complement A M)))) (repeat 0 (length (shape A)) ++ c)).
  assert (X : a = repeat 0 (length (shape A))).
  { apply (app_inj _ a (repeat 0 (length (shape (complement A M)))) (repeat 0 (length (shape A))) c).
    - rewrite repeat_length. symmetry. exact La.
    - apply J.
      + apply box_app; [exact Ba | apply box_zeros; exact PC].
      + apply box_app; [apply box_zeros; exact P | exact Bc].
      + rewrite !dot_app; [|rewrite repeat_length; exact LS | congruence].
        rewrite !dot_zeros_r. lia. }
  rewrite X. apply dot_zeros_r.
Qed.

(* Strides without carries: the offset grows with the number. *)
Lemma no_carries_increasing_from : forall n w c c' E r r', length w = length n ->
  every_step (fun E a => a >= E) E n w -> box n c -> box n c' -> 0 < E -> 0 <= r < E -> 0 <= r' < E ->
  number n c < number n c' -> r + dot w c < r' + dot w c'.
Proof.
  induction n as [|s n IH]; intros [|a w] c c' E r r' L S B B' HE Hr Hr' H; simpl in L; try discriminate L.
  - apply box_nil_l in B, B'. subst. simpl in H. lia.
  - apply box_cons_l in B. destruct B as [x [d [E1 [Hx B]]]].
    apply box_cons_l in B'. destruct B' as [x' [d' [E2 [Hx' B']]]]. subst.
    destruct S as [S1 S2]. rewrite !dot_cons. simpl in H.
    destruct (Z.lt_trichotomy (number n d) (number n d')) as [T|[T|T]].
    + specialize (IH w d d' (E + a * (s - 1)) (r + a * x) (r' + a * x') ltac:(lia) S2 B B'). nia.
    + assert (D : d = d').
      { rewrite <- (colex_of_number_box n d B), T. apply colex_of_number_box. exact B'. }
      subst d'. nia.
    + nia.
Qed.

(* "Strictly increasing." *)
Theorem complement_increasing : forall A M x y, 0 < M -> positive (shape A) -> complementable A ->
  0 <= x -> x < y -> y < size_of (complement A M) ->
  offset (complement A M) x < offset (complement A M) y.
Proof.
  intros A M x y HM P C Hx Hxy Hy.
  destruct (complement_facts A 1 M ltac:(lia) HM P C) as [_ [_ [_ [_ [F5 [_ F7]]]]]].
  fold (complement A M) in F5, F7. unfold offset, size_of in *.
  assert (NN : shape (complement A M) <> []).
  { unfold complement. destruct A as [|[s d] A]; discriminate. }
  apply (no_carries_increasing_from (shape (complement A M)) (stride (complement A M)) _ _ 1 0 0).
  - rewrite shape_length. apply stride_length.
  - apply F7. lia.
  - apply colex_box; [exact F5 | lia].
  - apply colex_box; [exact F5 | lia].
  - lia.
  - lia.
  - lia.
  - rewrite !number_of_colex by assumption. exact Hxy.
Qed.

(* -- logical divide --------------------------------------------------------------------------------- *)

Lemma positive_strides_complementable : forall A current, complementable_from current A -> positive (stride A).
Proof.
  induction A as [|[s d] A IH]; intros current C; [constructor|].
  destruct C as [_ [Hd C]]. constructor; [exact Hd | apply (IH (s * d)); exact C].
Qed.

(* The divide is A after (B, complement of B), which takes its coordinates one to one onto the numbers of A:
   every element of A is there once, the tile that B describes first. *)
Theorem logical_divide_law : forall A B, A <> [] -> positive (shape A) -> positive (shape B) ->
  complementable B -> let U := B ++ complement B (size_of A) in
  Forall (fun m => composable A (fst m) (snd m)) U ->
  (forall c, box (shape U) c ->
     crd2offset (logical_divide A B) (Tuple (map Number c)) = offset A (dot (stride U) c)) /\
  (forall x, 0 <= x < size_of U -> crd2offset (logical_divide A B) (Number x) = offset A (offset U x)) /\
  bijective (box (shape U)) (range (covered B (size_of A))) (dot (stride U)) /\
  ((end_from 1 B | size_of A) -> size (logical_divide A B) = size_of A).
Proof.
  intros A B N P PB C U F.
  assert (HM : 0 < size_of A) by (apply product_positive; exact P).
  destruct (with_complement_exact B B (size_of A) (Permutation_refl B) HM PB C) as [p [Pp [X [PU E]]]].
  destruct (complement_facts B 1 (size_of A) ltac:(lia) HM PB C) as [_ [_ [_ [F4 [_ [F6 _]]]]]].
  fold U in Pp, X, PU, E. unfold logical_divide. fold U.
  assert (PS : positive (stride U)).
  { unfold U, stride. rewrite map_app. apply positive_app. split; [|exact F6].
    apply (positive_strides_complementable B 1). exact C. }
  assert (NC : no_carries (pick p (shape U)) (pick p (stride U))).
  { apply (every_step_weaken (fun E a => a = E)); [intros; lia | exact X]. }
  assert (O : in_order p (shape U) (stride U)).
  { apply in_order_of_permutation; [rewrite shape_length; exact Pp | | exact PS | exact NC].
    rewrite shape_length. apply stride_length. }
  destruct (composition_law A U p N P PU (positive_nonnegative _ PS) F O) as [T1 [T2 T3]].
  split; [exact T2|]. split; [exact T3|]. split.
  - apply (complement_law B B (size_of A)); auto.
  - intros D. rewrite T1. unfold size_of at 1. rewrite E. apply covered_exact; assumption.
Qed.

(* -- logical product -------------------------------------------------------------------------------- *)

Lemma flat_tuple : forall l c, crd2offset (flat l) (Tuple (map Number c)) = dot (stride l) c.
Proof.
  unfold flat. induction l as [|[s d] l IH]; intros [|x c]; try reflexivity.
  simpl map. rewrite crd2offset_tuple, IH. simpl. rewrite dot_cons. ring.
Qed.

Lemma cosize_positive : forall B, positive (shape B) -> positive (stride B) -> 0 < cosize B.
Proof.
  intros B P S. destruct (offset_bounds (shape B) (stride B) (repeat 0 (length (shape B)))) as [H1 H2].
  - apply positive_nonnegative. exact S.
  - apply box_zeros. exact P.
  - unfold cosize. lia.
Qed.

(* R(a, b) = A(a) + C(B(b)), C the complement of A: a copy of A for each element of B. Where B has no carries
   in some order, no two elements of the product share an offset. *)
Theorem logical_product_law : forall A B p, positive (shape A) -> complementable A -> positive (shape B) ->
  positive (stride B) -> let C := complement A (size_of A * cosize B) in
  Forall (fun m => composable C (fst m) (snd m)) B ->
  permutation (length B) p -> no_carries (pick p (shape B)) (pick p (stride B)) ->
  let R := fun ab : list Z * list Z =>
    crd2offset (logical_product A B) (Tuple [Tuple (map Number (fst ab)); Tuple (map Number (snd ab))]) in
  (forall a b, box (shape A) a -> box (shape B) b ->
     R (a, b) = dot (stride A) a + offset C (dot (stride B) b)) /\
  injective (fun ab => box (shape A) (fst ab) /\ box (shape B) (snd ab)) R.
Proof.
  intros A B p PA CA PB PS C F Pp S R.
  assert (HK : 0 < cosize B) by (apply cosize_positive; assumption).
  assert (HA : 0 < size_of A) by (apply product_positive; exact PA).
  assert (HM : 0 < size_of A * cosize B) by nia.
  destruct (complement_facts A 1 _ ltac:(lia) HM PA CA) as [_ [_ [_ [F4 [F5 _]]]]].
  fold (complement A (size_of A * cosize B)) in F5. fold C in F5.
  assert (NC : C <> []) by (unfold C, complement; destruct A as [|[s d] A]; discriminate).
  assert (OB : in_order p (shape B) (stride B)).
  { apply in_order_of_permutation; [rewrite shape_length; exact Pp | | exact PS | exact S].
    rewrite shape_length. apply stride_length. }
  destruct (composition_law C B p NC F5 PB (positive_nonnegative _ PS) F OB) as [_ [T _]].
  assert (V : forall a b, box (shape A) a -> box (shape B) b ->
     R (a, b) = dot (stride A) a + offset C (dot (stride B) b)).
  { intros a b Ba Bb. unfold R, logical_product. cbn [fst snd].
    fold C. fold (flat A). rewrite !crd2offset_tuple, flat_tuple, T by exact Bb. simpl. ring. }
  split; [exact V|]. intros [a b] [a' b'] [Ba Bb] [Ba' Bb'] E. cbn [fst snd] in *.
  rewrite !V in E by assumption.
  (* the numbers of C that B uses are below its size *)
  destruct (with_complement_exact A A _ (Permutation_refl A) HM PA CA) as [q [Pq [X [PU EU]]]].
  fold C in Pq, X, PU, EU.
  assert (SC : cosize B <= size_of C).
  { unfold shape in EU. rewrite map_app, product_app in EU. fold (shape A) in EU. fold (shape C) in EU.
    fold (size_of A) in EU. fold (size_of C) in EU. unfold covered in EU.
    destruct (ceildiv_spec (size_of A * cosize B) (end_from 1 A) F4) as [K _]. nia. }
  assert (NB : nonnegative (stride B)) by (apply positive_nonnegative; exact PS).
  pose proof (offset_bounds (shape B) (stride B) b NB Bb) as O.
  pose proof (offset_bounds (shape B) (stride B) b' NB Bb') as O'. fold (cosize B) in O, O'.
  set (y := dot (stride B) b) in *. set (y' := dot (stride B) b') in *.
  assert (By : box (shape C) (colex (shape C) y)).
  { apply colex_box; [exact F5 | unfold size_of in SC; lia]. }
  assert (By' : box (shape C) (colex (shape C) y')).
  { apply colex_box; [exact F5 | unfold size_of in SC; lia]. }
  destruct (complement_law A A _ (Permutation_refl A) HM PA CA) as [_ [J _]]. fold C in J.
  unfold shape, stride in J. rewrite !map_app in J. fold (shape A) in J. fold (stride A) in J.
  fold (shape C) in J. fold (stride C) in J.
  assert (LS : length (stride A) = length (shape A)) by (rewrite shape_length; apply stride_length).
  pose proof (box_length _ _ Ba) as La. pose proof (box_length _ _ Ba') as La'.
  assert (Eq : a ++ colex (shape C) y = a' ++ colex (shape C) y').
  { apply J.
    - apply box_app; assumption.
    - apply box_app; assumption.
    - rewrite !dot_app by congruence. unfold offset in E. exact E. }
  apply app_inj in Eq; [|congruence]. destruct Eq as [Ea Ey]. subst a'. f_equal.
  assert (NS : shape C <> []) by (intros K; apply map_eq_nil in K; contradiction).
  assert (Eyy : y = y').
  { rewrite <- (number_of_colex (shape C) y F5 NS), Ey. apply number_of_colex; assumption. }
  apply (no_carries_injective_in_any_order p (shape B) (stride B)); try assumption.
  - rewrite shape_length. exact Pp.
  - rewrite shape_length. apply stride_length.
Qed.

(* -- right inverse ---------------------------------------------------------------------------------- *)

Lemma dot_comm : forall w c, dot w c = dot c w.
Proof.
  induction w as [|a w IH]; intros [|x c]; rewrite ?dot_nil_l, ?dot_nil_r; try reflexivity.
  rewrite !dot_cons, IH. ring.
Qed.

Lemma prefixes_length : forall n k, length (prefixes_from k n) = length n.
Proof. induction n as [|s n IH]; intros k; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

Lemma dot_prefixes : forall n k v, length n = length v -> dot (prefixes_from k n) v = k * number n v.
Proof.
  induction n as [|s n IH]; intros k [|x v] L; simpl in L; try discriminate; simpl.
  - rewrite dot_nil_l. ring.
  - rewrite dot_cons, IH by lia. ring.
Qed.

Lemma exact_number : forall n w c E, length w = length n -> length n = length c ->
  every_step (fun E a => a = E) E n w -> dot w c = E * number n c.
Proof.
  induction n as [|s n IH]; intros [|a w] [|x c] E L1 L2 S; simpl in L1, L2; try discriminate; simpl.
  - rewrite dot_nil_l. ring.
  - destruct S as [S1 S2]. subst a. rewrite dot_cons, (IH w c _ ltac:(lia) ltac:(lia) S2). ring.
Qed.

Lemma box_set : forall n l k x, box n l -> (k < length n)%nat -> 0 <= x < nth k n 0 -> box n (set k x l).
Proof.
  intros n l k x B. revert k. induction B as [|s y n l Hy B IH]; intros k K H; simpl in K; [lia|].
  destruct k as [|k]; simpl in *; apply box_cons; split; auto. apply IH; [lia | exact H].
Qed.

Lemma box_put : forall q n c, Forall (fun k => (k < length n)%nat) q -> positive n -> box (pick q n) c ->
  box n (put q c (repeat 0 (length n))).
Proof.
  induction q as [|k q IH]; intros n c F P B; simpl; [apply box_zeros; exact P|].
  destruct c as [|x c]; [apply box_zeros; exact P|].
  unfold pick in B. simpl in B. apply box_cons in B. destruct B as [Hx B].
  inversion F as [|k' q' F1 F2]; subst. apply box_set; [|exact F1 | exact Hx].
  apply IH; assumption.
Qed.

Lemma shape_combine : forall n w, length n = length w ->
  shape (combine n w) = n /\ stride (combine n w) = w.
Proof.
  unfold shape, stride. induction n as [|s n IH]; intros [|a w] L; simpl in L; try discriminate; [auto|].
  destruct (IH w ltac:(lia)) as [E1 E2]. simpl. rewrite E1, E2. auto.
Qed.

Lemma right_inverse_parts : forall q L,
  shape (right_inverse q L) = pick q (shape L) /\
  stride (right_inverse q L) = pick q (prefixes_from 1 (shape L)).
Proof. intros q L. apply shape_combine. rewrite !pick_length. reflexivity. Qed.

(* "L(R(i)) == i for i < size(R)": the modes q of L fill [0, size R) without a gap. *)
Theorem right_inverse_law : forall q L, positive (shape L) -> NoDup q ->
  Forall (fun k => (k < length L)%nat) q -> exact (pick q (shape L)) (pick q (stride L)) ->
  forall i, 0 <= i < size_of (right_inverse q L) ->
    0 <= offset (right_inverse q L) i < size_of L /\ offset L (offset (right_inverse q L) i) = i.
Proof.
  intros q L P N F X i Hi. destruct (right_inverse_parts q L) as [E1 E2].
  unfold size_of in *. rewrite E1 in Hi.
  assert (R0 : offset (right_inverse q L) i
               = dot (pick q (prefixes_from 1 (shape L))) (colex (pick q (shape L)) i)).
  { unfold offset. rewrite E1, E2. reflexivity. }
  rewrite R0. clear R0.
  assert (F' : Forall (fun k => (k < length (shape L))%nat) q) by (rewrite shape_length; exact F).
  assert (PQ : positive (pick q (shape L))).
  { unfold pick, positive. apply Forall_forall. intros x K. apply in_map_iff in K.
    destruct K as [k [Ek K]]. subst. unfold positive in P. rewrite Forall_forall in P. apply P.
    apply nth_In. rewrite Forall_forall in F'. apply F'. exact K. }
  set (n := shape L) in *. set (c := colex (pick q n) i).
  assert (Bc : box (pick q n) c) by (apply colex_box; assumption).
  pose proof (box_length _ _ Bc) as Lc. rewrite pick_length in Lc.
  pose proof (box_put q n c F' P Bc) as Bv. set (v := put q c (repeat 0 (length n))) in *.
  assert (R1 : dot (pick q (prefixes_from 1 n)) c = number n v).
  { rewrite dot_comm. rewrite <- (dot_put q c (prefixes_from 1 n) N).
    - rewrite prefixes_length. fold v. rewrite dot_comm, dot_prefixes; [ring|].
      apply box_length. exact Bv.
    - rewrite prefixes_length. exact F'.
    - exact Lc. }
  rewrite R1. split; [apply number_bounds; exact Bv|].
  unfold offset. fold n. rewrite colex_of_number_box by exact Bv.
  assert (LS : length n = length (stride L)) by (unfold n; rewrite shape_length, stride_length; reflexivity).
  unfold v. rewrite dot_comm, LS, dot_put; [|exact N | rewrite <- LS; exact F' | exact Lc].
  rewrite dot_comm. rewrite (exact_number (pick q n) (pick q (stride L)) c 1).
  - destruct q as [|k q].
    + simpl in Hi. rewrite product_nil in Hi. simpl. lia.
    + unfold c. rewrite number_of_colex; [ring | exact PQ | discriminate].
  - rewrite !pick_length. reflexivity.
  - rewrite pick_length. exact Lc.
  - exact X.
Qed.

Lemma sum_at_least : forall l, nonnegative l -> forall x, In x l -> x <= sum l.
Proof.
  intros l H. induction H as [|a l Ha H IH]; intros x K; [contradiction|]. simpl.
  assert (S : 0 <= sum l).
  { clear - H. induction H as [|a l Ha H IH]; simpl; lia. }
  destruct K as [K|K]; [subst; lia | specialize (IH x K); lia].
Qed.

(* "R as large as can be": where all other modes have a stride above size(R), or move nothing, no number of L
   has the offset size(R), so that no larger right inverse exists. *)
Theorem right_inverse_largest : forall q L, positive (shape L) -> nonnegative (stride L) -> NoDup q ->
  Forall (fun k => (k < length L)%nat) q -> exact (pick q (shape L)) (pick q (stride L)) ->
  (forall k, (k < length L)%nat -> ~ In k q ->
     size_of (right_inverse q L) < nth k (stride L) 0 \/ nth k (stride L) 0 = 0 \/ nth k (shape L) 0 = 1) ->
  forall x, 0 <= x < size_of L -> offset L x <> size_of (right_inverse q L).
Proof.
  intros q L P HS N F X G x Hx E. destruct (right_inverse_parts q L) as [E1 _].
  unfold size_of at 1 in G. unfold size_of in E. rewrite E1 in E, G.
  set (c := colex (shape L) x) in *. change (dot (stride L) c = product (pick q (shape L))) in E.
  assert (B : box (shape L) c) by (apply colex_box; assumption).
  pose proof (box_length _ _ B) as LB.
  assert (LS : length (stride L) = length (shape L)) by (rewrite shape_length; apply stride_length).
  assert (F' : Forall (fun k => (k < length (shape L))%nat) q) by (rewrite shape_length; exact F).
  assert (NN : forall k, (k < length (shape L))%nat -> 0 <= nth k c 0 < nth k (shape L) 0 /\
                 0 <= nth k (stride L) 0).
  { intros k K. apply box_nth in B. split; [apply B; exact K|].
    unfold nonnegative in HS. rewrite Forall_forall in HS. apply HS. apply nth_In. lia. }
  destruct (existsb (fun k => negb (existsb (Nat.eqb k) q) && negb (nth k (stride L) 0 * nth k c 0 =? 0))%bool
              (seq 0 (length (shape L)))) eqn:D.
  - (* another mode moves: the offset is above size(R) *)
    apply existsb_exists in D. destruct D as [k [K D]]. apply in_seq in K.
    apply andb_prop in D. destruct D as [D1 D2].
    assert (NQ : ~ In k q).
    { intros J. apply Bool.negb_true_iff in D1. rewrite <- Bool.not_true_iff_false in D1. apply D1.
      apply existsb_exists. exists k. split; [exact J | apply Nat.eqb_refl]. }
    apply Bool.negb_true_iff in D2. apply Z.eqb_neq in D2.
    destruct (NN k ltac:(lia)) as [C1 C2].
    assert (S : nth k (stride L) 0 * nth k c 0 <= dot (stride L) c).
    { rewrite dot_nth by congruence. apply sum_at_least.
      - apply Forall_forall. intros y Y. apply in_map_iff in Y. destruct Y as [j [Ej J]]. subst y.
        apply in_seq in J. destruct (NN j ltac:(lia)) as [J1 J2]. nia.
      - apply in_map_iff. exists k. split; [reflexivity|]. apply in_seq. lia. }
    rewrite shape_length in K.
    assert (C3 : 1 <= nth k c 0).
    { destruct (Z.eq_dec (nth k c 0) 0) as [Y|Y]; [|lia]. exfalso. apply D2. rewrite Y. ring. }
    destruct (G k ltac:(lia) NQ) as [H|[H|H]].
    + rewrite E in S. nia.
    + apply D2. rewrite H. ring.
    + lia.
  - (* no other mode moves: the offset is below size(R) *)
    assert (Z0 : forall k, (k < length (stride L))%nat -> ~ In k q ->
                   nth k (stride L) 0 * nth k c 0 = 0).
    { intros k K NQ. destruct (Z.eq_dec (nth k (stride L) 0 * nth k c 0) 0) as [Y|Y]; [exact Y|].
      exfalso. rewrite <- Bool.not_true_iff_false in D. apply D. apply existsb_exists. exists k. split.
      - apply in_seq. lia.
      - apply andb_true_intro. split; apply Bool.negb_true_iff.
        + apply Bool.not_true_iff_false. intros J. apply existsb_exists in J.
          destruct J as [j [J1 J2]]. apply Nat.eqb_eq in J2. subst. contradiction.
        + apply Z.eqb_neq. exact Y. }
    assert (S : dot (stride L) c = dot (pick q (stride L)) (pick q c)).
    { apply (sum_map2_order Z.mul); try assumption; [congruence|]. rewrite LS. exact F'. }
    pose proof (box_pick q (shape L) c F' B) as BQ.
    rewrite S, (exact_number (pick q (shape L)) (pick q (stride L)) (pick q c) 1) in E;
      try (rewrite !pick_length; reflexivity); [|exact X].
    pose proof (number_bounds _ _ BQ) as NB. lia.
Qed.

(* -- left inverse ----------------------------------------------------------------------------------- *)

Lemma offset_injective : forall L, positive (shape L) -> L <> [] ->
  injective (box (shape L)) (dot (stride L)) -> injective (range (size_of L)) (offset L).
Proof.
  intros L P N J x y Hx Hy E. unfold offset in E.
  assert (NS : shape L <> []) by (intros K; apply map_eq_nil in K; contradiction).
  apply J in E; [|apply colex_box; assumption | apply colex_box; assumption].
  rewrite <- (number_of_colex (shape L) x P NS), E. apply number_of_colex; assumption.
Qed.

(* Where all modes fill memory without a gap, the right inverse is a left inverse too. *)
Theorem compact_left_inverse : forall q L, L <> [] -> positive (shape L) -> permutation (length L) q ->
  exact (pick q (shape L)) (pick q (stride L)) ->
  forall i, 0 <= i < size_of L -> offset (right_inverse q L) (offset L i) = i.
Proof.
  intros q L NL P Q X i Hi.
  assert (Q' : permutation (length (shape L)) q) by (rewrite shape_length; exact Q).
  assert (B : bijective (box (shape L)) (range (size_of L)) (dot (stride L))).
  { apply (exact_bijective_in_any_order q); try assumption.
    rewrite shape_length. apply stride_length. }
  destruct B as [B1 [B2 _]].
  assert (O : 0 <= offset L i < size_of (right_inverse q L)).
  { unfold size_of at 1. destruct (right_inverse_parts q L) as [E _]. rewrite E, product_pick by exact Q'.
    apply B1. apply colex_box; assumption. }
  destruct (right_inverse_law q L P (permutation_NoDup _ q Q) (permutation_Forall _ q Q) X _ O)
    as [R1 R2].
  apply (offset_injective L P NL B2); [exact R1 | exact Hi | exact R2].
Qed.

Lemma offset_app : forall L C i, positive (shape L) -> positive (shape C) -> C <> [] ->
  0 <= i < size_of L -> offset (L ++ C) i = offset L i.
Proof.
  intros L C i P PC N Hi. unfold offset, shape, stride. rewrite !map_app.
  fold (shape L) (shape C) (stride L) (stride C).
  assert (NS : shape C <> []) by (intros K; apply map_eq_nil in K; contradiction).
  rewrite colex_app by assumption. fold (size_of L).
  rewrite (Z.div_small i (size_of L)) by exact Hi. rewrite <- colex_is_digits by assumption.
  rewrite dot_app.
  - pose proof (offset_0 C PC) as O. unfold offset in O. rewrite O. ring.
  - rewrite stride_length, <- shape_length. apply box_length. apply colex_box; assumption.
Qed.

(* "R(L(i)) == i for i < size(L)", for an L with gaps: A is L in the order of its strides, and q is the order
   in which L and its complement leave no gap, which there always is. *)
Theorem left_inverse_law : forall L A M, Permutation L A -> 0 < M -> positive (shape A) -> complementable A ->
  let U := L ++ complement A M in
  (exists q, permutation (length U) q /\ exact (pick q (shape U)) (pick q (stride U))) /\
  (forall q, permutation (length U) q -> exact (pick q (shape U)) (pick q (stride U)) ->
     forall i, 0 <= i < size_of L -> offset (right_inverse q U) (offset L i) = i).
Proof.
  intros L A M H HM P C U.
  destruct (with_complement_exact L A M H HM P C) as [p [Pp [X [PU E]]]]. fold U in Pp, X, PU, E.
  split; [exists p; auto|]. intros q Q X' i Hi.
  destruct (complement_facts A 1 M ltac:(lia) HM P C) as [_ [_ [_ [_ [F5 _]]]]].
  fold (complement A M) in F5.
  assert (NC : complement A M <> []) by (unfold complement; destruct A as [|[s d] A']; discriminate).
  assert (PL : positive (shape L)).
  { unfold U, shape in PU. rewrite map_app in PU. apply positive_app in PU. apply PU. }
  rewrite <- (offset_app L (complement A M) i PL F5 NC Hi). fold U.
  apply compact_left_inverse; try assumption.
  - unfold U. intros K. apply app_eq_nil in K. destruct K as [_ K]. contradiction.
  - unfold size_of, U, shape. rewrite map_app, product_app.
    fold (shape L) (shape (complement A M)).
    pose proof (product_positive _ F5) as Q1. unfold size_of in Hi. nia.
Qed.
