(* The laws that each step of a certificate is an instance of, each proved for all integers.

   The statements are those of `symlayout/certificate/lemmas.toml`: `tests/internals/test_rocq_lemmas.py` prints
   them again and compares.  What a law introduces is an unknown that equals something. *)

Require Import Symlayout.Integers.

(* a product of what is not negative, and more *)
Lemma law_product : forall a b c : Z,
  a >= 0 ->
  b >= 0 ->
  c >= 0 ->
  c + a * b >= 0.
Proof.
  intros; nia.
Qed.

(* a square, and more *)
Lemma law_square : forall a b : Z,
  b >= 0 ->
  b + a * a >= 0.
Proof.
  intros; nia.
Qed.

(* d*p > -d, and p is an integer *)
Lemma law_cancel : forall d p : Z,
  d >= 1 ->
  (-1) + d + d * p >= 0 ->
  p >= 0.
Proof.
  intros; nia.
Qed.

(* a line between two points that are not below 0 *)
Lemma law_ends : forall a b high low x : Z,
  x >= low ->
  x <= high ->
  b + a * low >= 0 ->
  b + a * high >= 0 ->
  b + a * x >= 0.
Proof.
  intros a b high low x H1 H2 H3 H4; destruct (Z_le_gt_dec 0 a).
  - assert (0 <= a * (x - low)) by (apply Z.mul_nonneg_nonneg; lia); lia.
  - assert (0 <= (- a) * (high - x)) by (apply Z.mul_nonneg_nonneg; lia); lia.
Qed.

(* m is one of two numbers *)
Lemma law_either : forall a b m u v : Z,
  (m + (-1) * a) * (m + (-1) * b) = 0 ->
  v + a * u >= 0 ->
  v + b * u >= 0 ->
  v + m * u >= 0.
Proof.
  intros a b m u v E Ha Hb; apply Z.eq_mul_0 in E; destruct E as [E | E].
  - replace m with a by lia; lia.
  - replace m with b by lia; lia.
Qed.

(* what is not 0 and not negative is at least 1 *)
Lemma law_apart : forall x : Z,
  x <> 0 ->
  x >= 0 ->
  (-1) + x >= 0.
Proof.
  intros; lia.
Qed.

(* a multiple of a number and less than that number more is not 0 *)
Lemma law_uneven : forall d r u : Z,
  r >= 1 ->
  r < d ->
  r + d * u <> 0.
Proof.
  intros d r u H1 H2 E; destruct (Z_le_gt_dec 0 u); nia.
Qed.

(* a name for a number *)
Lemma law_let : forall x y : Z,
  y = x ->
  y = x.
Proof.
  trivial.
Qed.

(* quotient and remainder, unique for a positive divisor *)
Lemma law_Euclid : forall d x q r : Z,
  q = x / d ->
  r = x mod d ->
  d >= 1 ->
  x / d = q /\ x mod d = r /\ x = r + d * q /\ r >= 0 /\ r < d.
Proof.
  intros d x q r -> -> Hd.
  pose proof (Z.div_mod x d ltac:(lia)) as E; pose proof (Z.mod_pos_bound x d ltac:(lia)) as B; lia.
Qed.

(* the smaller of two numbers is one of them *)
Lemma law_min : forall a b m : Z,
  m = Z.min a b ->
  Z.min a b = m /\ Z.min b a = m /\ m <= a /\ m <= b /\ (m + (-1) * a) * (m + (-1) * b) = 0.
Proof.
  intros a b m ->; rewrite (Z.min_comm b a).
  destruct (Z.min_spec a b) as [[H ->] | [H ->]]; repeat split; try lia; ring.
Qed.

(* the larger of two numbers is one of them *)
Lemma law_max : forall a b m : Z,
  m = Z.max a b ->
  Z.max a b = m /\ Z.max b a = m /\ m >= a /\ m >= b /\ (m + (-1) * a) * (m + (-1) * b) = 0.
