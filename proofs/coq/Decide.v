(* Claims about numbers, decided by looking at every place.

   `dec P` computes whether P holds.  A claim without sizes, or at sizes that are numbers, has finitely
   many places: then `decided` proves it by computation. *)

Require Export Symlayout.Layouts.

Class Dec (P : Prop) := dec : {P} + {~ P}.
Definition holds (P : Prop) {D : Dec P} : bool := if D then true else false.

Lemma decided : forall (P : Prop) {D : Dec P}, holds P = true -> P.
Proof. intros P [H | H]; [intros _; exact H | discriminate]. Qed.

Definition dec_by (b : bool) (P : Prop) (yes : b = true -> P) (no : b = false -> ~ P) : {P} + {~ P}.
Proof. destruct b; [left; apply yes | right; apply no]; reflexivity. Defined.

Definition dec_iff (P Q : Prop) (D : {P} + {~ P}) (E : P <-> Q) : {Q} + {~ Q}.
Proof. destruct D; [left | right]; tauto. Defined.

#[export] Instance dec_true : Dec True := left I.
#[export] Instance dec_false : Dec False := right (fun x => x).
#[export] Instance dec_eq (x y : Z) : Dec (x = y) := Z.eq_dec x y.
#[export] Instance dec_list (a b : list Z) : Dec (a = b) := list_eq_dec Z.eq_dec a b.
#[export] Instance dec_le (x y : Z) : Dec (x <= y) := Z_le_dec x y.
#[export] Instance dec_lt (x y : Z) : Dec (x < y) := Z_lt_dec x y.
#[export] Instance dec_ge (x y : Z) : Dec (x >= y) := Z_ge_dec x y.
#[export] Instance dec_gt (x y : Z) : Dec (x > y) := Z_gt_dec x y.

#[export] Instance dec_and (P Q : Prop) {D : Dec P} {E : Dec Q} : Dec (P /\ Q).
Proof. destruct D as [H | H]; [destruct E as [K | K]; [left | right] | right]; tauto. Defined.
#[export] Instance dec_or (P Q : Prop) {D : Dec P} {E : Dec Q} : Dec (P \/ Q).
Proof. destruct D as [H | H]; [left | destruct E as [K | K]; [left | right]]; tauto. Defined.
#[export] Instance dec_not (P : Prop) {D : Dec P} : Dec (~ P).
Proof. destruct D as [H | H]; [right | left]; tauto. Defined.
#[export] Instance dec_implies (P Q : Prop) {D : Dec P} {E : Dec Q} : Dec (P -> Q).
Proof. destruct D as [H | H]; [destruct E as [K | K]; [left | right] | left]; tauto. Defined.

(* -- all numbers of a range, all places of a box ------------------------------------------------ *)

Definition below (n : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat n)).

Lemma in_below : forall x n, In x (below n) <-> 0 <= x < n.
Proof.
  intros x n; unfold below; rewrite in_map_iff; split.
  - intros [k [<- K]]; apply in_seq in K; lia.
  - intro H; exists (Z.to_nat x); rewrite in_seq; lia.
Qed.

Fixpoint places (sizes : list Z) : list (list Z) :=
  match sizes with
  | [] => [[]]
  | n :: sizes => flat_map (fun x => map (cons x) (places sizes)) (below n)
  end.

Lemma in_places : forall sizes p, In p (places sizes) <-> inside p sizes.
Proof.
  induction sizes as [| n sizes IH]; intros [| x p]; cbn [places inside].
  - cbn; tauto.
  - cbn; split; [intros [H | []]; discriminate | tauto].
  - rewrite in_flat_map; split; [| tauto].
    intros [y [_ H]]; apply in_map_iff in H; destruct H as [q [H _]]; discriminate.
  - rewrite in_flat_map; split.
    + intros [y [Hy H]]; apply in_map_iff in H; destruct H as [q [H Hq]].
      injection H as -> ->; rewrite in_below in Hy; rewrite IH in Hq; tauto.
    + intros [Hx Hp]; exists x; rewrite in_below; split; [exact Hx |].
      apply in_map_iff; exists p; rewrite IH; tauto.
Defined.

Definition dec_all {A : Type} (P : A -> Prop) (D : forall x, {P x} + {~ P x}) (l : list A) :
  {forall x, In x l -> P x} + {~ forall x, In x l -> P x}.
