(* Lists of sizes, strides and coordinates, of any length.

   Every theorem for every rank (the files Rank*.v) is about lists of integers: one entry a dimension.
   Division is floor division (Z.div) and the remainder has the sign of the divisor (Z.modulo).
   The first part has the definitions that a reader must trust, the second part has lemmas. *)

Require Import ZArith List Lia Permutation Arith.
Import ListNotations.
Open Scope Z_scope.

(* -- definitions ------------------------------------------------------------------------------------ *)

(* The box of coordinates: one coordinate a dimension, with 0 <= e_k < d_k. *)
Definition box (d e : list Z) : Prop := Forall2 (fun size x => 0 <= x < size) d e.

(* The number of elements. *)
Definition product (d : list Z) : Z := fold_right Z.mul 1 d.
Arguments product d : simpl never.

Definition sum (l : list Z) : Z := fold_right Z.add 0 l.

(* A function of two numbers, entry by entry. *)
Fixpoint map2 {A B C : Type} (f : A -> B -> C) (l : list A) (m : list B) : list C :=
  match l, m with
  | a :: l', b :: m' => f a b :: map2 f l' m'
  | _, _ => []
  end.

(* The offset of a coordinate by strides: the sum of stride times coordinate. *)
Definition dot (w c : list Z) : Z := sum (map2 Z.mul w c).
Arguments dot w c : simpl never.

(* The quotient rounded up. *)
Definition ceildiv (a b : Z) : Z := (a + b - 1) / b.

Definition positive (l : list Z) : Prop := Forall (fun x => 0 < x) l.
Definition nonnegative (l : list Z) : Prop := Forall (fun x => 0 <= x) l.

(* The entries of l at the places that p lists: a transpose, where p is a permutation of 0, ..., n-1. *)
Definition pick (p : list nat) (l : list Z) : list Z := map (fun k => nth k l 0) p.
Definition permutation (n : nat) (p : list nat) : Prop := Permutation p (seq 0 n).

(* The numbers below n. *)
Definition range (n x : Z) : Prop := 0 <= x < n.

(* f takes the elements of P into Q; no two of them to one; and every element of Q is reached. *)
Definition maps_into {A B : Type} (P : A -> Prop) (Q : B -> Prop) (f : A -> B) : Prop :=
  forall a, P a -> Q (f a).
Definition injective {A B : Type} (P : A -> Prop) (f : A -> B) : Prop :=
  forall a b, P a -> P b -> f a = f b -> a = b.
Definition onto {A B : Type} (P : A -> Prop) (Q : B -> Prop) (f : A -> B) : Prop :=
  forall b, Q b -> exists a, P a /\ f a = b.
Definition bijective {A B : Type} (P : A -> Prop) (Q : B -> Prop) (f : A -> B) : Prop :=
  maps_into P Q f /\ injective P f /\ onto P Q f.

(* -- lemmas on lists -------------------------------------------------------------------------------- *)

Lemma box_nil : box [] [].
Proof. constructor. Qed.

Lemma box_cons : forall s d x e, box (s :: d) (x :: e) <-> 0 <= x < s /\ box d e.
Proof.
  intros s d x e. split.
  - intros H. inversion H; subst. auto.
  - intros [H1 H2]. constructor; assumption.
Qed.

Lemma box_nil_l : forall e, box [] e -> e = [].
Proof. intros e H. inversion H. reflexivity. Qed.

