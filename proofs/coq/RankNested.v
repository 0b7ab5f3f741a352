(* Theorem 9. Coordinates of nested layouts shape:stride, of any profile and any depth.

   "Tuple against tuple recursively, summed; an integer against a tuple is split colexicographically (left
   mode fastest), the last mode taking the whole remaining quotient; integer against integer is
   coord*stride. A tuple against an integer is an error." *)

Require Import ZArith List Lia Permutation.
Require Import Symlayout.RankLists.
Import ListNotations.
Open Scope Z_scope.

(* -- definitions ------------------------------------------------------------------------------------ *)

(* Shape and stride have the same profile, so that a layout is one tree with a size and a stride a leaf. *)
Inductive layout : Type := Mode (size stride : Z) | Modes (modes : list layout).
Inductive coordinate : Type := Number (x : Z) | Tuple (parts : list coordinate).

(* "product(int) is itself, of a tuple the product." *)
Fixpoint size (l : layout) : Z :=
  match l with
  | Mode s _ => s
  | Modes ms => product (map size ms)
  end.

Fixpoint crd2offset (l : layout) (c : coordinate) {struct l} : Z :=
  match l, c with
  | Mode _ p, Number x => x * p
  | Modes ms, Tuple cs =>
      (fix pairs (ms : list layout) (cs : list coordinate) : Z :=
         match ms, cs with
         | m :: ms', c' :: cs' => crd2offset m c' + pairs ms' cs'
         | _, _ => 0
         end) ms cs
  | Modes ms, Number x =>
      (fix parts (ms : list layout) (x : Z) : Z :=
         match ms with
         | [] => 0
         | [m] => crd2offset m (Number x)
         | m :: ms' => crd2offset m (Number (x mod size m)) + parts ms' (x / size m)
         end) ms x
  | Mode _ _, Tuple _ => 0 (* the error, which `fits` excludes *)
  end.

(* A coordinate that is not an error. *)
Fixpoint fits (l : layout) (c : coordinate) {struct l} : Prop :=
  match l, c with
  | Mode _ _, Number _ => True
  | Mode _ _, Tuple _ => False
  | Modes _, Number _ => True
  | Modes ms, Tuple cs =>
      (fix pairs (ms : list layout) (cs : list coordinate) : Prop :=
         match ms, cs with
         | m :: ms', c' :: cs' => fits m c' /\ pairs ms' cs'
         | [], [] => True
         | _, _ => False
         end) ms cs
  end.

(* Sizes are positive, and a tuple has a mode. *)
Fixpoint shaped (l : layout) : Prop :=
  match l with
  | Mode s _ => 0 < s
  | Modes ms => ms <> [] /\ fold_right (fun m P => shaped m /\ P) True ms
  end.

(* The flat layout: the leaves from left to right. *)
Fixpoint leaf_sizes (l : layout) : list Z :=
  match l with
  | Mode s _ => [s]
  | Modes ms => flat_map leaf_sizes ms
  end.
Fixpoint leaf_strides (l : layout) : list Z :=
  match l with
  | Mode _ p => [p]
  | Modes ms => flat_map leaf_strides ms
  end.

(* One number against the flat tuple: q_0 = x, c_k = q_{k-1} mod s_k, q_k = floor(q_{k-1} / s_k), and the
   last mode takes what is left. *)
Fixpoint colex (n : list Z) (x : Z) : list Z :=
  match n with
  | [] => []
  | [_] => [x]
  | s :: n' => x mod s :: colex n' (x / s)
  end.
(* The number of a flat coordinate: c_1 + s_1*(c_2 + s_2*(...)). *)
Fixpoint number (n c : list Z) : Z :=
  match n, c with
  | s :: n', x :: c' => x + s * number n' c'
  | _, _ => 0
  end.

(* What each leaf gets of a coordinate. *)
Fixpoint leaves (l : layout) (c : coordinate) {struct l} : list Z :=
  match l, c with
  | Mode _ _, Number x => [x]
  | Mode _ _, Tuple _ => []
  | Modes ms, Tuple cs =>
      (fix pairs (ms : list layout) (cs : list coordinate) : list Z :=
         match ms, cs with
         | m :: ms', c' :: cs' => leaves m c' ++ pairs ms' cs'
         | _, _ => []
         end) ms cs
  | Modes ms, Number x =>
      (fix parts (ms : list layout) (x : Z) : list Z :=
         match ms with
         | [] => []
         | [m] => leaves m (Number x)
         | m :: ms' => leaves m (Number (x mod size m)) ++ parts ms' (x / size m)
         end) ms x
  end.

