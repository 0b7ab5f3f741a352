(* What claims say, by what certificates show: elements of other widths, rows, swizzles. *)

Require Export Symlayout.Steps Symlayout.Decide.

(* -- the same bytes ------------------------------------------------------------------------------ *)

Lemma number_in_place : forall a b p, at_least 0 (shape b) -> product (shape a) = product (shape b) ->
  inside p (shape a) -> exists q, inside q (shape b) /\ number p (shape a) = number q (shape b).
Proof.
  intros a b p B E P; exists (place_at (shape b) (number p (shape a))).
  pose proof (number_bounds _ _ P) as N; rewrite E in N.
  destruct (place_at_inside (shape b) (number p (shape a)) B N) as [I ->]; split; [exact I | reflexivity].
Qed.

Lemma units_by_numbers : forall a b u, at_least 0 (shape b) ->
  product (shape a) = product (shape b) ->
  (forall p q, inside p (shape a) -> inside q (shape b) ->
    number p (shape a) = number q (shape b) -> offset a p = offset b q) ->
  units_in a u b u.
Proof.
  intros a b u B E H p k P K; destruct (number_in_place a b p B E P) as [q [Q N]].
  exists q, k; rewrite (H p q P Q N); tauto.
Qed.

Lemma reinterpret_by_numbers : forall a b u, at_least 0 (shape a) -> at_least 0 (shape b) ->
  bitcast a b -> reinterpret a u b u.
Proof.
  intros a b u A B [Da [Db [E [Z H]]]]; repeat split; try assumption.
  - rewrite Z; reflexivity.
  - apply units_by_numbers; assumption.
  - apply units_by_numbers; [assumption | symmetry; exact E |].
    intros q p Q P N; symmetry; apply H; [exact P | exact Q | symmetry; exact N].
Qed.