Lemma box_cons_l : forall s d e, box (s :: d) e -> exists x e', e = x :: e' /\ 0 <= x < s /\ box d e'.
Proof. intros s d e H. inversion H as [|? y ? e']; subst. exists y, e'. auto. Qed.

Lemma box_length : forall d e, box d e -> length d = length e.
Proof.
  intros d e H. induction H as [|s x d e Hx H IH]; simpl; [reflexivity | rewrite IH; reflexivity].
Qed.

Lemma box_app : forall d1 d2 e1 e2, box d1 e1 -> box d2 e2 -> box (d1 ++ d2) (e1 ++ e2).
Proof. intros. apply Forall2_app; assumption. Qed.

Lemma box_app_l : forall d1 d2 e, box (d1 ++ d2) e ->
  exists e1 e2, e = e1 ++ e2 /\ box d1 e1 /\ box d2 e2.
Proof.
  intros d1 d2 e H. apply Forall2_app_inv_l in H.
  destruct H as [e1 [e2 [H1 [H2 H3]]]]. exists e1, e2. auto.
Qed.

Lemma box_positive : forall d e, box d e -> positive d.
Proof.
  intros d e H. induction H as [|s x d e Hx H IH]; constructor.
  - lia.
  - exact IH.
Qed.

Lemma box_nonnegative : forall d e, box d e -> nonnegative e.
Proof.
  intros d e H. induction H as [|s x d e Hx H IH]; constructor.
  - lia.
  - exact IH.
Qed.

Lemma positive_nonnegative : forall l, positive l -> nonnegative l.
Proof. intros l H. induction H; constructor; [lia | assumption]. Qed.

Lemma positive_cons : forall x l, positive (x :: l) <-> 0 < x /\ positive l.
Proof.
  intros x l. split.
  - intros H. inversion H; subst. auto.
  - intros [H1 H2]. constructor; assumption.
Qed.

Lemma nonnegative_cons : forall x l, nonnegative (x :: l) <-> 0 <= x /\ nonnegative l.
Proof.
  intros x l. split.
  - intros H. inversion H; subst. auto.
  - intros [H1 H2]. constructor; assumption.
Qed.

Lemma positive_app : forall l m, positive (l ++ m) <-> positive l /\ positive m.
Proof. intros. apply Forall_app. Qed.

Lemma product_nil : product [] = 1.
Proof. reflexivity. Qed.

Lemma product_cons : forall s d, product (s :: d) = s * product d.
Proof. reflexivity. Qed.

Lemma product_app : forall l m, product (l ++ m) = product l * product m.
Proof.
  induction l as [|a l IH]; intros m.
  - rewrite product_nil. simpl app. ring.
  - simpl app. rewrite !product_cons, IH. ring.
Qed.

Lemma product_positive : forall d, positive d -> 0 < product d.
Proof.
  intros d H. induction H as [|s d Hs H IH].
  - rewrite product_nil. lia.
  - rewrite product_cons. apply Z.mul_pos_pos; assumption.
Qed.

Lemma product_nonnegative : forall d, nonnegative d -> 0 <= product d.
Proof.
  intros d H. induction H as [|s d Hs H IH].
  - rewrite product_nil. lia.
  - rewrite product_cons. apply Z.mul_nonneg_nonneg; assumption.
Qed.

Lemma positive_of_product : forall d, nonnegative d -> 0 < product d -> positive d.
Proof.
  intros d H. induction H as [|s d Hs H IH]; intros P.
  - constructor.
  - rewrite product_cons in P. pose proof (product_nonnegative d H) as Q.
    apply positive_cons. split.
    + destruct (Z.eq_dec s 0) as [E|E]; [subst; lia | lia].
    + apply IH. destruct (Z.eq_dec (product d) 0) as [E|E]; [rewrite E in P; lia | lia].
Qed.

Lemma product_permutation : forall l m, Permutation l m -> product l = product m.
Proof.
  intros l m H. induction H as [|x l m H IH|x y l|l m n H1 IH1 H2 IH2].
  - reflexivity.
  - rewrite !product_cons, IH. reflexivity.
  - rewrite !product_cons. ring.
  - congruence.
Qed.

Lemma product_repeat_1 : forall k, product (repeat 1 k) = 1.
Proof. induction k as [|k IH]; [reflexivity|]. simpl repeat. rewrite product_cons, IH. ring. Qed.

Lemma sum_app : forall l m, sum (l ++ m) = sum l + sum m.
Proof.
  induction l as [|a l IH]; intros m; simpl.
  - reflexivity.
  - rewrite IH. ring.
Qed.

Lemma sum_permutation : forall l m, Permutation l m -> sum l = sum m.
Proof.
  intros l m H. induction H as [|x l m H IH|x y l|l m n H1 IH1 H2 IH2]; simpl; lia.
Qed.

Lemma map2_length : forall (A B C : Type) (f : A -> B -> C) l m,
  length l = length m -> length (map2 f l m) = length l.
Proof.
  intros A B C f. induction l as [|a l IH]; intros [|b m] H; simpl in *; try discriminate; auto.
Qed.

Lemma map2_app : forall (A B C : Type) (f : A -> B -> C) l1 m1 l2 m2, length l1 = length m1 ->
  map2 f (l1 ++ l2) (m1 ++ m2) = map2 f l1 m1 ++ map2 f l2 m2.
Proof.
  intros A B C f. induction l1 as [|a l1 IH]; intros [|b m1] l2 m2 H; simpl in *; try discriminate.
  - reflexivity.
  - f_equal. apply IH. lia.
Qed.

Lemma map2_nil_r : forall (A B C : Type) (f : A -> B -> C) l, map2 f l [] = [].
Proof. intros. destruct l; reflexivity. Qed.

Lemma nth_map2 : forall (f : Z -> Z -> Z) k l m, length l = length m -> f 0 0 = 0 ->
  nth k (map2 f l m) 0 = f (nth k l 0) (nth k m 0).
Proof.
  intros f. induction k as [|k IH]; intros [|a l] [|b m] H H0; simpl in *; try discriminate; auto.
Qed.

Lemma dot_cons : forall a w x c, dot (a :: w) (x :: c) = a * x + dot w c.
Proof. reflexivity. Qed.

Lemma dot_nil_l : forall c, dot [] c = 0.
Proof. reflexivity. Qed.

Lemma dot_nil_r : forall w, dot w [] = 0.
Proof. intros. unfold dot. rewrite map2_nil_r. reflexivity. Qed.

Lemma dot_app : forall w1 w2 c1 c2, length w1 = length c1 ->
  dot (w1 ++ w2) (c1 ++ c2) = dot w1 c1 + dot w2 c2.
Proof. intros. unfold dot. rewrite map2_app by assumption. apply sum_app. Qed.

Lemma dot_nth : forall w c, length w = length c ->
  dot w c = sum (map (fun k => nth k w 0 * nth k c 0) (seq 0 (length w))).
Proof.
  induction w as [|a w IH]; intros [|x c] H; simpl in H; try discriminate.
  - reflexivity.
  - rewrite dot_cons. simpl length. simpl seq. simpl map. simpl sum. rewrite <- seq_shift, map_map.
    rewrite IH by lia. reflexivity.
Qed.

Lemma app_inj : forall (A : Type) (a b c d : list A), length a = length c ->
  a ++ b = c ++ d -> a = c /\ b = d.
Proof.
  intros A. induction a as [|x a IH]; intros b [|y c] d H E; simpl in *; try discriminate.
  - auto.
  - injection E as E1 E2. apply IH in E2; [|lia]. destruct E2 as [E2 E3]. subst. auto.
Qed.

(* -- permutations of the dimensions ----------------------------------------------------------------- *)

Lemma permutation_length : forall n p, permutation n p -> length p = n.
Proof. intros n p H. rewrite (Permutation_length H). apply seq_length. Qed.

Lemma permutation_in : forall n p k, permutation n p -> (In k p <-> (k < n)%nat).
Proof.
  intros n p k H. split; intros K.
  - apply (Permutation_in _ H) in K. apply in_seq in K. lia.
  - apply (Permutation_in _ (Permutation_sym H)). apply in_seq. lia.
Qed.

Lemma permutation_NoDup : forall n p, permutation n p -> NoDup p.
Proof.
  intros n p H. apply (Permutation_NoDup (Permutation_sym H)). apply seq_NoDup.
Qed.

Lemma permutation_rev : forall n p, permutation n p -> permutation n (rev p).
Proof.
  intros n p H. unfold permutation. rewrite <- H. apply Permutation_sym. apply Permutation_rev.
Qed.

Lemma permutation_seq : forall n, permutation n (seq 0 n).
Proof. intros. apply Permutation_refl. Qed.

Lemma pick_length : forall p l, length (pick p l) = length p.
Proof. intros. apply map_length. Qed.

Lemma pick_app : forall p q l, pick (p ++ q) l = pick p l ++ pick q l.
Proof. intros. apply map_app. Qed.

Lemma pick_nth : forall p l k, (k < length p)%nat -> nth k (pick p l) 0 = nth (nth k p 0%nat) l 0.
Proof.
  intros p l k H. unfold pick.
  rewrite (nth_indep _ 0 (nth 0%nat l 0)) by (rewrite map_length; exact H).
  apply (map_nth (fun j => nth j l 0)).
Qed.

Lemma pick_seq : forall l, pick (seq 0 (length l)) l = l.
Proof.
  induction l as [|a l IH]; [reflexivity|].
  unfold pick in *. simpl length. simpl seq. simpl map. f_equal.
  rewrite <- seq_shift, map_map. exact IH.
Qed.

Lemma pick_permutation : forall p l, permutation (length l) p -> Permutation (pick p l) l.
Proof.
  intros p l H. rewrite <- (pick_seq l) at 2. unfold pick. apply Permutation_map. exact H.
Qed.

Lemma product_pick : forall p d, permutation (length d) p -> product (pick p d) = product d.
Proof. intros p d H. apply product_permutation. apply pick_permutation. exact H. Qed.

Lemma nth_ext_Z : forall l m : list Z, length l = length m ->
  (forall k, (k < length l)%nat -> nth k l 0 = nth k m 0) -> l = m.
Proof. intros l m H H1. apply (nth_ext l m 0 0 H). exact H1. Qed.

Lemma pick_injective : forall n p a b, permutation n p -> length a = n -> length b = n ->
  pick p a = pick p b -> a = b.
Proof.
  intros n p a b H Ha Hb E. apply nth_ext_Z; [congruence|].
  intros k Hk. assert (K : In k p) by (apply (permutation_in n); [exact H | lia]).
  unfold pick in E. clear - E K.
  induction p as [|q p IH]; simpl in *; [contradiction|].
  injection E as E1 E2. destruct K as [K|K]; [subst; exact E1 | apply IH; assumption].
Qed.

Lemma box_nth : forall d e, box d e <->
  length d = length e /\ (forall k, (k < length d)%nat -> 0 <= nth k e 0 < nth k d 0).
Proof.
  induction d as [|s d IH]; intros [|x e]; split.
  - intros _. split; [reflexivity | intros k Hk; simpl in Hk; lia].
  - intros _. constructor.
  - intros H. inversion H.
  - intros [H _]. discriminate.
  - intros H. inversion H.
  - intros [H _]. discriminate.
  - intros H. apply box_cons in H. destruct H as [H1 H2]. apply IH in H2. destruct H2 as [H2 H3].
    split; [simpl; lia|]. intros [|k] Hk; simpl in *; [exact H1 | apply H3; lia].
  - intros [H1 H2]. apply box_cons. split.
    + apply (H2 0%nat). simpl. lia.
    + apply IH. split; [simpl in H1; lia|]. intros k Hk. apply (H2 (S k)). simpl. lia.
Qed.

Lemma box_pick : forall p d e, Forall (fun k => (k < length d)%nat) p -> box d e ->
  box (pick p d) (pick p e).
Proof.
  intros p d e Hp H. apply box_nth in H. destruct H as [H1 H2].
  induction Hp as [|k p Hk Hp IH]; unfold pick; simpl; [constructor|].
  apply box_cons. split; [apply H2; exact Hk | exact IH].
Qed.

Lemma permutation_Forall : forall n p, permutation n p -> Forall (fun k => (k < n)%nat) p.
Proof.
  intros n p H. apply Forall_forall. intros k K. apply (permutation_in n p k H). exact K.
Qed.

Lemma dot_pick : forall p w c, permutation (length w) p -> length w = length c ->
  dot (pick p w) (pick p c) = dot w c.
Proof.
  intros p w c H E. rewrite (dot_nth w c E).
  rewrite (sum_permutation _ (map (fun k => nth k w 0 * nth k c 0) p)).
  - clear. induction p as [|k p IH]; [reflexivity|].
    unfold pick in *. simpl map. rewrite dot_cons, IH. reflexivity.
  - apply Permutation_map. apply Permutation_sym. exact H.
Qed.

(* The inverse of a permutation: where p has the number i. *)
Fixpoint place (i : nat) (p : list nat) : nat :=
  match p with
  | [] => 0%nat
  | k :: p' => if Nat.eqb k i then 0%nat else S (place i p')
  end.
