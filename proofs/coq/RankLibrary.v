(* The theorems for every rank, for the layouts of the library (Layouts.v) that certificates are about. *)

Require Import ZArith List Lia Permutation.
Require Import Symlayout.RankLists Symlayout.RankRadix Symlayout.RankIndex Symlayout.RankTiles Symlayout.RankLevels.
Require Import Symlayout.RankNested Symlayout.RankFormats Symlayout.RankCute.
Require Symlayout.Integers Symlayout.Layouts.
Import ListNotations.
Open Scope Z_scope.

(* The library writes `*` as None. *)
Definition entry_of (t : option Z) : entry := match t with Some s => Size s | None => Star end.
Definition tile_of (t : list (option Z)) : list entry := map entry_of t.

(* -- numbers ---------------------------------------------------------------------------------------- *)

Lemma inside_is_box : forall d e, Layouts.inside e d <-> box d e.
Proof.
  induction d as [|s d IH]; intros [|x e]; simpl.
  - split; [intros _; constructor | intros _; exact I].
  - split; [intros [] | intros H; inversion H].
  - split; [intros [] | intros H; inversion H].
  - rewrite box_cons, (IH e). reflexivity.
Qed.

Lemma ceildiv_same : forall x t, 0 < t -> Integers.ceildiv x t = ceildiv x t.
Proof. intros x t H. rewrite Integers.ceildiv_div by lia. reflexivity. Qed.

Lemma numbered_is_linear_index : forall ds,
  Layouts.numbered ds = linear_index (map snd ds) (map fst ds).
Proof.
  intros ds. unfold Layouts.numbered.
  assert (G : forall n, fold_left (fun n x => n * snd x + fst x) ds n
                        = n * product (map snd ds) + linear_index (map snd ds) (map fst ds)).
  { induction ds as [|[x s] ds IH]; intros n; simpl.
    - rewrite product_nil. ring.
    - rewrite IH, product_cons. ring. }
  rewrite G. ring.
Qed.

Lemma counted_is_product : forall ds, Layouts.counted ds = product (map snd ds).
Proof.
  intros ds. unfold Layouts.counted.
  assert (G : forall n, fold_left (fun n x => n * snd x) ds n = n * product (map snd ds)).
  { induction ds as [|[x s] ds IH]; intros n; simpl.
    - rewrite product_nil. ring.
    - rewrite IH, product_cons. ring. }
  rewrite G. ring.
Qed.

(* -- one level of tiles ----------------------------------------------------------------------------- *)

Lemma joined_is_combined : forall t ds,
  map snd (Layouts.joined t ds) = combined_shape (tile_of t) (map snd ds) /\
  map fst (Layouts.joined t ds) = combined (tile_of t) (map snd ds) (map fst ds).
Proof.
  induction t as [|[s|] t IH]; intros ds; simpl.
  - split; reflexivity.
  - destruct ds as [|[x n] ds]; simpl; [split; reflexivity|].
    destruct (IH ds) as [I1 I2]. rewrite I1, I2. split; reflexivity.
  - destruct ds as [|[x n] [|[y k] ds]]; simpl; try (split; reflexivity).
    apply (IH ((x * k + y, n * k) :: ds)).
Qed.

Lemma sizes_same : forall t, sizes (tile_of t) = Layouts.sizes_of t.
Proof.
  induction t as [|[s|] t IH]; simpl; [reflexivity | rewrite IH; reflexivity | exact IH].
Qed.

Lemma blocks_are_quotients : forall t ds, positive t ->
  map snd (Layouts.each Layouts.block t ds) = counts t (map snd ds) /\
  map fst (Layouts.each Layouts.block t ds) = quotients t (map fst ds).
Proof.
  induction t as [|s t IH]; intros [|[x n] ds] P; simpl; try (split; reflexivity).
  apply positive_cons in P. destruct P as [Hs P]. destruct (IH ds P) as [I1 I2].
  unfold counts, quotients in *. rewrite I1, I2. simpl. rewrite ceildiv_same by exact Hs.
  split; reflexivity.
Qed.