(* Another layout with the same offsets, at other places. *)
Lemma reinterpret_turned : forall a a' b u v, size a' = size a -> (defined a' -> defined a) ->
  (forall p, inside p (shape a') -> exists q, inside q (shape a) /\ offset a q = offset a' p) ->
  (forall p, inside p (shape a) -> exists q, inside q (shape a') /\ offset a' q = offset a p) ->
  reinterpret a' u b v -> reinterpret a u b v.
Proof.
  intros a a' b u v Z D B F [Da [Db [S [H K]]]]; repeat split; try tauto.
  - rewrite <- Z; exact S.
  - intros p k P Hk; destruct (F p P) as [q [Q E]]; destruct (H q k Q Hk) as [r [j [R [J G]]]].
    exists r, j; rewrite <- E; tauto.
  - intros p k P Hk; destruct (K p k P Hk) as [q [j [Q [J G]]]]; destruct (B q Q) as [r [R E]].
    exists r, j; rewrite E; tauto.
Qed.

(* -- swizzles ------------------------------------------------------------------------------------ *)

Lemma mask_bit : forall bits k i, 0 <= bits -> 0 <= k -> 0 <= i ->
  Z.testbit (Z.shiftl (Z.ones bits) k) i = ((k <=? i) && (i <? k + bits))%bool.
Proof.
  intros bits k i B K I; rewrite Z.shiftl_spec by exact I.
  destruct (Z.leb_spec k i) as [L | L]; cbn [andb].
  - destruct (Z.ltb_spec i (k + bits)).
    + apply Z.ones_spec_low; lia.
    + apply Z.ones_spec_high; lia.
  - apply Z.testbit_neg_r; lia.
Qed.

Lemma swizzle_bit : forall bits base shift x i, 0 <= bits -> 0 <= base -> 0 <= i ->
  Z.testbit (swizzle bits base shift x) i =
  xorb (Z.testbit x i) (Z.testbit x (i + shift) &&
    ((base + Z.max shift 0 <=? i + shift) && (i + shift <? base + Z.max shift 0 + bits)))%bool.
Proof.
  intros bits base shift x i B M I; unfold swizzle.
  rewrite Z.lxor_spec, Z.shiftr_spec, Z.land_spec by exact I.
  destruct (Z.le_gt_cases 0 (i + shift)) as [J | J].
  - rewrite mask_bit by lia; reflexivity.
  - rewrite !(Z.testbit_neg_r _ (i + shift)) by exact J; reflexivity.
Qed.

Lemma swizzle_apart : forall bits base shift x y, 0 <= bits -> 0 <= base -> shift <> 0 ->
  swizzle bits base shift x = swizzle bits base shift y -> x = y.
Proof.
  intros bits base shift x y B M S E.
  assert (forall n i, 0 <= i -> Z.to_nat (if 0 <? shift then base + shift + bits - i else i + 1) = n ->
    Z.testbit x i = Z.testbit y i) as H.
  { induction n as [n IH] using (well_founded_induction lt_wf); intros i I N.
    pose proof (f_equal (fun z => Z.testbit z i) E) as F; cbn beta in F.
    rewrite !swizzle_bit in F by assumption.
    destruct (Z.le_gt_cases 0 (i + shift)) as [J | J].
    2: { rewrite !(Z.testbit_neg_r _ (i + shift)) in F by exact J; cbn [andb] in F.
         rewrite !Bool.xorb_false_r in F; exact F. }
    destruct (Z.leb_spec (base + Z.max shift 0) (i + shift)) as [L | L]; cbn [andb] in F.
    2: { rewrite !Bool.andb_false_r, !Bool.xorb_false_r in F; exact F. }
    destruct (Z.ltb_spec (i + shift) (base + Z.max shift 0 + bits)) as [U | U].
    2: { rewrite !Bool.andb_false_r, !Bool.xorb_false_r in F; exact F. }
    rewrite !Bool.andb_true_r in F.
    assert (Z.testbit x (i + shift) = Z.testbit y (i + shift)) as G.
    { destruct (Z.ltb_spec 0 shift);
        (refine (IH _ _ (i + shift) J eq_refl); lia). }
    rewrite G in F; destruct (Z.testbit x i), (Z.testbit y i), (Z.testbit y (i + shift));
      cbn in F; congruence. }
  apply Z.bits_inj'; intros i I; exact (H _ i I eq_refl).
Qed.

Lemma swizzle_block : forall bits base shift x, 0 <= bits -> 0 <= base ->
  let block := 2 ^ (base - Z.min shift 0 + bits) in swizzle bits base shift x / block = x / block.
Proof.
  intros bits base shift x B M block; unfold block.
  rewrite <- !Z.shiftr_div_pow2 by lia.
  apply Z.bits_inj'; intros i I; rewrite !Z.shiftr_spec by exact I.
  rewrite swizzle_bit by lia.
  destruct (Z.ltb_spec (i + (base - Z.min shift 0 + bits) + shift) (base + Z.max shift 0 + bits)).
  - exfalso; lia.
  - rewrite !Bool.andb_false_r, Bool.xorb_false_r; reflexivity.
Qed.

Lemma swizzle_0 : forall base shift x, swizzle 0 base shift x = x.
Proof.
  intros; unfold swizzle; change (Z.ones 0) with 0.
  rewrite Z.shiftl_0_l, Z.land_0_r, Z.shiftr_0_l; apply Z.lxor_0_r.
Qed.

Definition block_of (bits base shift : Z) : Z :=
  if bits =? 0 then 1 else 2 ^ (base - Z.min shift 0 + bits).

Lemma swizzle_stays : forall bits base shift x n, 0 <= bits -> 0 <= base -> 0 <= x < n ->
  let block := block_of bits base shift in
  0 <= swizzle bits base shift x < ceildiv n block * block.
Proof.
  intros bits base shift x n B M H block; unfold block, block_of.
  destruct (Z.eqb_spec bits 0) as [-> | N].
  - rewrite swizzle_0, ceildiv_1; lia.
  - set (k := base - Z.min shift 0 + bits).
    assert (0 < 2 ^ k) as K by (apply Z.pow_pos_nonneg; unfold k; lia).
    pose proof (swizzle_block bits base shift x B M) as E; cbv zeta in E; fold k in E.
    pose proof (Z.div_mod x (2 ^ k) ltac:(lia)) as X.
    pose proof (Z.mod_pos_bound x (2 ^ k) K) as XB.
    pose proof (Z.div_mod (swizzle bits base shift x) (2 ^ k) ltac:(lia)) as Y.
    pose proof (Z.mod_pos_bound (swizzle bits base shift x) (2 ^ k) K) as YB.
    rewrite E in Y.
    pose proof (ceildiv_bounds n (2 ^ k) ltac:(lia)) as [C _].
    assert (0 <= x / 2 ^ k) by (apply Z.div_pos; lia).
    assert (x / 2 ^ k < ceildiv n (2 ^ k)) by nia.
    nia.
Qed.

(* The layout before its bits are exchanged. *)
Definition before_swizzle (start : Z) (groups : list (list (Z * Z))) : Layout :=
  let every := concat groups in {|
  shape := map (fun modes => product (map fst modes)) groups;
  offset place := start + offsets place groups;
  size := (1 + start + dot (map (fun n => n - 1) (map fst every)) (map snd every)) * some (map fst every);
  defined := True
|}.

Section OfSwizzles.
Variables (bits base shift start : Z) (groups : list (list (Z * Z))).
Context (B : 0 <= bits) (M : 0 <= base).
Let before := before_swizzle start groups.
Let after := swizzled bits base shift start groups.

Lemma swizzle_separates : (bits = 0 \/ shift <> 0) -> separates before -> separates after.
Proof.
  intros S H p q Hp Hq E; apply (H p q Hp Hq); cbn in *.
  destruct S as [-> | S]; [rewrite !swizzle_0 in E; exact E | exact (swizzle_apart _ _ _ _ _ B M S E)].
Qed.

Lemma some_natural : forall sizes, at_least 0 sizes -> 0 <= some sizes <= 1.
Proof.
  induction sizes as [| n sizes IH]; unfold some; cbn [fold_right at_least]; [lia |].
  intros [N A]; specialize (IH A); unfold some in IH; nia.
Qed.

Lemma swizzle_within : at_least 0 (map fst (concat groups)) -> stays before (size before) ->
  stays after (size after).
Proof.
  intros A H p Hp; specialize (H p Hp).
  unfold after, before, swizzled, before_swizzle in *; cbn [size shape offset] in *.
  pose proof (some_natural _ A) as S.
  set (reach := 1 + start + dot (map (fun n => n - 1) (map fst (concat groups))) (map snd (concat groups))) in *.
  assert (some (map fst (concat groups)) = 1) as O.
  { destruct (Z.eq_dec (some (map fst (concat groups))) 0) as [N | N]; [rewrite N in H |]; lia. }
  rewrite O in *; rewrite Z.mul_1_r in *.
  apply (swizzle_stays bits base shift _ reach B M); exact H.
Qed.

Lemma ceildiv_times : forall c d, 0 < d -> ceildiv (c * d) d = c.
Proof.
  intros c d D; unfold ceildiv; replace (- (c * d)) with (- c * d) by ring.
  rewrite Z.div_mul by lia; ring.
Qed.

Lemma swizzle_covers : (bits = 0 \/ shift <> 0) -> at_least 0 (map fst (concat groups)) ->
  size after = size before -> covers before -> covers after.
Proof.
  intros S A E H n N.
  pose proof (some_natural _ A) as O.
  destruct (pigeons (swizzle bits base shift) (size after) ltac:(lia)) with (n := n) as [x [X F]].
  - intros x X; unfold after, before, swizzled, before_swizzle in *; cbn [size shape offset] in *.
    set (reach := 1 + start + dot (map (fun n => n - 1) (map fst (concat groups))) (map snd (concat groups))) in *; fold (block_of bits base shift) in *.
    assert (some (map fst (concat groups)) = 1) as Q.
    { destruct (Z.eq_dec (some (map fst (concat groups))) 0) as [K | K]; [rewrite K in X |]; lia. }
    rewrite Q, Z.mul_1_r in *.
    assert (0 < block_of bits base shift) as P.
    { unfold block_of; destruct (bits =? 0); [lia | apply Z.pow_pos_nonneg; lia]. }
    rewrite <- (ceildiv_times (ceildiv reach (block_of bits base shift)) _ P) at 1.
    exact (swizzle_stays bits base shift x _ B M X).
  - intros x y _ _ F; destruct S as [S | S];
      [rewrite S, !swizzle_0 in F; exact F | exact (swizzle_apart _ _ _ _ _ B M S F)].
  - exact N.
  - rewrite E in X; destruct (H x X) as [p [I G]]; exists p; split; [exact I |].
    cbn in *; rewrite G; exact F.
Qed.
End OfSwizzles.

(* -- rooms for tiles ------------------------------------------------------------------------------- *)

Ltac with_room := first [left; unfolded; solve [parts_known] | unfolded; lia].

(* The number of elements in a block of a swizzle, as a number. *)
Ltac block_computed :=
  unfold swizzled; cbn [size];
  repeat match goal with
  | |- context [if ?b =? 0 then 1 else ?e] =>
      let v := eval vm_compute in (if b =? 0 then 1 else e) in
      change (if b =? 0 then 1 else e) with v
  end.

(* Where a product with 0 hides in a minimum, or a maximum. *)
Ltac zeros :=
  repeat progress (constants; rewrite ?Z.mul_0_r, ?Z.mul_0_l, ?Z.add_0_r, ?Z.add_0_l, ?Z.mul_1_r).
Ltac sized :=
  intros; unfolded;
  first [reflexivity | zeros; first [same | ones; same | progress subst; zeros; first [same | ones; same]]].

(* As many places as offsets, each of which is that of a place: then there are no others. *)
Lemma stays_by_count : forall m, at_least 0 (shape m) -> product (shape m) = size m -> covers m ->
  stays m (size m).
Proof.
  intros m A E C p Hp.
  set (all := below (size m)); set (f := fun k => offset m (place_at (shape m) k)).
  pose proof (number_bounds _ _ Hp) as N.
  assert (incl (map f all) all) as I.
  { apply NoDup_length_incl.
    - unfold all, below; apply FinFun.Injective_map_NoDup; [intros x y; lia | apply seq_NoDup].
    - rewrite map_length; apply le_n.
    - intros n Hn; apply in_below in Hn; destruct (C n Hn) as [q [Q F]].
      apply in_map_iff; exists (number q (shape m)); unfold f.
      rewrite place_at_number by exact Q; split; [exact F |].
      apply in_below; rewrite <- E; apply number_bounds, Q. }
  apply in_below, I, in_map_iff; exists (number p (shape m)); unfold f.
  rewrite place_at_number by exact Hp; split; [reflexivity |].
  apply in_below; rewrite <- E; exact N.
Qed.

Lemma reinterpret_by_cover : forall a b u v, defined a -> defined b -> 1 <= u -> 1 <= v ->
  size a * u = size b * v -> stays a (size a) -> covers a -> stays b (size b) -> covers b ->
  reinterpret a u b v.
Proof.
  assert (forall a b u v, 1 <= u -> 1 <= v -> size a * u = size b * v -> stays a (size a) ->
    covers b -> units_in a u b v) as H.
  { intros a b u v U V E S C p k P K; specialize (S p P).
    pose proof (Z.div_mod (offset a p * u + k) v ltac:(lia)) as D.
    pose proof (Z.mod_pos_bound (offset a p * u + k) v ltac:(lia)) as B.
    destruct (C ((offset a p * u + k) / v)) as [q [Q F]].
    - split; [apply Z.div_pos; nia | apply Z.div_lt_upper_bound; nia].
    - exists q, ((offset a p * u + k) mod v); rewrite F; split; [exact Q | split; [lia |]].
      rewrite (Z.mul_comm _ v); exact D. }
  intros; repeat split; try assumption; apply H; try assumption; symmetry; assumption.
Qed.

(* -- what scripts show of places -------------------------------------------------------------------- *)

(* Two sides are equal, as they are in other words. *)
Ltac same_by X :=
  first [exact X | lia | etransitivity; [| etransitivity; [exact X |]]; same].

(* Results that are equal are not told apart. *)
Ltac apart_by G :=
  exfalso;
  first
    [ lia
    | apply G; first [lia | same]
    | apply G;
      match goal with |- ?a mod ?m = 0 => replace a with 0 by lia; apply Z.mod_0_l; lia end ].

Ltac places_by :=
  repeat match goal with
  | |- _ /\ _ => split
  | |- _ :: _ = _ :: _ => apply cons_eq
  end;
  first [reflexivity | exact I | lia | same | units; zeros; lia].

Lemma takes_ranges : forall sizes says p r,
  takes (ranges sizes says) p r <-> inside p sizes /\ r = says p.
Proof.
  induction sizes as [| n sizes IH]; intros says [| x p] r; cbn [ranges takes inside]; try tauto.
  rewrite IH; tauto.
Qed.

(* As many points as places, each point with a place of its own: then each place has a point. *)
Lemma reaches_by_count : forall sizes says box, at_least 0 sizes -> product sizes = product box ->
  lands (ranges sizes says) box -> one_to_one (ranges sizes says) ->
  reaches (ranges sizes says) box.
Proof.
  intros sizes says box A E L O r R.
  assert (forall p, inside p sizes -> inside (says p) box) as W.
  { intros p P; apply (proj1 (lands_takes _ box) L p); apply takes_ranges; tauto. }
  set (m := {| shape := sizes; offset p := number (says p) box; size := product box;
    defined := True |}).
  assert (covers m) as C.
  { apply covers_by_count; [exact A | exact E | |].
    - intros p P; apply number_bounds, W, P.
    - intros p q P Q F; apply (O p q (says p)); apply takes_ranges; [tauto |]; split; [exact Q |].
      cbn in F; rewrite <- (place_at_number box (says p)), <- (place_at_number box (says q)), F
        by (apply W; assumption); reflexivity. }
  destruct (C (number r box) (number_bounds _ _ R)) as [p [P F]]; cbn in P, F.
  exists p; apply takes_ranges; split; [exact P |].
  rewrite <- (place_at_number box r R), <- (place_at_number box (says p) (W p P)), F; reflexivity.
Qed.

(* Sizes that are divided by are not 0. *)
Ltac valued :=
  parts_known;
  try match goal with
  | |- context [ceildiv ?a ?b] =>
      pose proof (ceildiv_positive a b ltac:(lia) ltac:(lia)); first [lia | nia]
  end.