Proof.
  induction l as [| a l IH]; [left; intros x [] |].
  destruct (D a) as [H | H]; [| right; intro K; apply H, K; left; reflexivity].
  destruct IH as [K | K]; [left; intros x [<- | X]; [exact H | exact (K x X)] |].
  right; intro L; apply K; intros x X; apply L; right; exact X.
Defined.

Definition dec_some {A : Type} (P : A -> Prop) (D : forall x, {P x} + {~ P x}) (l : list A) :
  {exists x, In x l /\ P x} + {~ exists x, In x l /\ P x}.
Proof.
  induction l as [| a l IH]; [right; intros [x [[] _]] |].
  destruct (D a) as [H | H]; [left; exists a; split; [left; reflexivity | exact H] |].
  destruct IH as [K | K]; [left; destruct K as [x [X Y]]; exists x; split; [right |]; assumption |].
  right; intros [x [[<- | X] Y]]; [exact (H Y) | apply K; exists x; split; assumption].
Defined.

Definition dec_hits {A : Type} (E : forall x y : A, {x = y} + {x <> y}) (l k : list A) :
  {forall y, In y l -> In y k} + {~ forall y, In y l -> In y k} :=
  dec_all (fun y => In y k) (fun y => in_dec E y k) l.

#[export] Instance dec_range (n : Z) (P : Z -> Prop) {D : forall x, Dec (P x)} :
  Dec (forall x, 0 <= x < n -> P x).
Proof.
  apply (dec_iff _ _ (dec_all P D (below n))).
  split; intros H x X; apply H, in_below, X.
Defined.

#[export] Instance dec_box (sizes : list Z) (P : list Z -> Prop) {D : forall p, Dec (P p)} :
  Dec (forall p, inside p sizes -> P p).
Proof.
  apply (dec_iff _ _ (dec_all P D (places sizes))).
  split; intros H x X; apply H, in_places, X.
Defined.

#[export] Instance dec_place (sizes : list Z) (P : list Z -> Prop) {D : forall p, Dec (P p)} :
  Dec (exists p, inside p sizes /\ P p).
Proof.
  apply (dec_iff _ _ (dec_some P D (places sizes))).
  split; intros [x [X Y]]; exists x; split; try exact Y; apply in_places, X.
Defined.

#[export] Instance dec_inside (p sizes : list Z) : Dec (inside p sizes).
Proof.
  revert sizes; induction p as [| x p IH]; intros [| n sizes]; cbn [inside]; try apply dec_false.
  - apply dec_true.
  - apply dec_and; [apply dec_and; [apply dec_le | apply dec_lt] | apply IH].
Defined.

#[export] Instance dec_at_least (least : Z) (numbers : list Z) : Dec (at_least least numbers).
Proof.
  induction numbers; cbn [at_least]; [apply dec_true | apply dec_and; [apply dec_le | assumption]].
Defined.

#[export] Instance dec_none_larger (a b : list Z) : Dec (none_larger a b).
Proof.
  revert b; induction a as [| x a IH]; intros [| y b]; cbn [none_larger]; try apply dec_false.
  - apply dec_true.
  - apply dec_and; [apply dec_le | apply IH].
Defined.

(* -- what claims say of layouts ------------------------------------------------------------------ *)

Definition apart_in_pairs : forall {A B : Type} (f : A -> B) (l : list A),
  (forall b c : B, {b = c} + {b <> c}) -> (forall x y : A, {x = y} + {x <> y}) ->
  {forall x y, In x l -> In y l -> f x = f y -> x = y} +
  {~ forall x y, In x l -> In y l -> f x = f y -> x = y}.
Proof.
  intros A B f l E F.
  destruct (dec_all (fun x => forall y, In y l -> f x = f y -> x = y)
    (fun x => dec_all (fun y => f x = f y -> x = y)
      (fun y => match E (f x) (f y) with
        | left e => match F x y with
          | left g => left (fun _ => g)
          | right n => right (fun h => n (h e))
          end
        | right n => left (fun e => False_ind _ (n e))
        end) l) l) as [H | H].
  - left; intros x y X Y; apply H; assumption.
  - right; intro K; apply H; intros x X y Y; apply K; assumption.
Defined.

Definition dec_place_offset (x y : list Z * Z) : {x = y} + {x <> y}.
Proof. decide equality; [apply Z.eq_dec | apply list_eq_dec, Z.eq_dec]. Defined.