Definition unpick (p : list nat) (l : list Z) : list Z :=
  map (fun i => nth (place i p) l 0) (seq 0 (length p)).

Lemma place_spec : forall p i, In i p -> (place i p < length p)%nat /\ nth (place i p) p 0%nat = i.
Proof.
  induction p as [|k p IH]; intros i H; simpl in *; [contradiction|].
  destruct (Nat.eqb k i) eqn:E.
  - apply Nat.eqb_eq in E. split; [lia | exact E].
  - apply Nat.eqb_neq in E. destruct H as [H|H]; [contradiction|].
    apply IH in H. simpl. split; [lia | apply H].
Qed.

Lemma place_nth : forall p k, NoDup p -> (k < length p)%nat -> place (nth k p 0%nat) p = k.
Proof.
  induction p as [|q p IH]; intros k N H; simpl in H; [lia|].
  inversion N as [|q' p' N1 N2]; subst. destruct k as [|k]; simpl.
  - rewrite Nat.eqb_refl. reflexivity.
  - destruct (Nat.eqb q (nth k p 0%nat)) eqn:E.
    + apply Nat.eqb_eq in E. exfalso. apply N1. rewrite E. apply nth_In. lia.
    + f_equal. apply IH; [exact N2 | lia].
Qed.

Lemma unpick_length : forall p l, length (unpick p l) = length p.
Proof. intros. unfold unpick. rewrite map_length. apply seq_length. Qed.

