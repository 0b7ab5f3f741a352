(* Numbers of places, and how many places there are.  Nothing here has to be read to believe a theorem. *)

Require Import FinFun.
Require Export Symlayout.Layouts.

(* Numbers of places, and places of numbers. *)
Fixpoint peeled (reversed : list Z) (n : Z) : list Z :=
  match reversed with
  | [] => []
  | [_] => [n]
  | d :: rest => n mod d :: peeled rest (n / d)
  end.

Definition place_at (sizes : list Z) (n : Z) : list Z := rev (peeled (rev sizes) n).

Lemma product_app : forall a b, product (a ++ b) = product a * product b.
Proof.
  unfold product; induction a as [| x a IH]; intro b; cbn [app fold_right]; [lia |].
  rewrite IH; ring.
Qed.

Lemma number_app : forall p q a b, length p = length a ->
  number (p ++ q) (a ++ b) = number p a * product b + number q b.
Proof.
  induction p as [| x p IH]; intros q [| n a] b E; cbn in E; try discriminate; [cbn; lia |].
  cbn [app number]; rewrite IH by lia; rewrite product_app; ring.
Qed.

Lemma inside_length : forall p s, inside p s -> length p = length s.
Proof.
  induction p as [| x p IH]; intros [| n s]; cbn; try tauto.
  intros [_ H]; f_equal; auto.
Qed.

Lemma inside_app : forall p q a b, length p = length a ->
  inside (p ++ q) (a ++ b) <-> inside p a /\ inside q b.
Proof.
  induction p as [| x p IH]; intros q [| n a] b E; cbn in E; try discriminate; cbn; [tauto |].
  rewrite IH by lia; tauto.
Qed.

Lemma place_at_app : forall sizes d n, sizes <> [] ->
  place_at (sizes ++ [d]) n = place_at sizes (n / d) ++ [n mod d].
Proof.
  intros sizes d n H; unfold place_at; rewrite rev_app_distr; cbn [rev app].
  destruct (rev sizes) as [| e rest] eqn:E.
  - apply (f_equal (@rev Z)) in E; rewrite rev_involutive in E; cbn in E; contradiction.
  - cbn [peeled]; reflexivity.
Qed.

(* The place with the number of a place is the place. *)
Lemma place_at_number : forall sizes p, inside p sizes -> place_at sizes (number p sizes) = p.
Proof.
  induction sizes as [| d sizes IH] using rev_ind; intros p H.
  - destruct p; [reflexivity | destruct H].
  - pose proof (inside_length _ _ H) as L; rewrite app_length in L; cbn in L.
    destruct p as [| x p] using rev_ind; [cbn in L; lia | clear IHp].
    rewrite app_length in L; cbn in L; assert (length p = length sizes) as L' by lia.
    apply inside_app in H; [destruct H as [Hp [Hx _]] | assumption].
    rewrite number_app by assumption; cbn [number product fold_right].
    destruct sizes as [| e rest].
    + destruct p; [| cbn in L'; discriminate]; cbn; f_equal; lia.
    + rewrite place_at_app by discriminate.
      destruct (div_mod_unique (number p (e :: rest) * (d * 1) + (x * 1 + 0)) d
        (number p (e :: rest)) x) as [-> ->]; try lia.
      rewrite IH by assumption; reflexivity.
Qed.

Lemma number_bounds : forall sizes p, inside p sizes -> 0 <= number p sizes < product sizes.
Proof.
  induction sizes as [| d sizes IH]; intros [| x p]; cbn [inside number]; try tauto.
  - intros _; unfold product; cbn [fold_right]; lia.
  - intros [Hx Hp]; specialize (IH _ Hp).
    change (product (d :: sizes)) with (d * product sizes); nia.
Qed.

Lemma place_at_inside : forall sizes n, at_least 0 sizes -> 0 <= n < product sizes ->
  inside (place_at sizes n) sizes /\ number (place_at sizes n) sizes = n.
Proof.
  induction sizes as [| d sizes IH] using rev_ind; intros n A H.
  - cbn in *; lia.
  - assert (at_least 0 sizes /\ 0 <= d) as [As Hd].
    { clear - A; induction sizes; cbn in *; tauto. }
    rewrite product_app in H; cbn [product fold_right] in H.
    assert (0 <= product sizes) as P.
    { clear - As; induction sizes as [| x s IH]; cbn in *; [lia |].
      apply Z.mul_nonneg_nonneg; [tauto | apply IH; tauto]. }
    assert (1 <= d) by nia.
    pose proof (Z.div_mod n d ltac:(lia)) as E.
    pose proof (Z.mod_pos_bound n d ltac:(lia)) as B.
    destruct sizes as [| e rest].
    + unfold place_at; cbn [rev app peeled inside number]; unfold product in *.
      cbn [fold_right] in *; lia.
    + rewrite place_at_app by discriminate.
      assert (0 <= n / d < product (e :: rest)) as Q.
      { split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia]. }
      destruct (IH (n / d) As Q) as [I N].
      pose proof (inside_length _ _ I) as L.
      rewrite inside_app, number_app, N by assumption; cbn [inside number product fold_right].
      repeat split; try assumption; lia.