#[export] Instance dec_separates (m : Layout) : Dec (separates m).
Proof.
  apply (dec_iff _ _ (apart_in_pairs snd (map (fun p => (p, offset m p)) (places (shape m)))
    Z.eq_dec dec_place_offset)).
  unfold separates; split.
  - intros H p q Hp Hq E.
    assert ((p, offset m p) = (q, offset m q)) as K.
    { apply H; [| | exact E]; apply in_map_iff;
        [exists p | exists q]; (split; [reflexivity | apply in_places; assumption]). }
    injection K as -> _; reflexivity.
  - intros H x y X Y E; apply in_map_iff in X; apply in_map_iff in Y.
    destruct X as [p [<- Hp]]; destruct Y as [q [<- Hq]]; cbn in E.
    rewrite (H p q) by (try apply in_places; assumption); reflexivity.
Defined.

#[export] Instance dec_stays (m : Layout) (n : Z) : Dec (stays m n).
Proof. unfold stays; typeclasses eauto. Defined.
#[export] Instance dec_covers (m : Layout) : Dec (covers m).
Proof.
  apply (dec_iff _ _ (dec_hits Z.eq_dec (below (size m)) (map (offset m) (places (shape m))))).
  unfold covers; split; intros H n N; apply in_below in N.
  - apply H in N; apply in_map_iff in N; destruct N as [p [E P]]; exists p.
    split; [apply in_places, P | exact E].
  - destruct (H n N) as [p [P E]]; apply in_map_iff; exists p.
    split; [exact E | apply in_places, P].
Defined.

Definition dec_pairs {A B : Type} (P : A -> B -> Prop) (D : forall x y, {P x y} + {~ P x y})
    (l : list A) (k : list B) :
  {forall x y, In x l -> In y k -> P x y} + {~ forall x y, In x l -> In y k -> P x y}.
Proof.
  destruct (dec_all (fun x => forall y, In y k -> P x y) (fun x => dec_all (P x) (D x) k) l)
    as [H | H].
  - left; intros x y X Y; apply H; assumption.
  - right; intro K; apply H; intros x X y Y; apply K; assumption.
Defined.

#[export] Instance dec_boxes (s t : list Z) (P : list Z -> list Z -> Prop)
  {D : forall p q, Dec (P p q)} : Dec (forall p q, inside p s -> inside q t -> P p q).
Proof.
  apply (dec_iff _ _ (dec_pairs P D (places s) (places t))).
  split; intros H p q X Y; apply H; apply in_places; assumption.
Defined.

#[export] Instance dec_signed (bits : Z) (values : list Z) : Dec (signed bits values).
Proof. induction values; cbn [signed]; typeclasses eauto. Defined.

#[export] Instance dec_zero_in (l : list Z) : Dec (In 0 l) := in_dec Z.eq_dec 0 l.

#[export] Instance dec_fits_in (inner : list Z) (dims : list nat) (sizes : list Z) :
  Dec (fits_in inner dims sizes).
Proof.
  revert dims; induction inner as [| n inner IH]; intros [| d dims]; cbn [fits_in];
    try apply dec_false; [apply dec_true |].
  apply dec_and; [apply dec_or; apply dec_eq | apply IH].
Defined.

Definition dec_unit (b : Layout) (v x : Z) :
  {exists q j, inside q (shape b) /\ 0 <= j < v /\ x = offset b q * v + j} +
  {~ exists q j, inside q (shape b) /\ 0 <= j < v /\ x = offset b q * v + j}.
Proof.
  apply (dec_iff _ _ (dec_some (fun q => exists j, In j (below v) /\ x = offset b q * v + j)
    (fun q => dec_some _ (fun j => Z.eq_dec x (offset b q * v + j)) (below v)) (places (shape b)))).
  split.
  - intros [q [Q [j [J E]]]]; exists q, j; split; [apply in_places, Q | split; [| exact E]].
    apply in_below, J.
  - intros [q [j [Q [J E]]]]; exists q; split; [apply in_places, Q |].
    exists j; split; [apply in_below, J | exact E].
Defined.