Lemma unpick_nth : forall p l k, (k < length p)%nat -> nth k (unpick p l) 0 = nth (place k p) l 0.
Proof.
  intros p l k H. unfold unpick.
  rewrite (nth_indep _ 0 (nth (place 0%nat p) l 0)) by (rewrite map_length, seq_length; exact H).
  rewrite (map_nth (fun i => nth (place i p) l 0)). rewrite seq_nth by exact H. reflexivity.
Qed.

Lemma pick_unpick : forall n p l, permutation n p -> length l = n -> pick p (unpick p l) = l.
Proof.
  intros n p l H E. pose proof (permutation_length n p H) as L.
  apply nth_ext_Z; [rewrite pick_length; congruence|].
  intros k Hk. rewrite pick_length in Hk. rewrite pick_nth by exact Hk.
  rewrite unpick_nth.
  - rewrite place_nth; [reflexivity | apply (permutation_NoDup n); exact H | exact Hk].
  - rewrite L. apply (permutation_in n p); [exact H | apply nth_In; exact Hk].
Qed.

Lemma unpick_pick : forall n p l, permutation n p -> length l = n -> unpick p (pick p l) = l.
Proof.
  intros n p l H E. pose proof (permutation_length n p H) as L.
  apply (pick_injective n p); [exact H | rewrite unpick_length; exact L | exact E |].
  apply (pick_unpick n); [exact H | rewrite pick_length; exact L].