Proof.
  intros a b m ->; rewrite (Z.max_comm b a).
  destruct (Z.max_spec a b) as [[H ->] | [H ->]]; repeat split; try lia; ring.
Qed.

(* two to a power, which is more than the exponent *)
Lemma law_power : forall k p : Z,
  p = exp2 k ->
  k >= 0 ->
  exp2 k = p /\ p >= 1 /\ p >= 1 + k.
Proof.
  intros k p -> Hk; unfold exp2.
  pose proof (Z.pow_gt_lin_r 2 k ltac:(lia) ltac:(lia)); lia.
Qed.

(* a multiple of the divisor comes out *)
Lemma law_R1 : forall d u v : Z,
  d >= 1 ->
  (v + d * u) / d = u + v / d /\ (v + d * u) mod d = v mod d.
Proof.
  intros d u v Hd; rewrite (Z.mul_comm d u), Z.div_add, Z.mod_add by lia; lia.
Qed.

(* division with a remainder: a polynomial split into multiples of the divisor and less than one *)
Lemma law_R2 : forall d q r : Z,
  d >= 1 ->
  r >= 0 ->
  r < d ->
  (r + d * q) / d = q /\ (r + d * q) mod d = r.
Proof.
  intros d q r Hd H0 H1; apply div_mod_unique; lia.
Qed.

