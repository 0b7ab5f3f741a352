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

Lemma format_valid : forall m f R C rows columns, 0 <= R -> 0 <= C -> 0 < rows -> 0 < columns ->
  Layouts.shape m = [R; C] -> Layouts.defined m ->
  Layouts.size m = rounded R rows * rounded C columns ->
  (forall i j, Layouts.offset m [i; j] = f [i; j]) ->
  (0 < R -> 0 < C -> format_laws f R C rows columns) ->
  Layouts.valid m /\
  (0 < R -> 0 < C -> (Layouts.bijective m <-> (rows | R) /\ (columns | C))).
Proof.
  intros m f R C rows columns HR HC Hr Hc S D N O F.
  assert (G : forall e, Layouts.inside e (Layouts.shape m) ->
            0 < R /\ 0 < C /\ box [R; C] e /\ Layouts.offset m e = f e).
  { intros e B. rewrite S in B. apply inside_is_box in B.
    destruct (two_coordinates R C e B) as [i [j E]]. subst e.
    pose proof (box_positive _ _ B) as P. apply positive_cons in P. destruct P as [P1 P].
    apply positive_cons in P. destruct P as [P2 _]. repeat split; try assumption. apply O. }
  assert (V : Layouts.valid m).
  { split; [exact D|]. split.
    - intros e B. destruct (G e B) as [P1 [P2 [B' E]]]. destruct (F P1 P2) as [_ [I _]].
      rewrite E, N. apply I. exact B'.
    - intros a b Ba Bb E. destruct (G a Ba) as [P1 [P2 [Ba' Ea]]]. destruct (G b Bb) as [_ [_ [Bb' Eb]]].
      destruct (F P1 P2) as [J _]. apply J; [exact Ba' | exact Bb' | congruence]. }
  split; [exact V|]. intros P1 P2. destruct (F P1 P2) as [J [I L]]. rewrite <- L.
  assert (Back : forall e, box [R; C] e -> Layouts.inside e (Layouts.shape m)).
  { intros e B. rewrite S. apply inside_is_box. exact B. }
  destruct V as [_ [V2 V3]]. split.
  - intros [_ [_ [_ C']]]. split; [exact I|]. split; [exact J|]. intros x Hx. unfold range in Hx.
    rewrite <- N in Hx. destruct (C' x Hx) as [e [B E]]. destruct (G e B) as [_ [_ [B' E']]].
    exists e. split; [exact B' | congruence].
  - intros [_ [_ O']]. split; [exact D|]. split; [exact V2|]. split; [exact V3|].
    intros x Hx. rewrite N in Hx. destruct (O' x Hx) as [e [B E]]. exists e.
    destruct (G e (Back e B)) as [_ [_ [_ E']]]. split; [apply Back; exact B | congruence].
Qed.

(* A matrix in fractals of h by w, in either order of the fractals and of a fractal's elements. *)
Theorem library_fractal_valid : forall f b h w R C, 1 <= h -> 1 <= w -> 0 <= R -> 0 <= C ->
  Layouts.valid (Layouts.fractal f b h w R C) /\
  (0 < R -> 0 < C -> (Layouts.bijective (Layouts.fractal f b h w R C) <-> (h | R) /\ (w | C))).
Proof.
  intros f b h w R C Hh Hw HR HC.
  assert (D : Layouts.defined (Layouts.fractal f b h w R C)).
  { simpl. repeat split; assumption. }
  assert (N : Layouts.size (Layouts.fractal f b h w R C) = rounded R h * rounded C w).
  { simpl. unfold rounded. rewrite !ceildiv_same by lia. ring. }
  destruct f, b.
  - apply (format_valid _ (offset_at (zZ h w R C)) R C h w); try assumption; try lia; try reflexivity.
    + intros i j. apply (library_formats h w R C i j); lia.
    + intros P1 P2. apply zZ_laws; lia.
  - apply (format_valid _ (offset_at (nZ w h R C)) R C h w); try assumption; try lia; try reflexivity.
    + intros i j. apply (library_formats w h R C i j); lia.
    + intros P1 P2. apply nZ_laws; lia.
  - apply (format_valid _ (offset_at (zN h w R C)) R C h w); try assumption; try lia; try reflexivity.
    + intros i j. apply (library_formats h w R C i j); lia.
    + intros P1 P2. apply zN_laws; lia.
  - apply (format_valid _ (offset_at (nN w h R C)) R C h w); try assumption; try lia; try reflexivity.
    + intros i j. apply (library_formats w h R C i j); lia.
    + intros P1 P2. apply nN_laws; lia.
Qed.

(* -- theorem 5 as a bitcast ------------------------------------------------------------------------- *)

Lemma evens_and_odds : forall n,
  Permutation (map (fun i => 0 + 2 * i)%nat (seq 0 n) ++ map (fun i => 0 + (2 * i + 1))%nat (seq 0 n))
    (seq 0 (2 * n)).
Proof.
  induction n as [|n IH]; [apply Permutation_refl|].
  replace (2 * S n)%nat with (S (S (2 * n))) by lia. rewrite !seq_S, !map_app. cbn [map].
  set (A := map (fun i => 0 + 2 * i)%nat (seq 0 n)) in *.
  set (B := map (fun i => 0 + (2 * i + 1))%nat (seq 0 n)) in *.
  replace (0 + 2 * (0 + n))%nat with (2 * n)%nat by lia.
  replace (0 + (2 * (0 + n) + 1))%nat with (S (2 * n)) by lia.
  replace (0 + 2 * n)%nat with (2 * n)%nat by lia. replace (0 + S (2 * n))%nat with (S (2 * n)) by lia.
  transitivity ((A ++ B) ++ [(2 * n)%nat; S (2 * n)]).
  - rewrite <- !app_assoc. apply Permutation_app_head. apply (Permutation_middle B [S (2 * n)]).
  - rewrite <- (app_assoc (seq 0 (2 * n))). apply Permutation_app; [exact IH | apply Permutation_refl].
Qed.

Lemma tiles_last_permutation : forall n, permutation (2 * n) (tiles_last 0 n).
Proof. intros n. apply evens_and_odds. Qed.

Lemma counts_of_whole_tiles : forall c t, positive t -> length c = length t ->
  counts t (map2 Z.mul c t) = c.
Proof.
  induction c as [|a c IH]; intros [|s t] P L; simpl in L; try discriminate; [reflexivity|].
  apply positive_cons in P. destruct P as [Hs P]. unfold counts in *. simpl. rewrite IH by (try exact P; lia).
  f_equal. pose proof (ceildiv_exact (a * s) s Hs (ex_intro _ a eq_refl)) as E. nia.
Qed.

Definition number_of : list Z -> list Z -> Z := Integers.number.

Lemma number_is_linear_index : forall d e, number_of e d = linear_index d e.
Proof.
  induction d as [|s d IH]; intros [|x e]; try reflexivity.
  change (x * product d + number_of e d = x * product d + linear_index d e). rewrite IH. reflexivity.
Qed.

Lemma plain_tile : forall t, tile_of (map Some t) = map Size t.
Proof. intros t. unfold tile_of. rewrite map_map. reflexivity. Qed.

Lemma plain_tile_is_tile : forall t, positive t -> tile (map Size t).
Proof. intros t P. induction P as [|s t Hs P IH]; simpl; [exact I | split; assumption]. Qed.

(* A tile over the whole rank, without stars, is the definition of the document. *)
Lemma whole_tile : forall t d e, length t = length d -> length t = length e ->
  level_shape (map Size t) d = split_shape t d /\ level (map Size t) d e = split t e.
Proof.
  intros t d e L1 L2. unfold level_shape, level, leading.
  assert (Z1 : (length (map Size t) - length d)%nat = 0%nat) by (rewrite map_length; lia).
  assert (Z2 : (length (map Size t) - length e)%nat = 0%nat) by (rewrite map_length; lia).
  rewrite Z1, Z2. simpl repeat. rewrite !app_nil_l.
  replace (length d - length (map Size t))%nat with 0%nat by (rewrite map_length; lia).
  unfold on_suffix. simpl firstn. simpl skipn. rewrite !app_nil_l, sizes_without_star.
  destruct (combined_without_star t d e) as [E1 E2]. rewrite E1, E2. split; reflexivity.
Qed.

(* f32[c*t]{default:T(t)} is a bitcast of f32[c1,t1,c2,t2,...] with t1, t2, ... the most minor in memory: the
   reshape and the transpose of a padded array, for every rank. *)
Theorem library_tiles_are_a_transpose : forall c t, positive t -> positive c -> length c = length t ->
  let n := length t in
  Layouts.bitcast
    (Layouts.xla (map2 Z.mul c t) (rev (seq 0 n)) [map Some t] 1)
    (Layouts.xla (interleave c t) (rev (tiles_last 0 n)) [] 1).
Proof.
  intros c t P Q L n.
  assert (LM : length (map2 Z.mul c t) = n) by (rewrite map2_length; assumption).
  assert (LI : length (interleave c t) = (2 * n)%nat).
  { rewrite interleave_length by exact L. unfold n. rewrite L. reflexivity. }
  assert (PA : permutation (length (map2 Z.mul c t)) (rev (seq 0 n))).
  { rewrite LM. apply permutation_rev. apply permutation_seq. }
  assert (PB : permutation (length (interleave c t)) (rev (tiles_last 0 n))).
  { rewrite LI. apply permutation_rev. apply tiles_last_permutation. }
  assert (T : Forall tile (map tile_of [map Some t])).
  { simpl. rewrite plain_tile. constructor; [apply plain_tile_is_tile; exact P | constructor]. }
  assert (E0 : product (interleave c t) = product (map2 Z.mul c t)).
  { destruct (interleave_index c t c t) as [_ E]; [exact L | reflexivity | exact L | exact E]. }
  assert (X : forall e, length e = n ->
            physical (rev (seq 0 n)) e = e).
  { intros e Le. unfold physical. rewrite rev_involutive, <- Le. apply pick_seq. }
  assert (Y : forall q r, length q = n -> length r = n ->
            physical (rev (tiles_last 0 n)) (interleave q r) = q ++ r).
  { intros q r Lq Lr. unfold physical. rewrite rev_involutive, <- Lq.
    apply (pick_tiles_last []). congruence. }
  assert (SA : xla_places (rev (seq 0 n)) (map tile_of [map Some t]) (map2 Z.mul c t)
               = product (c ++ t)).
  { unfold xla_places. rewrite X by exact LM. simpl map. rewrite plain_tile. simpl tiled_shape.
    destruct (whole_tile t (map2 Z.mul c t) (map2 Z.mul c t)) as [E _]; [symmetry; exact LM | symmetry; exact LM |].
    rewrite E. unfold split_shape. rewrite counts_of_whole_tiles by assumption. reflexivity. }
  assert (PM : positive (map2 Z.mul c t)).
  { clear - P Q L. revert t P L. induction Q as [|a c Ha Q IH]; intros [|s t] P L; simpl in *;
      try discriminate; [constructor|]. apply positive_cons in P. destruct P as [Hs P].
    constructor; [nia | apply IH; [exact P | lia]]. }
  assert (PI : positive (interleave c t)).
  { clear - P Q L. revert t P L. induction Q as [|a c Ha Q IH]; intros [|s t] P L; simpl in *;
      try discriminate; [constructor|]. apply positive_cons in P. destruct P as [Hs P].
    constructor; [exact Ha | constructor; [exact Hs | apply IH; [exact P | lia]]]. }
  split; [|split; [|split; [|split]]].
  - exact (proj1 (library_valid _ _ _ 1 PA T (positive_nonnegative _ PM) ltac:(lia))).
  - exact (proj1 (library_valid _ _ [] 1 PB (Forall_nil _) (positive_nonnegative _ PI) ltac:(lia))).
  - change (Integers.product ?l) with (product l). symmetry. exact E0.
  - rewrite !library_size by (try assumption; constructor). rewrite SA. unfold xla_places. simpl map.
    simpl tiled_shape. rewrite Y by (try exact L; reflexivity). reflexivity.
  - intros p q Bp Bq E. simpl Layouts.shape in *. apply inside_is_box in Bp, Bq.
    rewrite !library_offset by (try assumption; constructor).
    (* the other array's element is the reshaped one *)
    pose proof (box_length _ _ Bp) as Lp. rewrite LM in Lp.
    assert (Lt : length t = length p) by exact Lp.
    assert (LQ : length (quotients t p) = n) by (apply quotients_length; exact Lt).
    assert (LR : length (remainders t p) = n) by (apply remainders_length; exact Lt).
    assert (Eq : q = interleave (quotients t p) (remainders t p)).
    { change (number_of p (map2 Z.mul c t) = number_of q (interleave c t)) in E.
      rewrite !number_is_linear_index in E.
      assert (B : box (interleave c t) (interleave (quotients t p) (remainders t p))).
      { apply interleave_box; [| | exact L].
        - rewrite <- (counts_of_whole_tiles c t P L) at 1. apply quotients_box; [exact P | | exact Bp].
          rewrite LM. reflexivity.
        - apply remainders_box; [exact P | exact Lt]. }
      destruct (interleave_index c t (quotients t p) (remainders t p)) as [I _];
        [exact L | rewrite LQ; exact L | rewrite LR; exact L |].
      rewrite digits_back in I by (try exact P; exact Lt).
      apply (linear_index_injective (interleave c t)); [exact Bq | exact B | congruence]. }
    unfold xla_offset. rewrite X by exact LM. rewrite X by (symmetry; exact Lp).
    simpl map. rewrite plain_tile. simpl tiled_shape. simpl tiled.
    destruct (whole_tile t (map2 Z.mul c t) p) as [E1 E2]; [symmetry; exact LM | exact Lt |].
    rewrite E1, E2, Eq. rewrite Y by (try exact L; reflexivity). rewrite Y by assumption.
    unfold split_shape, split. rewrite counts_of_whole_tiles by assumption. reflexivity.
Qed.