Qed.

Lemma box_unpick : forall p d y, permutation (length d) p -> box (pick p d) y -> box d (unpick p y).
Proof.
  intros p d y H B. pose proof (permutation_length _ p H) as L. apply box_nth in B.
  destruct B as [B1 B2]. rewrite pick_length in B1, B2. apply box_nth. split.
  - rewrite unpick_length. congruence.
  - intros k Hk. rewrite unpick_nth by lia.
    assert (K : In k p) by (apply (permutation_in (length d)); [exact H | exact Hk]).
    apply place_spec in K. destruct K as [K1 K2].
    specialize (B2 (place k p) K1). rewrite pick_nth in B2 by exact K1. rewrite K2 in B2. exact B2.
Qed.

Theorem pick_bijective : forall p d, permutation (length d) p ->
  bijective (box d) (box (pick p d)) (pick p).
Proof.
  intros p d H. split; [|split].
  - intros e B. apply box_pick; [apply permutation_Forall; exact H | exact B].
  - intros a b Ba Bb. apply (pick_injective (length d)); [exact H | |];
      symmetry; apply box_length; assumption.
  - intros y B. exists (unpick p y). split.
    + apply box_unpick; assumption.
    + apply (pick_unpick (length d)); [exact H|].
      apply box_length in B. rewrite pick_length in B. rewrite <- B. apply permutation_length. exact H.
Qed.

(* -- maps one after the other ----------------------------------------------------------------------- *)