#[export] Instance dec_units_in (a : Layout) (u : Z) (b : Layout) (v : Z) : Dec (units_in a u b v).
Proof.
  apply (dec_iff _ _ (dec_pairs _ (fun p k => dec_unit b v (offset a p * u + k))
    (places (shape a)) (below u))).
  unfold units_in; split; intros H p k P K; apply H; first [apply in_places | apply in_below];
    assumption.
Defined.

#[export] Instance dec_addresses (m : Layout) (tile first : list Z) : Dec (addresses m tile first).
Proof. unfold addresses; typeclasses eauto. Defined.

(* -- index functions ----------------------------------------------------------------------------- *)

(* That the guard of an index function can be decided at each of its points. *)
Inductive Guarded : Index -> Type :=
  | in_range : forall extent rest, (forall x, Guarded (rest x)) -> Guarded (Range extent rest)
  | at_point : forall guard results, {guard} + {~ guard} -> Guarded (Result guard results).
Existing Class Guarded.

#[export] Instance guarded_range (extent : Z) (rest : Z -> Index) {G : forall x, Guarded (rest x)} :
  Guarded (Range extent rest) := in_range extent rest G.
#[export] Instance guarded_result (guard : Prop) (results : list Z) {D : Dec guard} :
  Guarded (Result guard results) := at_point guard results D.

(* Its points with their results. *)
Fixpoint points {f : Index} (g : Guarded f) : list (list Z * list Z) :=
  match g with
  | in_range extent rest inner =>
      flat_map (fun x => map (fun p => (x :: fst p, snd p)) (points (inner x))) (below extent)
  | at_point _ results (left _) => [([], results)]
  | at_point _ _ (right _) => []
  end.

Lemma in_points : forall f (g : Guarded f) p r, In (p, r) (points g) <-> takes f p r.
Proof.
  intros f g; induction g as [extent rest inner IH | guard results [H | H]]; intros [| x p] r;
    cbn [points takes].
  - rewrite in_flat_map; split; [| tauto].
    intros [y [_ H]]; apply in_map_iff in H; destruct H as [q [H _]]; discriminate.
  - rewrite in_flat_map; split.
    + intros [y [Hy H]]; apply in_map_iff in H; destruct H as [[q s] [H Hq]].
      cbn in H; injection H as -> -> ->; rewrite in_below in Hy; rewrite IH in Hq; tauto.
    + intros [Hx Hp]; exists x; rewrite in_below; split; [exact Hx |].
      apply in_map_iff; exists (p, r); rewrite IH; tauto.
  - cbn; split; [intros [E | []]; injection E as <-; tauto | intros [_ ->]; tauto].
  - cbn; split; [intros [E | []]; discriminate | tauto].
  - cbn; tauto.
  - cbn; tauto.
Qed.

Lemma lands_takes : forall f box, lands f box <-> forall p r, takes f p r -> inside r box.
Proof.
  induction f as [extent rest IH | guard results]; intro box; cbn [lands].
  - split.
    + intros H [| x p] r; cbn [takes]; [tauto |]; intros [X T].
      exact (proj1 (IH x box) (H x X) p r T).
    + intros H x X; apply IH; intros p r T; apply (H (x :: p) r); cbn [takes]; tauto.
  - split.
    + intros H [| x p] r; cbn [takes]; [intros [G ->]; exact (H G) | tauto].
    + intros H G; apply (H [] results); cbn [takes]; tauto.
Qed.

#[export] Instance dec_takes (f : Index) {G : Guarded f} (p r : list Z) : Dec (takes f p r).
Proof.
  revert p; induction G as [extent rest inner IH | guard results [H | H]]; intros [| x p];
    cbn [takes]; try apply dec_false.
  - apply dec_and; [apply dec_and; [apply dec_le | apply dec_lt] | apply IH].
  - apply (dec_iff (r = results)); [apply dec_list | tauto].
  - right; tauto.
Defined.

#[export] Instance dec_lands (f : Index) {G : Guarded f} (box : list Z) : Dec (lands f box).
Proof.
  apply (dec_iff _ _ (dec_all (fun x => inside (snd x) box) (fun x => dec_inside (snd x) box)
    (points G))).
  rewrite lands_takes; split.
  - intros H p r T; apply (H (p, r)), in_points, T.
  - intros H [p r] T; apply (H p r), (in_points f G), T.
Defined.