(* The document's layout ((4,2),(4,3)):((4,16),(1,32)). *)
Definition w8xh12 : layout := Modes [Modes [Mode 4 4; Mode 2 16]; Modes [Mode 4 1; Mode 3 32]].
Example one_a_mode : crd2offset w8xh12 (Tuple [Number 1; Number 5]) = 37.
Proof. reflexivity. Qed.
Example one_for_all : crd2offset w8xh12 (Number 41) = 37.
Proof. reflexivity. Qed.
Example natural : crd2offset w8xh12 (Tuple [Tuple [Number 1; Number 0]; Tuple [Number 1; Number 1]]) = 37.
Proof. reflexivity. Qed.

(* -- the recursions --------------------------------------------------------------------------------- *)

Definition layout_induction (P : layout -> Prop) (leaf : forall s p, P (Mode s p))
  (tuple : forall ms, Forall P ms -> P (Modes ms)) : forall l, P l :=
  fix go (l : layout) : P l :=
    match l with
    | Mode s p => leaf s p
    | Modes ms => tuple ms ((fix all (ms : list layout) : Forall P ms :=
        match ms with
        | [] => Forall_nil P
        | m :: ms' => Forall_cons m (go m) (all ms')
        end) ms)
    end.

Lemma crd2offset_tuple : forall m ms c cs,
  crd2offset (Modes (m :: ms)) (Tuple (c :: cs)) = crd2offset m c + crd2offset (Modes ms) (Tuple cs).
Proof. reflexivity. Qed.

Lemma crd2offset_last : forall m x, crd2offset (Modes [m]) (Number x) = crd2offset m (Number x).
Proof. reflexivity. Qed.

