(* Theorems 10 and 11. Fractal formats and the tiles that they are, and tiles at multiples of a fractal. *)

Require Import ZArith List Lia Permutation.
Require Import Symlayout.RankLists Symlayout.RankIndex Symlayout.RankTiles Symlayout.RankLevels.
Require Import Symlayout.RankNested.
Import ListNotations.
Open Scope Z_scope.

(* -- definitions ------------------------------------------------------------------------------------ *)

(* A matrix of R by C, in fractals of s and c0. "The small letter is the order inside a fractal, the big one
   the order of the fractals: z and Z row-major, n and N column-major." Quotients are rounded up. *)
Definition rounded (x m : Z) : Z := ceildiv x m * m.

Definition zN (s c0 R C : Z) : layout :=
  Modes [Modes [Mode s c0; Mode (ceildiv R s) (s * c0)];
         Modes [Mode c0 1; Mode (ceildiv C c0) (rounded R s * c0)]].
Definition nZ (s c0 R C : Z) : layout :=
  Modes [Modes [Mode c0 1; Mode (ceildiv R c0) (rounded C s * c0)];
         Modes [Mode s c0; Mode (ceildiv C s) (s * c0)]].
Definition zZ (s c0 R C : Z) : layout :=
  Modes [Modes [Mode s c0; Mode (ceildiv R s) (rounded C c0 * s)];
         Modes [Mode c0 1; Mode (ceildiv C c0) (s * c0)]].
Definition nN (s c0 R C : Z) : layout :=
  Modes [Modes [Mode c0 1; Mode (ceildiv R c0) (s * c0)];
         Modes [Mode s c0; Mode (ceildiv C s) (rounded R c0 * s)]].
Definition L0C (R C : Z) : layout := zN 16 16 R C.

(* The offset of an element by one coordinate a dimension. *)
Definition offset_at (l : layout) (e : list Z) : Z := crd2offset l (Tuple (map Number e)).

(* A dimension in blocks of b with stride u inside of a block and v from block to block. *)
Definition address (block : Z * Z * Z) (i : Z) : Z :=
  let '(b, u, v) := block in i / b * v + i mod b * u.
Definition addresses (blocks : list (Z * Z * Z)) (e : list Z) : Z := sum (map2 address blocks e).
(* The tile of h places at the corner p, addressed from its corner with the strides of the whole. *)
Definition tile_right (blocks : list (Z * Z * Z)) (p h : list Z) : Prop :=
  forall k, box h k -> addresses blocks (map2 Z.add p k) = addresses blocks p + addresses blocks k.

(* The document's zN with fractals of 4 by 4. *)
Example zN_row_0 : map (fun j => offset_at (zN 4 4 8 12) [0; j]) [0; 1; 2; 3; 4; 5; 8] = [0; 1; 2; 3; 32; 33; 64].
Proof. reflexivity. Qed.
Example zN_column_0 : map (fun i => offset_at (zN 4 4 8 12) [i; 0]) [0; 1; 2; 3; 4; 7] = [0; 4; 8; 12; 16; 28].
Proof. reflexivity. Qed.

(* -- theorem 10: formats are tiles ------------------------------------------------------------------- *)

Definition one_tile (s t : Z) : list (list entry) := [[Size s; Size t]].
Definition two_tiles (s t u v : Z) : list (list entry) := [[Size s; Size t]; [Size u; Size v]].

Lemma ceildiv_self : forall x, 0 < x -> ceildiv x x = 1.
Proof.
  intros x H. assert (D : (x | x)) by (exists 1; ring).
  pose proof (ceildiv_exact x x H D) as E. nia.
Qed.

Lemma one_tile_offset : forall d1 d2 s t i j, xla_offset [1; 0]%nat (one_tile s t) [d1; d2] [i; j]
  = ((i / s * ceildiv d2 t + j / t) * s + i mod s) * t + j mod t.
Proof.
  intros. unfold xla_offset, one_tile, physical, pick. simpl.
  unfold split_shape, counts. simpl.
  rewrite !product_cons, !product_nil. ring.
Qed.

Lemma one_tile_offset_columns : forall d1 d2 s t i j, xla_offset [0; 1]%nat (one_tile s t) [d1; d2] [i; j]
  = ((j / s * ceildiv d1 t + i / t) * s + j mod s) * t + i mod t.
Proof.
  intros. unfold xla_offset, one_tile, physical, pick. simpl.
  unfold split_shape, counts. simpl.
  rewrite !product_cons, !product_nil. ring.
Qed.

Lemma two_tiles_offset : forall d1 d2 s t i j, 0 < s -> 0 < t ->
  xla_offset [1; 0]%nat (two_tiles s t s 1) [d1; d2] [i; j]
  = ((i / s * ceildiv d2 t + j / t) * t + j mod t) * s + i mod s.
Proof.
  intros d1 d2 s t i j Hs Ht. unfold xla_offset, two_tiles, physical, pick. simpl.
  unfold split_shape, counts. simpl.
  rewrite !product_cons, !product_nil, !ceildiv_1, !Z.div_1_r, !Z.mod_1_r, ceildiv_self by exact Hs.
  rewrite Z.mod_mod by lia. rewrite (Z.div_small (i mod s) s) by (apply Z.mod_pos_bound; exact Hs). ring.
Qed.

Lemma two_tiles_offset_columns : forall d1 d2 s t i j, 0 < s -> 0 < t ->
  xla_offset [0; 1]%nat (two_tiles s t s 1) [d1; d2] [i; j]
  = ((j / s * ceildiv d1 t + i / t) * t + i mod t) * s + j mod s.
Proof.
  intros d1 d2 s t i j Hs Ht. unfold xla_offset, two_tiles, physical, pick. simpl.
  unfold split_shape, counts. simpl.
  rewrite !product_cons, !product_nil, !ceildiv_1, !Z.div_1_r, !Z.mod_1_r, ceildiv_self by exact Hs.
  rewrite Z.mod_mod by lia. rewrite (Z.div_small (j mod s) s) by (apply Z.mod_pos_bound; exact Hs). ring.
Qed.

(* zZ = {1,0:T(s,c0)} *)
Theorem zZ_is_tiles : forall s c0 R C i j, 0 < s -> 0 < c0 ->
  offset_at (zZ s c0 R C) [i; j] = xla_offset [1; 0]%nat (one_tile s c0) [R; C] [i; j].
Proof.
  intros s c0 R C i j Hs Hc. rewrite one_tile_offset.
  unfold offset_at, zZ, rounded. simpl. ring.
Qed.

(* nN = {0,1:T(s,c0)} *)
Theorem nN_is_tiles : forall s c0 R C i j, 0 < s -> 0 < c0 ->
  offset_at (nN s c0 R C) [i; j] = xla_offset [0; 1]%nat (one_tile s c0) [R; C] [i; j].
Proof.
  intros s c0 R C i j Hs Hc. rewrite one_tile_offset_columns.
  unfold offset_at, nN, rounded. simpl. ring.
Qed.

(* zN = {0,1:T(c0,s)(c0,1)} *)
Theorem zN_is_tiles : forall s c0 R C i j, 0 < s -> 0 < c0 ->
  offset_at (zN s c0 R C) [i; j] = xla_offset [0; 1]%nat (two_tiles c0 s c0 1) [R; C] [i; j].
Proof.
  intros s c0 R C i j Hs Hc. rewrite two_tiles_offset_columns by assumption.
  unfold offset_at, zN, rounded. simpl. ring.
Qed.

(* nZ = {1,0:T(c0,s)(c0,1)} *)
Theorem nZ_is_tiles : forall s c0 R C i j, 0 < s -> 0 < c0 ->
  offset_at (nZ s c0 R C) [i; j] = xla_offset [1; 0]%nat (two_tiles c0 s c0 1) [R; C] [i; j].
Proof.
  intros s c0 R C i j Hs Hc. rewrite two_tiles_offset by assumption.
  unfold offset_at, nZ, rounded. simpl. ring.
Qed.

(* L0C = {0,1:T(16,16)(16,1)} *)
Theorem L0C_is_tiles : forall R C i j,
  offset_at (L0C R C) [i; j] = xla_offset [0; 1]%nat (two_tiles 16 16 16 1) [R; C] [i; j].
Proof. intros. apply zN_is_tiles; lia. Qed.

(* Weight4BitnZ, PaddingRowMajor(br,bc) and PaddingColumnMajor(br,bc), as their tables say. *)
Definition Weight4BitnZ (R C : Z) : layout :=
  Modes [Modes [Mode 32 1; Mode (ceildiv R 32) (rounded C 16 * 32)];
         Modes [Mode 16 32; Mode (ceildiv C 16) 512]].
Definition PaddingRowMajor (br bc R C : Z) : layout :=
  Modes [Modes [Mode br bc; Mode (ceildiv R br) (br * rounded C bc)];
         Modes [Mode bc 1; Mode (ceildiv C bc) (br * bc)]].
Definition PaddingColumnMajor (br bc R C : Z) : layout :=
  Modes [Modes [Mode br 1; Mode (ceildiv R br) (br * bc)];
         Modes [Mode bc br; Mode (ceildiv C bc) (rounded R br * bc)]].

Theorem other_formats : forall br bc R C,
  Weight4BitnZ R C = nZ 16 32 R C /\
  PaddingRowMajor br bc R C = zZ br bc R C /\
  PaddingColumnMajor br bc R C = nN bc br R C.
Proof.
  intros br bc R C. unfold PaddingRowMajor, PaddingColumnMajor, zZ, nN. split; [reflexivity|].
  rewrite (Z.mul_comm br (rounded C bc)), (Z.mul_comm br bc). split; reflexivity.
Qed.

(* Transposes. *)
Theorem nZ_is_transposed_zN : forall s c0 R C i j,
  offset_at (nZ s c0 R C) [i; j] = offset_at (zN s c0 C R) [j; i].
Proof. intros. unfold offset_at, nZ, zN. simpl. ring. Qed.

Theorem nN_is_transposed_zZ : forall s c0 R C i j,
  offset_at (nN s c0 R C) [i; j] = offset_at (zZ s c0 C R) [j; i].
Proof. intros. unfold offset_at, nN, zZ. simpl. ring. Qed.

(* Each element in its own place, inside of the rounded box; a bijection exactly when the fractal divides. *)
Definition format_laws (f : list Z -> Z) (R C rows columns : Z) : Prop :=
  injective (box [R; C]) f /\
  maps_into (box [R; C]) (range (rounded R rows * rounded C columns)) f /\
  (bijective (box [R; C]) (range (rounded R rows * rounded C columns)) f <-> (rows | R) /\ (columns | C)).

Lemma two_coordinates : forall R C e, box [R; C] e -> exists i j, e = [i; j].
Proof.
  intros R C e B. apply box_cons_l in B. destruct B as [i [e1 [E1 [Hi B]]]].
  apply box_cons_l in B. destruct B as [j [e2 [E2 [Hj B]]]]. apply box_nil_l in B. subst.
  exists i, j. reflexivity.
Qed.

Lemma laws_of_tiles : forall f p tiles R C rows columns, 0 < R -> 0 < C ->
  permutation 2 p -> Forall tile tiles ->
  (forall i j, f [i; j] = xla_offset p tiles [R; C] [i; j]) ->
  xla_places p tiles [R; C] = rounded R rows * rounded C columns ->
  (tiles_divide tiles (physical p [R; C]) <-> (rows | R) /\ (columns | C)) ->
  format_laws f R C rows columns.
Proof.
  intros f p tiles R C rows columns HR HC P T F N D. unfold format_laws. rewrite <- N, <- D.
  assert (G : forall e, box [R; C] e -> xla_offset p tiles [R; C] e = f e).
  { intros e B. destruct (two_coordinates R C e B) as [i [j E]]. subst. symmetry. apply F. }
  assert (Q : positive [R; C]) by (constructor; [exact HR | constructor; [exact HC | constructor]]).
  split; [|split].
  - intros a b Ha Hb E. rewrite <- !G in E by assumption.
    apply (xla_injective p tiles [R; C] P T a b Ha Hb E).
  - intros e B. rewrite <- G by exact B. apply xla_bounds; assumption.
  - rewrite <- (xla_bijective_iff p tiles [R; C] P T Q). split; intros B.
    + apply (bijective_ext _ _ _ _ f); [|exact B]. intros e Be. symmetry. apply G. exact Be.
    + apply (bijective_ext _ _ _ _ (xla_offset p tiles [R; C])); [exact G | exact B].
Qed.

Lemma order_10 : permutation 2 [1; 0]%nat.
Proof. apply perm_swap. Qed.
Lemma order_01 : permutation 2 [0; 1]%nat.
Proof. apply Permutation_refl. Qed.

Lemma one_tile_is_tile : forall s t, 0 < s -> 0 < t -> Forall tile (one_tile s t).
Proof. intros s t Hs Ht. constructor; [simpl; auto | constructor]. Qed.
Lemma two_tiles_are_tiles : forall s t, 0 < s -> 0 < t -> Forall tile (two_tiles s t s 1).
Proof.
  intros s t Hs Ht. constructor; [simpl; auto|]. constructor; [|constructor].
  simpl. split; [exact Hs | split; [lia | exact I]].
Qed.

Lemma one_tile_divides : forall s t a b,
  tiles_divide (one_tile s t) [a; b] <-> (s | a) /\ (t | b).
Proof.
  intros s t a b. unfold one_tile, tiles_divide, level_divides. simpl. split.
  - intros [D _]. inversion D as [|s' a' l m D1 D2]; subst. inversion D2; subst. auto.
  - intros [D1 D2]. split; [|exact I]. constructor; [exact D1|]. constructor; [exact D2 | constructor].
Qed.

Lemma two_tiles_divide : forall s t a b,
  tiles_divide (two_tiles s t s 1) [a; b] <-> (s | a) /\ (t | b).
Proof.
  intros s t a b. unfold two_tiles, tiles_divide, level_divides. simpl. split.
  - intros [D _]. inversion D as [|s' a' l m D1 D2]; subst. inversion D2; subst. auto.
  - intros [D1 D2]. split; [|split; [|exact I]].
    + constructor; [exact D1|]. constructor; [exact D2 | constructor].
    + constructor; [apply Z.divide_refl|]. constructor; [apply Z.divide_1_l | constructor].
Qed.

Lemma one_tile_places : forall p s t a b R C, physical p [R; C] = [a; b] ->
  xla_places p (one_tile s t) [R; C] = rounded a s * rounded b t.
Proof.
  intros p s t a b R C E. unfold xla_places. rewrite E.
  unfold one_tile, two_tiles, tiled_shape, level_shape, leading, on_suffix. simpl.
  unfold split_shape, counts. simpl.
  rewrite !product_cons, product_nil. unfold rounded. ring.
Qed.

Lemma two_tiles_places : forall p s t a b R C, 0 < s -> physical p [R; C] = [a; b] ->
  xla_places p (two_tiles s t s 1) [R; C] = rounded a s * rounded b t.
Proof.
  intros p s t a b R C Hs E. unfold xla_places. rewrite E.
  unfold one_tile, two_tiles, tiled_shape, level_shape, leading, on_suffix. simpl.
  unfold split_shape, counts. simpl.
  rewrite !product_cons, product_nil, ceildiv_1, ceildiv_self by exact Hs. unfold rounded. ring.
Qed.

Theorem zN_laws : forall s c0 R C, 0 < s -> 0 < c0 -> 0 < R -> 0 < C ->
  format_laws (offset_at (zN s c0 R C)) R C s c0.
Proof.
  intros s c0 R C Hs Hc HR HC. apply (laws_of_tiles _ [0; 1]%nat (two_tiles c0 s c0 1)); auto.
  - apply order_01.
  - apply two_tiles_are_tiles; assumption.
  - intros i j. apply zN_is_tiles; assumption.
  - rewrite (two_tiles_places _ _ _ C R); [ring | exact Hc | reflexivity].
  - change (physical [0; 1]%nat [R; C]) with [C; R]. rewrite two_tiles_divide. tauto.
Qed.

Theorem nZ_laws : forall s c0 R C, 0 < s -> 0 < c0 -> 0 < R -> 0 < C ->
  format_laws (offset_at (nZ s c0 R C)) R C c0 s.
Proof.
  intros s c0 R C Hs Hc HR HC. apply (laws_of_tiles _ [1; 0]%nat (two_tiles c0 s c0 1)); auto.
  - apply order_10.
  - apply two_tiles_are_tiles; assumption.
  - intros i j. apply nZ_is_tiles; assumption.
  - rewrite (two_tiles_places _ _ _ R C); [ring | exact Hc | reflexivity].
  - change (physical [1; 0]%nat [R; C]) with [R; C]. rewrite two_tiles_divide. tauto.
Qed.

Theorem zZ_laws : forall s c0 R C, 0 < s -> 0 < c0 -> 0 < R -> 0 < C ->
  format_laws (offset_at (zZ s c0 R C)) R C s c0.
Proof.
  intros s c0 R C Hs Hc HR HC. apply (laws_of_tiles _ [1; 0]%nat (one_tile s c0)); auto.
  - apply order_10.
  - apply one_tile_is_tile; assumption.
  - intros i j. apply zZ_is_tiles; assumption.
  - rewrite (one_tile_places _ _ _ R C); reflexivity.
  - change (physical [1; 0]%nat [R; C]) with [R; C]. rewrite one_tile_divides. tauto.
Qed.

Theorem nN_laws : forall s c0 R C, 0 < s -> 0 < c0 -> 0 < R -> 0 < C ->
  format_laws (offset_at (nN s c0 R C)) R C c0 s.
Proof.
  intros s c0 R C Hs Hc HR HC. apply (laws_of_tiles _ [0; 1]%nat (one_tile s c0)); auto.
  - apply order_01.
  - apply one_tile_is_tile; assumption.
  - intros i j. apply nN_is_tiles; assumption.
  - rewrite (one_tile_places _ _ _ C R); [ring | reflexivity].
  - change (physical [0; 1]%nat [R; C]) with [C; R]. rewrite one_tile_divides. tauto.
Qed.

(* -- theorem 11: a tile at a multiple of the fractal, and only there, for every rank ----------------- *)

Definition right_in_dimension (block : Z * Z * Z) (p h : Z) : Prop :=
  forall k, 0 <= k < h -> address block (p + k) = address block p + address block k.

(* The corner is a multiple of the block, or the tile ends inside of the block, or blocks are no blocks. *)
Definition allowed (block : Z * Z * Z) (p h : Z) : Prop :=
  let '(b, u, v) := block in (b | p) \/ h <= b - p mod b \/ v = b * u.

Lemma right_iff_allowed : forall b u v p h, 0 < b ->
  (right_in_dimension (b, u, v) p h <-> allowed (b, u, v) p h).
Proof.
  intros b u v p h Hb. unfold right_in_dimension, allowed, address.
  pose proof (Z.div_mod p b ltac:(lia)) as D. pose proof (Z.mod_pos_bound p b Hb) as M.
  set (q := p / b) in *. set (r := p mod b) in *. split.
  - intros H. destruct (Z.eq_dec r 0) as [E|E].
    + left. exists q. lia.
    + right. destruct (Z_le_gt_dec h (b - r)) as [C|C]; [left; lia|]. right.
      specialize (H (b - r) ltac:(lia)).
      destruct (euclid (q + 1) 0 b ltac:(lia)) as [U1 U2].
      destruct (euclid 0 (b - r) b ltac:(lia)) as [V1 V2].
      replace (p + (b - r)) with ((q + 1) * b + 0) in H by lia.
      replace (b - r) with (0 * b + (b - r)) in H by ring.
      rewrite U1, U2, V1, V2 in H. lia.
  - intros H k Hk. destruct H as [[m E]|[C|E]].
    + assert (R0 : r = 0) by (unfold r; rewrite E; apply Z.mod_mul; lia).
      pose proof (Z.div_mod k b ltac:(lia)) as Dk. pose proof (Z.mod_pos_bound k b Hb) as Mk.
      destruct (euclid (q + k / b) (k mod b) b Mk) as [U1 U2].
      replace (p + k) with ((q + k / b) * b + k mod b) by lia. rewrite U1, U2, R0. ring.
    + destruct (euclid q (r + k) b ltac:(lia)) as [U1 U2].
      destruct (euclid 0 k b ltac:(lia)) as [V1 V2].
      replace (0 * b + k) with k in V1, V2 by ring.
      replace (p + k) with (q * b + (r + k)) by lia. rewrite U1, U2, V1, V2. ring.
    + pose proof (Z.div_mod k b ltac:(lia)) as Dk. pose proof (Z.div_mod (p + k) b ltac:(lia)) as Dp.
      subst v. nia.
Qed.

Lemma addresses_cons : forall m ms x e, addresses (m :: ms) (x :: e) = address m x + addresses ms e.
Proof. reflexivity. Qed.

Lemma addresses_zeros : forall ms n, Forall (fun m => 0 < fst (fst m)) ms -> addresses ms (repeat 0 n) = 0.
Proof.
  intros ms n H. revert n. induction H as [|[[b u] v] ms Hb H IH]; intros [|n]; try reflexivity.
  simpl repeat. rewrite addresses_cons, IH. unfold address. rewrite Z.div_0_l, Z.mod_0_l; simpl in Hb; lia.
Qed.

Fixpoint allowed_everywhere (blocks : list (Z * Z * Z)) (p h : list Z) : Prop :=
  match blocks, p, h with
  | m :: ms, x :: p', y :: h' => allowed m x y /\ allowed_everywhere ms p' h'
  | _, _, _ => True
  end.

Theorem tile_right_iff : forall blocks p h, Forall (fun m => 0 < fst (fst m)) blocks ->
  length p = length blocks -> length h = length blocks -> positive h ->
  (tile_right blocks p h <-> allowed_everywhere blocks p h).
Proof.
  intros blocks p h H. revert p h. unfold tile_right.
  induction H as [|[[b u] v] ms Hb H IH]; intros [|x p] [|y h] L1 L2 P; simpl in L1, L2; try discriminate.
  - split; [intros _; exact I | intros _ k _; reflexivity].
  - apply positive_cons in P. destruct P as [Hy P]. simpl in Hb. simpl allowed_everywhere.
    rewrite <- (IH p h) by (try assumption; lia).
    change (let '(b', u', v') := (b, u, v) in (b' | x) \/ y <= b' - x mod b' \/ v' = b' * u')
      with (allowed (b, u, v) x y).
    rewrite <- (right_iff_allowed b u v x y Hb).
    assert (Z0 : addresses ms (map2 Z.add p (repeat 0 (length h))) = addresses ms p).
    { f_equal. assert (L : length p = length h) by lia. clear - L. revert h L.
      induction p as [|x p IH]; intros [|y h] L; simpl in L; try discriminate; [reflexivity|].
      simpl. rewrite IH by lia. f_equal. ring. }
    assert (B0 : box h (repeat 0 (length h))).
    { clear - P. induction P as [|a d Ha P IH]; simpl; constructor; [lia | exact IH]. }
    split.
    + intros T. split.
      * intros k Hk. specialize (T (k :: repeat 0 (length h))).
        simpl map2 in T. rewrite !addresses_cons, Z0, addresses_zeros in T by exact H.
        assert (B : box (y :: h) (k :: repeat 0 (length h))) by (apply box_cons; split; assumption).
        specialize (T B). lia.
      * intros k B. specialize (T (0 :: k)). simpl map2 in T. rewrite !addresses_cons in T.
        assert (B' : box (y :: h) (0 :: k)) by (apply box_cons; split; [lia | exact B]).
        specialize (T B'). rewrite Z.add_0_r in T.
        assert (A0 : address (b, u, v) 0 = 0).
        { unfold address. rewrite Z.div_0_l, Z.mod_0_l by lia. ring. }
        rewrite A0 in T. lia.
    + intros [T1 T2] k B. apply box_cons_l in B. destruct B as [z [k' [E [Hz B]]]]. subst.
      simpl map2. rewrite !addresses_cons, (T1 z Hz), (T2 k' B). ring.
Qed.

(* A mode of two leaves is a dimension in blocks, whichever sizes a tile of it has. *)
Theorem blocks_of_layout : forall modes e,
  Forall (fun m => exists b u n v, m = Modes [Mode b u; Mode n v]) modes ->
  crd2offset (Modes modes) (Tuple (map Number e))
  = addresses (map (fun m => match m with
      | Modes [Mode b u; Mode _ v] => (b, u, v)
      | _ => (1, 0, 0)
      end) modes) e.
Proof.
  intros modes e H. revert e. induction H as [|m ms [b [u [n [v E]]]] H IH]; intros [|x e]; try reflexivity.
  subst. simpl map. rewrite crd2offset_tuple, IH, addresses_cons. f_equal. simpl. ring.
Qed.

(* The formats: at which corners a tile of h by w is right. *)
Theorem zN_tiles : forall s c0 R C p1 p2 h w, 0 < s -> 0 < c0 -> 0 < h -> 0 < w ->
  (tile_right [(s, c0, s * c0); (c0, 1, rounded R s * c0)] [p1; p2] [h; w]
   <-> (c0 | p2) \/ w <= c0 - p2 mod c0 \/ rounded R s = 1) /\
  (forall i j, offset_at (zN s c0 R C) [i; j]
     = addresses [(s, c0, s * c0); (c0, 1, rounded R s * c0)] [i; j]).
Proof.
  intros s c0 R C p1 p2 h w Hs Hc Hh Hw. split.
  - rewrite tile_right_iff.
    + simpl. split.
      * intros [_ [[D|[D|D]] _]]; [left; exact D | right; left; exact D | right; right; nia].
      * intros D. split; [right; right; ring|]. split; [|exact I].
        destruct D as [D|[D|D]]; [left; exact D | right; left; exact D | right; right; rewrite D; ring].
    + constructor; [exact Hs | constructor; [exact Hc | constructor]].
    + reflexivity.
    + reflexivity.
    + constructor; [exact Hh | constructor; [exact Hw | constructor]].
  - intros i j. unfold offset_at, zN. rewrite blocks_of_layout; [reflexivity|].
    constructor; [|constructor; [|constructor]]; do 4 eexists; reflexivity.
Qed.

Theorem zZ_tiles : forall s c0 R C p1 p2 h w, 0 < s -> 0 < c0 -> 0 < h -> 0 < w ->
  (tile_right [(s, c0, rounded C c0 * s); (c0, 1, s * c0)] [p1; p2] [h; w]
   <-> ((s | p1) \/ h <= s - p1 mod s \/ rounded C c0 = c0) /\
       ((c0 | p2) \/ w <= c0 - p2 mod c0 \/ s = 1)) /\
  (forall i j, offset_at (zZ s c0 R C) [i; j]
     = addresses [(s, c0, rounded C c0 * s); (c0, 1, s * c0)] [i; j]).
Proof.
  intros s c0 R C p1 p2 h w Hs Hc Hh Hw. split.
  - rewrite tile_right_iff.
    + simpl. split.
      * intros [[D1|[D1|D1]] [[D2|[D2|D2]] _]]; split; auto; right; right; nia.
      * intros [D1 D2]. split; [|split; [|exact I]].
        -- destruct D1 as [D|[D|D]]; [left; exact D | right; left; exact D | right; right; rewrite D; ring].
        -- destruct D2 as [D|[D|D]]; [left; exact D | right; left; exact D | right; right; rewrite D; ring].
    + constructor; [exact Hs | constructor; [exact Hc | constructor]].
    + reflexivity.
    + reflexivity.
    + constructor; [exact Hh | constructor; [exact Hw | constructor]].
  - intros i j. unfold offset_at, zZ. rewrite blocks_of_layout; [reflexivity|].
    constructor; [|constructor; [|constructor]]; do 4 eexists; reflexivity.
Qed.

Theorem nZ_tiles : forall s c0 R C p1 p2 h w, 0 < s -> 0 < c0 -> 0 < h -> 0 < w ->
  (tile_right [(c0, 1, rounded C s * c0); (s, c0, s * c0)] [p1; p2] [h; w]
   <-> (c0 | p1) \/ h <= c0 - p1 mod c0 \/ rounded C s = 1) /\
  (forall i j, offset_at (nZ s c0 R C) [i; j]
     = addresses [(c0, 1, rounded C s * c0); (s, c0, s * c0)] [i; j]).
Proof.
  intros s c0 R C p1 p2 h w Hs Hc Hh Hw. split.
  - rewrite tile_right_iff.
    + simpl. split.
      * intros [[D|[D|D]] _]; [left; exact D | right; left; exact D | right; right; nia].
      * intros D. split; [|split; [right; right; ring | exact I]].
        destruct D as [D|[D|D]]; [left; exact D | right; left; exact D | right; right; rewrite D; ring].
    + constructor; [exact Hc | constructor; [exact Hs | constructor]].
    + reflexivity.
    + reflexivity.
    + constructor; [exact Hh | constructor; [exact Hw | constructor]].
  - intros i j. unfold offset_at, nZ. rewrite blocks_of_layout; [reflexivity|].
    constructor; [|constructor; [|constructor]]; do 4 eexists; reflexivity.
Qed.

Theorem nN_tiles : forall s c0 R C p1 p2 h w, 0 < s -> 0 < c0 -> 0 < h -> 0 < w ->
  (tile_right [(c0, 1, s * c0); (s, c0, rounded R c0 * s)] [p1; p2] [h; w]
   <-> ((c0 | p1) \/ h <= c0 - p1 mod c0 \/ s = 1) /\
       ((s | p2) \/ w <= s - p2 mod s \/ rounded R c0 = c0)) /\
  (forall i j, offset_at (nN s c0 R C) [i; j]
     = addresses [(c0, 1, s * c0); (s, c0, rounded R c0 * s)] [i; j]).
Proof.
  intros s c0 R C p1 p2 h w Hs Hc Hh Hw. split.
  - rewrite tile_right_iff.
    + simpl. split.
      * intros [[D1|[D1|D1]] [[D2|[D2|D2]] _]]; split; auto; right; right; nia.
      * intros [D1 D2]. split; [|split; [|exact I]].
        -- destruct D1 as [D|[D|D]]; [left; exact D | right; left; exact D | right; right; rewrite D; ring].
        -- destruct D2 as [D|[D|D]]; [left; exact D | right; left; exact D | right; right; rewrite D; ring].
    + constructor; [exact Hc | constructor; [exact Hs | constructor]].
    + reflexivity.
    + reflexivity.
    + constructor; [exact Hh | constructor; [exact Hw | constructor]].
  - intros i j. unfold offset_at, nN. rewrite blocks_of_layout; [reflexivity|].
    constructor; [|constructor; [|constructor]]; do 4 eexists; reflexivity.
Qed.