Lemma places_are_remainders : forall t ds, length t = length ds ->
  map snd (Layouts.each Layouts.within t ds) = t /\
  map fst (Layouts.each Layouts.within t ds) = remainders t (map fst ds).
Proof.
  induction t as [|s t IH]; intros [|[x n] ds] L; simpl in L; try discriminate; simpl.
  - split; reflexivity.
  - destruct (IH ds ltac:(lia)) as [I1 I2]. unfold remainders in *. rewrite I1, I2. split; reflexivity.
Qed.

Lemma repeat_map : forall (f : Z * Z -> Z) x k, map f (repeat x k) = repeat (f x) k.
Proof. intros f x k. induction k as [|k IH]; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

Lemma cut_is_level : forall t (ds : list (Z * Z)), tile (tile_of t) ->
  map snd (Layouts.cut ds t) = level_shape (tile_of t) (map snd ds) /\
  map fst (Layouts.cut ds t) = level (tile_of t) (map snd ds) (map fst ds).
Proof.
  intros t ds T. unfold Layouts.cut, Layouts.digit in *.
  set (whole := repeat (0, 1) (length t - length ds) ++ ds).
  assert (LT : length (tile_of t) = length t) by apply map_length.
  assert (W1 : map snd whole = leading 1 (tile_of t) (map snd ds)).
  { unfold whole, leading. rewrite map_app, LT, map_length. f_equal.
    apply repeat_map. }
  assert (W2 : map fst whole = leading 0 (tile_of t) (map fst ds)).
  { unfold whole, leading. rewrite map_app, LT, map_length. f_equal.
    apply repeat_map. }
  assert (LW : length (leading 1 (tile_of t) (map snd ds)) = length whole).
  { rewrite <- W1. apply map_length. }
  assert (LO : (length t <= length whole)%nat).
  { unfold whole. rewrite app_length, repeat_length. lia. }
  unfold level_shape, level, on_suffix. rewrite LW, LT. set (k := (length whole - length t)%nat).
  rewrite <- W1, <- W2. rewrite !firstn_map, !skipn_map. set (ts := Layouts.sizes_of t).
  destruct (joined_is_combined t (skipn k whole)) as [J1 J2].
  set (last := Layouts.joined t (skipn k whole)) in *.
  pose proof (tile_positive _ T) as P. rewrite sizes_same in P. fold ts in P.
  destruct (blocks_are_quotients ts last P) as [B1 B2].
  assert (LL : length ts = length last).
  { assert (C : length (combined_shape (tile_of t) (map snd (skipn k whole))) = length (sizes (tile_of t))).
    { apply combined_length; [exact T|]. rewrite LT, map_length, skipn_length. unfold k. lia. }
    rewrite <- J1, map_length, sizes_same in C. symmetry. exact C. }
  destruct (places_are_remainders ts last LL) as [R1 R2].
  rewrite !map_app, B1, B2, R1, R2, J1, J2, sizes_same. split; reflexivity.
Qed.

Lemma cuts_are_levels : forall ts ds, Forall tile (map tile_of ts) ->
  map snd (fold_left Layouts.cut ts ds) = tiled_shape (map tile_of ts) (map snd ds) /\
  map fst (fold_left Layouts.cut ts ds) = tiled (map tile_of ts) (map snd ds) (map fst ds).
Proof.
  induction ts as [|t ts IH]; intros ds T; simpl; [split; reflexivity|].
  simpl in T. inversion T as [|t' ts' T1 T2]; subst.
  destruct (cut_is_level t ds T1) as [C1 C2]. rewrite <- C1, <- C2. apply IH. exact T2.
Qed.

(* -- the whole of an XLA layout --------------------------------------------------------------------- *)

Lemma physical_same : forall p d e, permutation (length d) p ->
  map snd (Layouts.physical p d e) = physical p d /\ map fst (Layouts.physical p d e) = physical p e.
Proof.
  intros p d e P. unfold Layouts.physical, physical, pick. rewrite !map_map. split; [|reflexivity].
  apply map_ext_in. intros k K. simpl. apply nth_indep.
  apply (permutation_in (length d) (rev p)); [apply permutation_rev; exact P | exact K].
Qed.