#[export] Instance dec_one_to_one (f : Index) {G : Guarded f} : Dec (one_to_one f).
Proof.
  apply (dec_iff _ _ (dec_pairs (fun x y => snd x = snd y -> fst x = fst y)
    (fun x y => dec_implies _ _ (D := dec_list _ _) (E := dec_list _ _)) (points G) (points G))).
  unfold one_to_one; split.
  - intros H p q r P Q; apply (H (p, r) (q, r)); try reflexivity; apply in_points; assumption.
  - intros H [p r] [q s] P Q; cbn; intros <-; apply (H p q r); apply (in_points f G); assumption.
Defined.

#[export] Instance dec_same_function (f g : Index) {F : Guarded f} {G : Guarded g} :
  Dec (same_function f g).
Proof.
  apply (dec_iff _ _ (dec_and _ _
    (D := dec_all (fun x => takes g (fst x) (snd x)) (fun x => dec_takes g _ _) (points F))
    (E := dec_all (fun x => takes f (fst x) (snd x)) (fun x => dec_takes f _ _) (points G)))).
  unfold same_function; split.
  - intros [H K] p r; split; intro T; [apply (H (p, r)) | apply (K (p, r))]; apply in_points, T.
  - intro H; split; intros [p r] T; apply H; apply in_points in T; exact T.
Defined.

#[export] Instance dec_undone_by (f g : Index) {F : Guarded f} {G : Guarded g} :
  Dec (undone_by f g).
Proof.
  apply (dec_iff _ _
    (dec_all (fun x => takes g (snd x) (fst x)) (fun x => dec_takes g _ _) (points F))).
  unfold undone_by; split.
  - intros H p r T; apply (H (p, r)), in_points, T.
  - intros H [p r] T; apply H; apply in_points in T; exact T.
Defined.

#[export] Instance dec_never_meet (f g : Index) {F : Guarded f} {G : Guarded g} :
  Dec (never_meet f g).
Proof.
  apply (dec_iff _ _ (dec_pairs (fun x y => ~ snd x = snd y)
    (fun x y => dec_not _ (D := dec_list _ _)) (points F) (points G))).
  unfold never_meet; split.
  - intros H p q r P Q; apply (H (p, r) (q, r)); try reflexivity; apply in_points; assumption.
  - intros H [p r] [q s] P Q; cbn; intros <-.
    apply (H p q r); [apply in_points in P | apply in_points in Q]; assumption.
Defined.

#[export] Instance dec_reaches (f : Index) {G : Guarded f} (box : list Z) : Dec (reaches f box).
Proof.
  apply (dec_iff _ _ (dec_hits (list_eq_dec Z.eq_dec) (places box) (map snd (points G)))).
  unfold reaches; split.
  - intros H r R; apply in_places in R; destruct (proj1 (in_map_iff _ _ _) (H r R)) as [[p s] [E X]].
    cbn in E; subst s; exists p; apply (in_points f G), X.
  - intros H r R; apply in_places in R; destruct (H r R) as [p T].
    apply in_map_iff; exists (p, r); split; [reflexivity | apply in_points, T].
Defined.

#[export] Instance guarded_ranges (sizes : list Z) (says : list Z -> list Z) :
  Guarded (ranges sizes says).
Proof.
  revert says; induction sizes as [| n sizes IH]; intro says; cbn [ranges].
  - apply guarded_result, dec_true.
  - apply guarded_range; intro x; apply IH.
Defined.

(* -- how a claim is taken apart -------------------------------------------------------------------- *)

#[export] Hint Extern 5 (Dec (defined _)) =>
  match goal with |- Dec ?P => let Q := eval hnf in P in change (Dec Q) end : typeclass_instances.
#[export] Hint Extern 5 (Dec match ?p with [] => _ | _ :: _ => _ end) =>
  destruct p : typeclass_instances.
#[export] Hint Extern 4 (Dec ((fun _ => _) _)) => cbn beta : typeclass_instances.

Ltac taken_apart :=
  unfold injective, bounded, bounded_by, onto, valid, bijective, equal, formula, bitcast,
    takes_bytes, padding, tiles, tile_at, part_of, aligned, reinterpret,
    of_layout, of_layouts, thread_value, linear; typeclasses eauto.

(* A claim about numbers is proved by computing whether it holds. *)
Ltac by_numbers :=
  match goal with
  | |- ?P =>
      refine (@decided P ltac:(taken_apart) _); vm_cast_no_check (eq_refl true)
  end.