Lemma injective_compose : forall (A B C : Type) (P : A -> Prop) (Q : B -> Prop) (f : A -> B) (g : B -> C),
  maps_into P Q f -> injective P f -> injective Q g -> injective P (fun a => g (f a)).
Proof.
  intros A B C P Q f g F I J a b Ha Hb E. apply (I a b Ha Hb). exact (J _ _ (F a Ha) (F b Hb) E).
Qed.

Lemma bijective_compose : forall (A B C : Type) (P : A -> Prop) (Q : B -> Prop) (R : C -> Prop)
  (f : A -> B) (g : B -> C),
  bijective P Q f -> bijective Q R g -> bijective P R (fun a => g (f a)).
Proof.
  intros A B C P Q R f g [F1 [F2 F3]] [G1 [G2 G3]]. split; [|split].
  - intros a Ha. apply G1. apply F1. exact Ha.
  - apply (injective_compose A B C P Q); assumption.
  - intros c Hc. destruct (G3 c Hc) as [b [Hb E1]]. destruct (F3 b Hb) as [a [Ha E2]].
    exists a. split; [exact Ha | congruence].
Qed.

Lemma bijective_ext : forall (A B : Type) (P : A -> Prop) (Q : B -> Prop) (f g : A -> B),
  (forall a, P a -> f a = g a) -> bijective P Q f -> bijective P Q g.
Proof.
  intros A B P Q f g E [F1 [F2 F3]]. split; [|split].
  - intros a Ha. rewrite <- (E a Ha). apply F1. exact Ha.
  - intros a b Ha Hb H. rewrite <- (E a Ha), <- (E b Hb) in H. apply F2; assumption.
  - intros b Hb. destruct (F3 b Hb) as [a [Ha H]]. exists a. split; [exact Ha|].
    rewrite <- E by exact Ha. exact H.
Qed.

(* -- quotient and remainder ------------------------------------------------------------------------- *)

Lemma euclid : forall q r b, 0 <= r < b -> (q * b + r) / b = q /\ (q * b + r) mod b = r.
Proof.
  intros q r b H. split.
  - rewrite Z.div_add_l by lia. rewrite Z.div_small by exact H. ring.
  - rewrite Z.add_comm, Z_mod_plus_full. apply Z.mod_small. exact H.
Qed.

Lemma euclid_unique : forall q r q' r' b, 0 <= r < b -> 0 <= r' < b -> q * b + r = q' * b + r' ->
  q = q' /\ r = r'.
Proof.
  intros q r q' r' b H H' E. destruct (euclid q r b H) as [E1 E2].
  destruct (euclid q' r' b H') as [E3 E4]. rewrite E in E1, E2. split; congruence.
Qed.

Lemma ceildiv_spec : forall d t, 0 < t -> ceildiv d t * t >= d /\ (ceildiv d t - 1) * t < d.
Proof.
  intros d t H. unfold ceildiv.
  pose proof (Z.div_mod (d + t - 1) t ltac:(lia)) as E.
  pose proof (Z.mod_pos_bound (d + t - 1) t H) as B. lia.
Qed.

Lemma ceildiv_digit : forall d t e, 0 < t -> 0 <= e < d -> 0 <= e / t < ceildiv d t.
Proof.
  intros d t e H He. destruct (ceildiv_spec d t H) as [C _]. split.
  - apply Z.div_pos; lia.
  - apply Z.div_lt_upper_bound; lia.
Qed.

Lemma ceildiv_exact : forall d t, 0 < t -> (t | d) -> ceildiv d t * t = d.
Proof.
  intros d t H [q E]. subst. unfold ceildiv.
  replace (q * t + t - 1) with (q * t + (t - 1)) by ring.
  destruct (euclid q (t - 1) t) as [E _]; [lia|]. rewrite E. reflexivity.
Qed.

Lemma ceildiv_positive : forall d t, 0 < t -> 0 < d -> 0 < ceildiv d t.
Proof. intros d t H Hd. pose proof (ceildiv_digit d t 0 H ltac:(lia)) as C. lia. Qed.

Lemma ceildiv_1 : forall d, ceildiv d 1 = d.
Proof. intros. unfold ceildiv. rewrite Z.div_1_r. ring. Qed.