Theorem library_offset : forall d p ts tail e, permutation (length d) p -> Forall tile (map tile_of ts) ->
  Layouts.offset (Layouts.xla d p ts tail) e = xla_offset p (map tile_of ts) d e.
Proof.
  intros d p ts tail e P T. simpl. rewrite numbered_is_linear_index.
  destruct (physical_same p d e P) as [E1 E2].
  destruct (cuts_are_levels ts (Layouts.physical p d e) T) as [C1 C2].
  rewrite C1, C2, E1, E2. reflexivity.
Qed.

Theorem library_size : forall d p ts, permutation (length d) p -> Forall tile (map tile_of ts) ->
  Layouts.size (Layouts.xla d p ts 1) = xla_places p (map tile_of ts) d.
Proof.
  intros d p ts P T. simpl. rewrite counted_is_product.
  destruct (physical_same p d [] P) as [E1 _].
  destruct (cuts_are_levels ts (Layouts.physical p d []) T) as [C1 _].
  rewrite C1, E1. reflexivity.
Qed.

Lemma tail_rounds_up : forall d p ts tail, 1 <= tail ->
  Layouts.size (Layouts.xla d p ts 1) <= Layouts.size (Layouts.xla d p ts tail).
Proof.
  intros d p ts tail H. simpl. destruct (Z.eqb_spec tail 1) as [E|E]; [lia|].
  rewrite ceildiv_same by lia. destruct (ceildiv_spec
    (Layouts.counted (fold_left Layouts.cut ts (Layouts.physical p d []))) tail ltac:(lia)) as [C _]. lia.
Qed.

Lemma defined_everywhere : forall d ts tail, nonnegative d -> Forall tile (map tile_of ts) -> 1 <= tail ->
  Layouts.at_least 0 d /\ Layouts.at_least 1 (flat_map Layouts.sizes_of ts) /\ 1 <= tail.
Proof.
  intros d ts tail N T H. split; [|split; [|exact H]].
  - induction N as [|s d Hs N IH]; simpl; auto.
  - assert (G : forall l m, positive l -> Layouts.at_least 1 m -> Layouts.at_least 1 (l ++ m)).
    { intros l m Q M. induction Q as [|s l Hs Q IH]; simpl; [exact M | split; [lia | exact IH]]. }
    induction ts as [|t ts IH]; simpl; [exact I|]. simpl in T. inversion T as [|t' ts' T1 T2]; subst.
    apply G; [|apply IH; exact T2]. rewrite <- sizes_same. apply tile_positive. exact T1.
Qed.

(* Any rank, any order, any tiles with any stars, any number of levels, any tail: no two elements share an
   offset, and all lie in the buffer. *)
Theorem library_valid : forall d p ts tail, permutation (length d) p -> Forall tile (map tile_of ts) ->
  nonnegative d -> 1 <= tail -> Layouts.valid (Layouts.xla d p ts tail).
Proof.
  intros d p ts tail P T N H. split; [apply defined_everywhere; assumption|]. split.
  - intros e B. rewrite library_offset by assumption. apply inside_is_box in B.
    pose proof (xla_bounds p (map tile_of ts) d e P T B) as X.
    pose proof (tail_rounds_up d p ts tail H) as Y. rewrite library_size in Y by assumption. lia.
  - intros a b Ba Bb E. rewrite !library_offset in E by assumption.
    apply inside_is_box in Ba, Bb. exact (xla_injective p (map tile_of ts) d P T a b Ba Bb E).
Qed.

Theorem library_bijective_iff : forall d p ts, permutation (length d) p -> Forall tile (map tile_of ts) ->
  positive d ->
  (Layouts.bijective (Layouts.xla d p ts 1) <-> tiles_divide (map tile_of ts) (physical p d)).