Lemma crd2offset_number : forall m m' ms x, crd2offset (Modes (m :: m' :: ms)) (Number x)
  = crd2offset m (Number (x mod size m)) + crd2offset (Modes (m' :: ms)) (Number (x / size m)).
Proof. reflexivity. Qed.

Lemma leaves_tuple : forall m ms c cs,
  leaves (Modes (m :: ms)) (Tuple (c :: cs)) = leaves m c ++ leaves (Modes ms) (Tuple cs).
Proof. reflexivity. Qed.

Lemma leaves_last : forall m x, leaves (Modes [m]) (Number x) = leaves m (Number x).
Proof. reflexivity. Qed.

Lemma leaves_number : forall m m' ms x, leaves (Modes (m :: m' :: ms)) (Number x)
  = leaves m (Number (x mod size m)) ++ leaves (Modes (m' :: ms)) (Number (x / size m)).
Proof. reflexivity. Qed.

Lemma sizes_cons : forall m ms, leaf_sizes (Modes (m :: ms)) = leaf_sizes m ++ leaf_sizes (Modes ms).
Proof. reflexivity. Qed.

Lemma strides_cons : forall m ms,
  leaf_strides (Modes (m :: ms)) = leaf_strides m ++ leaf_strides (Modes ms).
Proof. reflexivity. Qed.

Lemma shaped_cons : forall m m' ms,
  shaped (Modes (m :: m' :: ms)) -> shaped m /\ shaped (Modes (m' :: ms)).
Proof. intros m m' ms [_ [H1 H2]]. split; [exact H1|]. split; [discriminate | exact H2]. Qed.

Lemma shaped_one : forall m, shaped (Modes [m]) -> shaped m.
Proof. intros m [_ [H _]]. exact H. Qed.

(* -- (a) the offset is the sum over the leaves ------------------------------------------------------ *)

Lemma leaves_length : forall l c, shaped l -> fits l c -> length (leaves l c) = length (leaf_sizes l).
Proof.
  intros l. induction l as [s p|ms IH] using layout_induction; intros c S F.
  - destruct c as [x|cs]; [reflexivity | contradiction].
  - destruct c as [x|cs].
    + revert x S F. induction IH as [|m ms Hm IH IH2]; intros x S F; [reflexivity|].
      destruct ms as [|m' ms].
      * rewrite leaves_last, sizes_cons, app_length. simpl. rewrite Nat.add_0_r.
        apply Hm; [apply shaped_one; exact S|]. destruct m; exact I.
      * apply shaped_cons in S. destruct S as [S1 S2].
        rewrite leaves_number, sizes_cons, !app_length. f_equal.
        -- apply Hm; [exact S1|]. destruct m; exact I.
        -- apply IH2; [exact S2 | exact F].
    + destruct S as [_ S]. revert cs F. induction IH as [|m ms Hm IH IH2]; intros cs F.
      * destruct cs; [reflexivity | contradiction].
      * destruct cs as [|c cs]; [contradiction|]. destruct F as [F1 F2]. destruct S as [S1 S2].
        rewrite leaves_tuple, sizes_cons, !app_length. f_equal.
        -- apply Hm; assumption.
        -- apply IH2; assumption.
Qed.

Lemma strides_length : forall l, length (leaf_strides l) = length (leaf_sizes l).
Proof.
  intros l. induction l as [s p|ms IH] using layout_induction; [reflexivity|].
  induction IH as [|m ms Hm IH IH2]; [reflexivity|].
  rewrite strides_cons, sizes_cons, !app_length, Hm, IH2. reflexivity.
Qed.

Theorem nested_offset_is_flat_sum : forall l c, shaped l -> fits l c ->
  crd2offset l c = dot (leaf_strides l) (leaves l c).
Proof.
  intros l. induction l as [s p|ms IH] using layout_induction; intros c S F.
  - destruct c as [x|cs]; [|contradiction]. simpl. rewrite dot_cons, dot_nil_l. ring.
  - destruct c as [x|cs].
    + revert x S F. induction IH as [|m ms Hm IH IH2]; intros x S F; [reflexivity|].
      destruct ms as [|m' ms].
      * rewrite crd2offset_last, leaves_last, strides_cons. simpl leaf_strides at 2. rewrite app_nil_r.
        apply Hm; [apply shaped_one; exact S|]. destruct m; exact I.
      * apply shaped_cons in S. destruct S as [S1 S2].
        assert (F1 : fits m (Number (x mod size m))) by (destruct m; exact I).
        rewrite crd2offset_number, leaves_number, strides_cons.
        rewrite dot_app by (rewrite strides_length, leaves_length; auto).
        f_equal; [apply Hm; assumption | apply IH2; [exact S2 | exact I]].
    + destruct S as [_ S]. revert cs F. induction IH as [|m ms Hm IH IH2]; intros cs F.
      * destruct cs; [reflexivity | contradiction].
      * destruct cs as [|c cs]; [contradiction|]. destruct F as [F1 F2]. destruct S as [S1 S2].
        rewrite crd2offset_tuple, leaves_tuple, strides_cons.
        rewrite dot_app by (rewrite strides_length, leaves_length; auto).
        f_equal; [apply Hm; assumption | apply IH2; assumption].
Qed.

(* -- (b) one number for all: the leaves get what the flat tuple gives them -------------------------- *)

(* All digits, the last one with its mod as well. *)
Fixpoint digits (n : list Z) (x : Z) : list Z :=
  match n with
  | [] => []
  | s :: n' => x mod s :: digits n' (x / s)
  end.

Lemma mod_div : forall x s k, 0 < s -> 0 < k ->
  (x mod (s * k)) mod s = x mod s /\ (x mod (s * k)) / s = (x / s) mod k.
Proof.
  intros x s k Hs Hk. rewrite Z.rem_mul_r by lia.
  rewrite (Z.add_comm (x mod s)), (Z.mul_comm s).
  destruct (euclid ((x / s) mod k) (x mod s) s (Z.mod_pos_bound x s Hs)) as [Q R]. split; assumption.
Qed.

Lemma colex_app : forall n1 n2 x, positive n1 -> n2 <> [] ->
  colex (n1 ++ n2) x = digits n1 x ++ colex n2 (x / product n1).
Proof.
  induction n1 as [|s n1 IH]; intros n2 x P N.
  - rewrite product_nil, Z.div_1_r. reflexivity.
  - apply positive_cons in P. destruct P as [Hs P]. pose proof (product_positive n1 P) as Hp.
    assert (E : colex ((s :: n1) ++ n2) x = x mod s :: colex (n1 ++ n2) (x / s)).
    { simpl. destruct (n1 ++ n2) eqn:E; [|reflexivity].
      apply app_eq_nil in E. destruct E as [_ E]. contradiction. }
    rewrite E, IH by assumption. rewrite product_cons, <- Z.div_div by lia. reflexivity.
Qed.

Lemma colex_mod : forall n x, positive n -> n <> [] -> colex n (x mod product n) = digits n x.
Proof.
  induction n as [|s n IH]; intros x P N; [contradiction|].
  apply positive_cons in P. destruct P as [Hs P]. pose proof (product_positive n P) as Hp.
  destruct n as [|s' n].
  - simpl. rewrite product_cons, product_nil, Z.mul_1_r. reflexivity.
  - destruct (mod_div x s (product (s' :: n)) Hs Hp) as [E1 E2]. rewrite product_cons.
    change (colex (s :: s' :: n) (x mod (s * product (s' :: n))))
      with ((x mod (s * product (s' :: n))) mod s ::
            colex (s' :: n) ((x mod (s * product (s' :: n))) / s)).
    rewrite E1, E2, IH; [reflexivity | exact P | discriminate].
Qed.

Lemma shaped_sizes : forall l, shaped l ->
  positive (leaf_sizes l) /\ leaf_sizes l <> [] /\ size l = product (leaf_sizes l).
Proof.
  intros l. induction l as [s p|ms IH] using layout_induction; intros S.
  - simpl. split; [|split].
    + constructor; [exact S | constructor].
    + discriminate.
    + rewrite product_cons, product_nil. ring.
  - induction IH as [|m ms Hm IH IH2].
    + destruct S as [S _]. contradiction.
    + assert (S1 : shaped m) by (apply S). destruct (Hm S1) as [A1 [A2 A3]].
      rewrite sizes_cons. change (size (Modes (m :: ms))) with (size m * product (map size ms)).
      destruct ms as [|m' ms].
      * simpl. rewrite app_nil_r, product_nil, Z.mul_1_r. auto.
      * apply shaped_cons in S. destruct S as [_ S2]. destruct (IH2 S2) as [B1 [B2 B3]].
        split; [|split].
        -- apply positive_app. split; assumption.
        -- intros E. apply app_eq_nil in E. destruct E as [E _]. contradiction.
        -- rewrite product_app, A3, <- B3. reflexivity.
Qed.

Theorem nested_split_is_flat_split : forall l x, shaped l -> leaves l (Number x) = colex (leaf_sizes l) x.
Proof.
  intros l. induction l as [s p|ms IH] using layout_induction; intros x S; [reflexivity|].
  revert x S. induction IH as [|m ms Hm IH IH2]; intros x S; [reflexivity|].
  destruct ms as [|m' ms].
  - rewrite leaves_last, sizes_cons. simpl leaf_sizes at 2. rewrite app_nil_r.
    apply Hm. apply shaped_one. exact S.
  - apply shaped_cons in S. destruct S as [S1 S2].
    destruct (shaped_sizes m S1) as [A1 [A2 A3]]. destruct (shaped_sizes _ S2) as [B1 [B2 B3]].
    rewrite leaves_number, sizes_cons. rewrite colex_app by assumption.
    rewrite Hm by exact S1. rewrite IH2 by exact S2. rewrite A3. rewrite colex_mod by assumption.
    reflexivity.
Qed.

(* One number for all: a nested layout and its flat layout are one function. *)
Theorem nested_is_flat : forall l x, shaped l ->
  crd2offset l (Number x) = dot (leaf_strides l) (colex (leaf_sizes l) x).
Proof.
  intros l x S. rewrite nested_offset_is_flat_sum; [|exact S | destruct l; exact I].
  rewrite nested_split_is_flat_split by exact S. reflexivity.
Qed.

Corollary same_leaves_same_offsets : forall l m x, shaped l -> shaped m ->
  leaf_sizes l = leaf_sizes m -> leaf_strides l = leaf_strides m ->
  crd2offset l (Number x) = crd2offset m (Number x).
Proof. intros l m x S T E1 E2. rewrite !nested_is_flat by assumption. rewrite E1, E2. reflexivity. Qed.

(* -- (c) the natural coordinate --------------------------------------------------------------------- *)

(* Every number is that of its split, past the end too. *)
Theorem number_of_colex : forall n x, positive n -> n <> [] -> number n (colex n x) = x.
Proof.
  induction n as [|s n IH]; intros x P N; [contradiction|].
  apply positive_cons in P. destruct P as [Hs P]. destruct n as [|s' n].
  - simpl. ring.
  - change (x mod s + s * number (s' :: n) (colex (s' :: n) (x / s)) = x).
    rewrite IH; [|exact P | discriminate]. rewrite Z.add_comm. symmetry. apply Z.div_mod. lia.
Qed.

(* The split of a coordinate's number is the coordinate; the last entry has no bound. *)
Theorem colex_of_number : forall n c y s, box n c -> colex (n ++ [s]) (number (n ++ [s]) (c ++ [y])) = c ++ [y].
Proof.
  intros n c y s B. induction B as [|a x n c Hx B IH].
  - simpl. f_equal. ring.
  - assert (E : forall z, colex ((a :: n) ++ [s]) z = z mod a :: colex (n ++ [s]) (z / a)).
    { intros z. simpl. destruct (n ++ [s]) eqn:E; [|reflexivity].
      apply app_eq_nil in E. destruct E as [_ E]. discriminate. }
    rewrite E. simpl app. simpl number.
    set (q := number (n ++ [s]) (c ++ [y])) in *.
    destruct (euclid q x a Hx) as [U V]. replace (x + a * q) with (q * a + x) by ring.
    rewrite U, V, IH. reflexivity.
Qed.

Theorem number_bounds : forall n c, box n c -> 0 <= number n c < product n.
Proof.
  intros n c B. induction B as [|s x n c Hx B IH].
  - simpl. rewrite product_nil. lia.
  - simpl. rewrite product_cons. nia.
Qed.

Theorem colex_box : forall n x, positive n -> 0 <= x < product n -> box n (colex n x).
Proof.
  induction n as [|s n IH]; intros x P Hx; [constructor|].
  apply positive_cons in P. destruct P as [Hs P]. rewrite product_cons in Hx. destruct n as [|s' n].
  - rewrite product_nil in Hx. apply box_cons. split; [lia | constructor].
  - change (box (s :: s' :: n) (x mod s :: colex (s' :: n) (x / s))). apply box_cons. split.
    + apply Z.mod_pos_bound. exact Hs.
    + apply IH; [exact P|]. split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia].
Qed.

Lemma colex_of_number_box : forall n c, box n c -> colex n (number n c) = c.
Proof.
  intros n c B. destruct n as [|s n].
  - apply box_nil_l in B. subst. reflexivity.
  - destruct (exists_last (l := s :: n)) as [n1 [a E]]; [discriminate|]. rewrite E in *.
    apply box_app_l in B. destruct B as [c1 [c2 [Ec [B1 B2]]]].
    apply box_cons_l in B2. destruct B2 as [x [c3 [E2 [Hx B2]]]]. apply box_nil_l in B2. subst.
    apply colex_of_number. exact B1.
Qed.

Theorem number_bijective : forall n, positive n -> n <> [] ->
  bijective (box n) (range (product n)) (number n).
Proof.
  intros n P N. split; [|split].
  - intros c B. apply number_bounds. exact B.
  - intros a b Ha Hb E. rewrite <- (colex_of_number_box n a Ha), E. apply colex_of_number_box. exact Hb.
  - intros x Hx. exists (colex n x). split; [apply colex_box; assumption|].
    apply number_of_colex; assumption.
Qed.

(* All coordinates of one element lead to one offset: a coordinate whose leaves lie in the box, and the
   number of these leaves. *)
Theorem one_offset : forall l c, shaped l -> fits l c -> box (leaf_sizes l) (leaves l c) ->
  crd2offset l c = crd2offset l (Number (number (leaf_sizes l) (leaves l c))).
Proof.
  intros l c S F B. rewrite nested_is_flat by exact S. rewrite colex_of_number_box by exact B.
  apply nested_offset_is_flat_sum; assumption.
Qed.