(* a multiple of the divisor, whatever the divisor's sign *)
Lemma law_multiple : forall d q : Z,
  d <> 0 ->
  (d * q) / d = q /\ (d * q) mod d = 0.
Proof.
  intros d q Hd; rewrite (Z.mul_comm d q), Z.div_mul, Z.mod_mul by assumption; lia.
Qed.

(* a quotient of a quotient *)
Lemma law_R3 : forall a b c x : Z,
  a >= 1 ->
  b >= 1 ->
  (c + x / a) / b = (x + a * c) / (a * b).
Proof.
  intros a b c x Ha Hb.
  rewrite <- Z.div_div by lia; f_equal.
  rewrite (Z.mul_comm a c), Z.div_add by lia; lia.
Qed.

(* quotient and remainder of a remainder *)
Lemma law_R4 : forall a b x : Z,
  a >= 1 ->
  b >= 1 ->
  (x mod (a * b)) / a = (x / a) mod b /\ (x mod (a * b)) mod a = x mod a.
Proof.
  intros a b x Ha Hb.
  rewrite (Z.rem_mul_r x a b) by lia; split.
  - apply (div_mod_unique _ a ((x / a) mod b) (x mod a)); try (pose proof (Z.mod_pos_bound x a); lia).
  - apply (div_mod_unique _ a ((x / a) mod b) (x mod a)); try (pose proof (Z.mod_pos_bound x a); lia).
Qed.

(* a quotient and its remainders join *)
Lemma law_R5 : forall a b x : Z,
  a >= 1 ->
  b >= 1 ->
  a * (x / a) + x mod a = x /\ a * ((x / a) mod b) + x mod a = x mod (a * b).
Proof.
  intros a b x Ha Hb; rewrite (Z.rem_mul_r x a b) by lia.
  pose proof (Z.div_mod x a); lia.
Qed.

(* a common factor that the remainder does not reach *)
Lemma law_R6 : forall g r x y : Z,
  g >= 1 ->
  y >= 1 ->
  r >= 0 ->
  r < g ->
  (r + g * x) / (g * y) = x / y /\ (r + g * x) mod (g * y) = r + g * (x mod y).
Proof.
  intros g r x y Hg Hy H0 H1; apply div_mod_unique.
  - pose proof (Z.mod_pos_bound x y); nia.
  - pose proof (Z.mod_pos_bound x y); nia.
  - pose proof (Z.div_mod x y); nia.
Qed.

(* mixed radix: digits below their counts stay below the product of the counts *)
Lemma law_R7 : forall k q r s : Z,
  q >= 0 ->
  q < k ->
  r >= 0 ->
  r < s ->
  r + q * s >= 0 /\ r + q * s < k * s.
Proof.
  intros; nia.
Qed.

(* a coefficient may lose multiples of the modulus *)
Lemma law_R8 : forall c f k x y : Z,
  c >= 1 ->
  (y + x * (f + c * k)) mod c = (y + f * x) mod c.
Proof.
  intros c f k x y Hc.
  replace (y + x * (f + c * k)) with (y + f * x + (k * x) * c) by ring.
  apply Z.mod_add; lia.
Qed.

(* a constant is split by the divisor *)
Lemma law_R9 : forall c d k x : Z,
  d >= 1 ->
  (c + x + d * k) / d = k + (c + x) / d /\ (c + x + d * k) mod d = (c + x) mod d.
Proof.
  intros c d k x Hd; rewrite (Z.mul_comm d k), Z.div_add, Z.mod_add by lia; lia.
Qed.

(* padding: a ceiling is the last block's number and one more, and no element lies in a later block *)
Lemma law_R10 : forall n t x : Z,
  t >= 1 ->
  x < n ->
  ceildiv n t = 1 + ((-1) + n) / t /\ x / t <= ((-1) + n) / t.
Proof.
  intros n t x Ht Hx; split.
  - rewrite ceildiv_div by lia; replace (n + t - 1) with (-1 + n + 1 * t) by ring.
    rewrite Z.div_add; lia.
  - apply Z.div_le_mono; lia.
Qed.

(* neighbouring modes merge where the outer stride is the inner one times its count *)
Lemma law_R11 : forall n s t x : Z,
  n >= 1 ->
  t = n * s ->
  s * (x mod n) + t * (x / n) = s * x.
Proof.
  intros n s t x Hn ->; pose proof (Z.div_mod x n); nia.
Qed.

(* two to a sum *)
Lemma law_powers : forall a b : Z,
  a >= 0 ->
  b >= 0 ->
  exp2 (a + b) = (exp2 a) * (exp2 b).
Proof.
  intros a b Ha Hb; apply Z.pow_add_r; lia.
Qed.

(* a ceiling as a quotient that is rounded down *)
Lemma law_ceiling : forall d x : Z,
  d >= 1 ->
  ceildiv x d = ((-1) + d + x) / d.
Proof.
  intros d x Hd; rewrite ceildiv_div by lia; f_equal; lia.
Qed.

(* a ceiling by a negative number as a quotient by it *)
Lemma law_ceiling_by_negative : forall d x : Z,
  d <= -1 ->
  ceildiv x d = (-1) * (((-1) * x) / d).
Proof.
  intros d x Hd; unfold ceildiv; replace ((-1) * x) with (- x); lia.
Qed.

(* the minimum where it is decided *)
Lemma law_smaller : forall a b : Z,
  a <= b ->
  Z.min a b = a /\ Z.min b a = a.
Proof.
  intros; lia.
Qed.

(* the extremes of two numbers by how far they are apart *)
Lemma law_difference : forall b e g : Z,
  g >= 1 ->
  Z.min (b + e * g) b = b + g * (Z.min e 0) /\ Z.min b (b + e * g) = b + g * (Z.min e 0) /\ Z.max (b + e * g) b = b + e * g + (-1) * g * (Z.min e 0) /\ Z.max b (b + e * g) = b + e * g + (-1) * g * (Z.min e 0).
Proof.
  intros; nia.
Qed.

(* the maximum where it is decided *)
Lemma law_larger : forall a b : Z,
  a >= b ->
  Z.max a b = a /\ Z.max b a = a.
Proof.
  intros; lia.
Qed.

(* division by a negative number: both signs change *)
Lemma law_negative : forall d x : Z,
  d <= -1 ->
  x / d = ((-1) * x) / ((-1) * d) /\ x mod d = (-1) * (((-1) * x) mod ((-1) * d)).
Proof.
  intros d x Hd.
  replace ((-1) * x) with (- x) by lia; replace ((-1) * d) with (- d) by lia.
  rewrite Z.div_opp_opp, Z.mod_opp_opp by lia; lia.
Qed.

(* C's division of a number that is not negative *)
Lemma law_towards_zero : forall d x : Z,
  x >= 0 ->
  d >= 1 ->
  truncdiv x d = x / d /\ truncmod x d = x mod d.
Proof.
  intros d x Hx Hd; unfold truncdiv, truncmod.
  rewrite Z.quot_div_nonneg, Z.rem_mod_nonneg by lia; lia.
Qed.

(* C's division of a number that is not positive *)
Lemma law_towards_zero_from_below : forall d x : Z,
  x <= 0 ->
  d >= 1 ->
  truncdiv x d = (-1) * (((-1) * x) / d) /\ truncmod x d = (-1) * (((-1) * x) mod d).
Proof.
  intros d x Hx Hd; unfold truncdiv, truncmod.
  replace ((-1) * x) with (- x) by lia.
  rewrite <- (Z.opp_involutive x) at 1 3.
  rewrite Z.quot_opp_l, Z.rem_opp_l by lia.
  rewrite Z.quot_div_nonneg, Z.rem_mod_nonneg by lia; lia.
Qed.

(* C's division by a negative number *)
Lemma law_towards_zero_signs : forall d x : Z,
  d <= -1 ->
  truncdiv x d = (-1) * (truncdiv x ((-1) * d)) /\ truncmod x d = truncmod x ((-1) * d).
Proof.
  intros d x Hd; unfold truncdiv, truncmod.
  replace ((-1) * d) with (- d) by lia.
  rewrite Z.quot_opp_r, Z.rem_opp_r by lia; lia.
Qed.

(* C's quotient and remainder of a number of either sign *)
Lemma law_truncation : forall d x q r : Z,
  q = truncdiv x d ->
  r = truncmod x d ->
  d >= 1 ->
  truncdiv x d = q /\ truncmod x d = r /\ x = r + d * q /\ r < d /\ r > (-1) * d.
Proof.
  intros d x q r -> -> Hd; unfold truncdiv, truncmod.
  pose proof (Z.quot_rem' x d) as E; pose proof (Z.rem_bound_abs x d ltac:(lia)) as B; lia.
Qed.

(* the greatest common divisor has no sign *)
Lemma law_Gcd : forall x y r : Z,
  r = Z.gcd x y ->
  Z.gcd x y = r /\ r >= 0.
Proof.
  intros x y r ->; pose proof (Z.gcd_nonneg x y); lia.
Qed.

(* it is at least 1 where the first of both is *)
Lemma law_Gcd_0 : forall x y : Z,
  x >= 1 ->
  Z.gcd x y >= 1.
Proof.
  intros x y H; pose proof (Z.gcd_nonneg x y); pose proof (Z.gcd_eq_0_l x y); lia.
Qed.

(* it is at least 1 where the second is *)
Lemma law_Gcd_1 : forall x y : Z,
  y >= 1 ->
  Z.gcd x y >= 1.
Proof.
  intros x y H; pose proof (Z.gcd_nonneg x y); pose proof (Z.gcd_eq_0_r x y); lia.
Qed.

(* it is no more than the first, where that is above 0 *)
Lemma law_Gcd_2 : forall x y : Z,
  x >= 1 ->
  Z.gcd x y <= x.
Proof.
  intros x y H; apply Z.divide_pos_le; [lia | apply Z.gcd_divide_l].
Qed.

(* it is no more than the second, where that is above 0 *)
Lemma law_Gcd_3 : forall x y : Z,
  y >= 1 ->
  Z.gcd x y <= y.
Proof.
  intros x y H; apply Z.divide_pos_le; [lia | apply Z.gcd_divide_r].
Qed.