Proof.
  intros d p ts P T Q. rewrite <- (xla_bijective_iff p (map tile_of ts) d P T Q). split.
  - intros [_ [S [J C]]]. split; [|split].
    + intros e B. unfold range. apply xla_bounds; assumption.
    + apply xla_injective; assumption.
    + intros x Hx. unfold range in Hx. rewrite <- library_size in Hx by assumption.
      destruct (C x Hx) as [e [B E]]. apply inside_is_box in B. exists e. split; [exact B|].
      rewrite library_offset in E by assumption. exact E.
  - intros [F1 [F2 F3]]. pose proof (positive_nonnegative d Q) as N.
    destruct (library_valid d p ts 1 P T N ltac:(lia)) as [V1 [V2 V3]].
    split; [exact V1|]. split; [exact V2|]. split; [exact V3|].
    intros x Hx. rewrite library_size in Hx by assumption. destruct (F3 x Hx) as [e [B E]].
    exists e. split; [apply inside_is_box; exact B|]. rewrite library_offset by assumption. exact E.
Qed.

(* -- shape:stride ----------------------------------------------------------------------------------- *)

Lemma library_crd2offset : forall l c below, positive (shape l) -> 0 < below ->
  Layouts.crd2offset c below l = offset l (c / below).
Proof.
  induction l as [|[s d] l IH]; intros c below P H; [reflexivity|].
  simpl in P. apply positive_cons in P. destruct P as [Hs P]. destruct l as [|m l].
  - rewrite offset_one. simpl. ring.
  - rewrite offset_cons by discriminate.
    change (c / below mod s * d + Layouts.crd2offset c (below * s) (m :: l)
            = d * ((c / below) mod s) + offset (m :: l) (c / below / s)).
    rewrite IH by (try exact P; nia). rewrite Z.div_div by lia. ring.
Qed.

(* One coordinate a group of modes, any number of groups: the nested layout at a tuple of numbers. *)
Theorem library_modes : forall groups e, Forall (fun g => positive (shape g) /\ g <> []) groups ->
  Layouts.offset (Layouts.modes groups) e
  = RankNested.crd2offset (Modes (map flat groups)) (Tuple (map Number e)).
Proof.
  intros groups e H. simpl Layouts.offset. revert e.
  induction H as [|g gs [P N] H IH]; intros [|x e]; try reflexivity.
  simpl map. rewrite crd2offset_tuple, <- IH, flat_offset by assumption. simpl.
  rewrite library_crd2offset by (try exact P; lia). rewrite Z.div_1_r. reflexivity.
Qed.

(* -- strides ---------------------------------------------------------------------------------------- *)

Lemma library_dot : forall e w, Layouts.dot e w = dot w e.
Proof.
  induction e as [|x e IH]; intros [|a w]; simpl; rewrite ?dot_nil_r, ?dot_nil_l; try reflexivity.
  rewrite dot_cons, IH. ring.
Qed.

(* Strides without carries in some order p of the dimensions: no two elements share an offset. *)
Theorem library_strided : forall p n w start, permutation (length n) p -> length w = length n ->
  nonnegative n -> nonnegative w -> no_carries (pick p n) (pick p w) ->
  Layouts.injective (Layouts.strided n w start).
Proof.
  intros p n w start P L N W S. split.
  - simpl. clear - N. induction N as [|s d Hs N IH]; simpl; auto.
  - intros a b Ha Hb E. simpl in *. rewrite !library_dot in E. apply inside_is_box in Ha, Hb.
    apply (no_carries_injective_in_any_order p n w); try assumption. lia.
Qed.

(* -- the fractal formats ---------------------------------------------------------------------------- *)

Theorem library_formats : forall s c0 R C i j, 0 < s -> 0 < c0 ->
  Layouts.offset (Layouts.fractal false true s c0 R C) [i; j] = offset_at (zN s c0 R C) [i; j] /\
  Layouts.offset (Layouts.fractal true false c0 s R C) [i; j] = offset_at (nZ s c0 R C) [i; j] /\
  Layouts.offset (Layouts.fractal true true s c0 R C) [i; j] = offset_at (zZ s c0 R C) [i; j] /\
  Layouts.offset (Layouts.fractal false false c0 s R C) [i; j] = offset_at (nN s c0 R C) [i; j].
Proof.
  intros s c0 R C i j Hs Hc. unfold offset_at, zN, nZ, zZ, nN, rounded. simpl.
  rewrite ?ceildiv_same by assumption. repeat split; ring.
Qed.