Qed.

(* As many places as offsets: then offsets that are in range and apart are all of them. *)
Lemma pigeons : forall (f : Z -> Z) k, 0 <= k ->
  (forall n, 0 <= n < k -> 0 <= f n < k) ->
  (forall a b, 0 <= a < k -> 0 <= b < k -> f a = f b -> a = b) ->
  forall n, 0 <= n < k -> exists a, 0 <= a < k /\ f a = n.
Proof.
  intros f k Hk B I n Hn.
  set (all := map Z.of_nat (seq 0 (Z.to_nat k))).
  assert (forall a, In a all <-> 0 <= a < k) as A.
  { intro a; unfold all; rewrite in_map_iff; split.
    - intros [m [<- H]]; apply in_seq in H; lia.
    - intro H; exists (Z.to_nat a); rewrite in_seq; lia. }
  assert (NoDup all) as U.
  { apply Injective_map_NoDup; [intros x y E; lia | apply seq_NoDup]. }
  assert (NoDup (map f all)) as V.
  { clear - U A I; assert (forall l, NoDup l -> incl l all -> NoDup (map f l)) as H.
    { induction l as [| x l IH]; intros D C; cbn; constructor.
      - rewrite in_map_iff; intros [y [E Hy]]; inversion D; subst.
        assert (y = x) as -> by (apply I; [apply A, C; right | apply A, C; left |]; auto).
        contradiction.
      - inversion D; apply IH; [assumption | intros z Hz; apply C; right; assumption]. }
    apply H; [exact U | apply incl_refl]. }
  assert (In n (map f all)) as W.
  { apply (NoDup_length_incl V (l' := all)).
    - rewrite map_length; lia.
    - intros y Hy; apply in_map_iff in Hy; destruct Hy as [x [<- Hx]]; apply A, B, A, Hx.
    - apply A; exact Hn. }
  apply in_map_iff in W; destruct W as [a [E Ha]]; exists a; split; [apply A; exact Ha | exact E].
Qed.

Lemma covers_by_count : forall m, at_least 0 (shape m) -> product (shape m) = size m ->
  stays m (size m) -> separates m -> covers m.
Proof.
  intros m A E B I n Hn.
  assert (forall k, 0 <= k < product (shape m) ->
    inside (place_at (shape m) k) (shape m) /\ number (place_at (shape m) k) (shape m) = k) as P.
  { intros k Hk; apply place_at_inside; assumption. }
  destruct (pigeons (fun k => offset m (place_at (shape m) k)) (size m)) with (n := n)
    as [a [Ha Ea]].
  - lia.
  - intros k Hk; apply B, P; lia.
  - intros a b Ha Hb Eab; apply I in Eab; [| apply P; lia | apply P; lia].
    rewrite <- (proj2 (P a ltac:(lia))), <- (proj2 (P b ltac:(lia))), Eab; reflexivity.
  - exact Hn.
  - exists (place_at (shape m) a); split; [apply P; lia | exact Ea].
Qed.

(* -- boxes whose places have results of their own ------------------------------------------------- *)

(* The sizes of a box, and the results at its places.  As many results as another box has places are
   all of these. *)
Definition leaf : Type := list Z * (list Z -> list Z).

Fixpoint apart_from (l : leaf) (others : list leaf) : Prop :=
  match others with
  | [] => True
  | m :: others =>
      (forall y z, inside y (fst l) -> inside z (fst m) -> snd l y = snd m z -> False)
      /\ apart_from l others
  end.

Fixpoint well (box : list Z) (leaves : list leaf) : Prop :=
  match leaves with
  | [] => True
  | l :: leaves =>
      (at_least 0 (fst l) /\ (forall y, inside y (fst l) -> inside (snd l y) box) /\
       (forall y z, inside y (fst l) -> inside z (fst l) -> snd l y = snd l z -> y = z) /\
       apart_from l leaves) /\ well box leaves
  end.

Fixpoint hit (leaves : list leaf) (r : list Z) : Prop :=
  match leaves with
  | [] => False
  | l :: leaves => (exists y, inside y (fst l) /\ snd l y = r) \/ hit leaves r
  end.

Fixpoint counts (leaves : list leaf) : Z :=
  match leaves with
  | [] => 0
  | l :: leaves => product (fst l) + counts leaves
  end.

(* All places of a box. *)
Definition places (sizes : list Z) : list (list Z) :=
  map (fun k => place_at sizes (Z.of_nat k)) (seq 0 (Z.to_nat (product sizes))).

Lemma in_places : forall sizes, at_least 0 sizes -> forall p, In p (places sizes) <-> inside p sizes.
Proof.
  intros sizes A p; unfold places; rewrite in_map_iff; split.
  - intros [k [<- H]]; apply in_seq in H; apply place_at_inside; [assumption | lia].
  - intro I; pose proof (number_bounds _ _ I); exists (Z.to_nat (number p sizes)).
    rewrite in_seq, Z2Nat.id by lia; split; [apply place_at_number; assumption | lia].
Qed.

Lemma map_apart : forall A B (f : A -> B) l, NoDup l ->
  (forall x y, In x l -> In y l -> f x = f y -> x = y) -> NoDup (map f l).
Proof.
  intros A B f l D; induction D as [| x l N D IH]; intro I; cbn; constructor.
  - rewrite in_map_iff; intros [y [E Hy]]; apply N.
    rewrite <- (I y x); [assumption | right; assumption | left; reflexivity | assumption].
  - apply IH; intros; apply I; try (right; assumption); assumption.
Qed.

Lemma places_once : forall sizes, at_least 0 sizes -> NoDup (places sizes).
Proof.
  intros sizes A; apply map_apart; [apply seq_NoDup |].
  intros x y X Y E; apply in_seq in X; apply in_seq in Y.
  apply (f_equal (fun p => number p sizes)) in E.
  pose proof (proj2 (place_at_inside sizes (Z.of_nat x) A ltac:(lia))).
  pose proof (proj2 (place_at_inside sizes (Z.of_nat y) A ltac:(lia))); lia.
Qed.

Lemma product_natural : forall sizes, at_least 0 sizes -> 0 <= product sizes.
Proof.
  induction sizes as [| d sizes IH]; cbn [at_least]; [unfold product; cbn; lia |].
  intros [D A]; change (product (d :: sizes)) with (d * product sizes).
  apply Z.mul_nonneg_nonneg; auto.
Qed.

Lemma places_many : forall sizes, length (places sizes) = Z.to_nat (product sizes).
Proof. intro sizes; unfold places; rewrite map_length, seq_length; reflexivity. Qed.

Definition images (leaves : list leaf) : list (list Z) :=
  flat_map (fun l => map (snd l) (places (fst l))) leaves.

Lemma in_images : forall box leaves, well box leaves -> forall r, In r (images leaves) <-> hit leaves r.
Proof.
  induction leaves as [| l leaves IH]; intros W r; cbn [images flat_map hit]; [cbn; tauto |].
  destruct W as [[A _] W]; rewrite in_app_iff, in_map_iff; fold (images leaves).
  rewrite (IH W r); split; (intros [[y [E H]] | H]; [left | right; assumption]); exists y.
  - apply in_places in H; tauto.
  - rewrite in_places; tauto.
Qed.

Lemma apart_all : forall l leaves r y, apart_from l leaves -> inside y (fst l) -> snd l y = r ->
  ~ hit leaves r.
Proof.
  induction leaves as [| m leaves IH]; intros r y A Y E; cbn [hit]; [tauto |].
  destruct A as [A B]; intros [[z [Z F]] | H].
  - apply (A y z Y Z); congruence.
  - exact (IH r y B Y E H).
Qed.

Lemma apart_app : forall (a b : list (list Z)), NoDup a -> NoDup b ->
  (forall x, In x a -> In x b -> False) -> NoDup (a ++ b).
Proof.
  intros a b A B H; induction A as [| x a N A IH]; cbn [app]; [assumption |].
  constructor.
  - rewrite in_app_iff; intros [I | I]; [exact (N I) | apply (H x); [left; reflexivity | assumption]].
  - apply IH; intros y I J; apply (H y); [right |]; assumption.
Qed.

Lemma images_once : forall box leaves, well box leaves -> NoDup (images leaves).
Proof.
  induction leaves as [| l leaves IH]; intro W; cbn [images flat_map]; [constructor |].
  pose proof W as [[A [_ [I P]]] V]; apply apart_app.
  - apply map_apart; [apply places_once; assumption |].
    intros x y X Y; apply I; apply in_places; assumption.
  - apply IH; assumption.
  - intros r X Y; apply in_map_iff in X; destruct X as [y [E Y']]; apply in_places in Y'; [| assumption].
    apply (in_images box) in Y; [| assumption]; exact (apart_all l leaves r y P Y' E Y).
Qed.

Lemma images_many : forall box leaves, well box leaves ->
  Z.of_nat (length (images leaves)) = counts leaves.
Proof.
  induction leaves as [| l leaves IH]; intro W; cbn [images flat_map counts]; [reflexivity |].
  destruct W as [[A _] W]; rewrite app_length, map_length, places_many, Nat2Z.inj_add.
  unfold images in IH; rewrite IH by assumption.
  pose proof (product_natural _ A); lia.
Qed.

Lemma images_in_box : forall box leaves, well box leaves -> forall r, hit leaves r -> inside r box.
Proof.
  induction leaves as [| l leaves IH]; intros W r; cbn [hit]; [tauto |].
  destruct W as [[_ [B _]] W]; intros [[y [Y <-]] | H]; [apply B; assumption | apply IH; assumption].
Qed.

Lemma all_hit : forall box leaves, at_least 0 box -> well box leaves -> counts leaves = product box ->
  forall r, inside r box -> hit leaves r.
Proof.
  intros box leaves A W C r R; apply (in_images box); [assumption |].
  apply (NoDup_length_incl (images_once box leaves W) (l' := places box)).
  - rewrite places_many; pose proof (images_many box leaves W); lia.
  - intros x X; apply in_places; [assumption |]; apply (images_in_box box leaves W).
    apply (in_images box); assumption.
  - apply in_places; assumption.
Qed.

(* -- index functions ------------------------------------------------------------------------------ *)

Lemma lands_by : forall f box, (forall p r, takes f p r -> inside r box) -> lands f box.
Proof.
  induction f as [d rest IH | guard results]; cbn [lands]; intros box H.
  - intros x X; apply IH; intros p r T; apply (H (x :: p)); cbn [takes]; tauto.
  - intro G; apply (H []); cbn [takes]; auto.
Qed.
