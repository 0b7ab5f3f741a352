; larger: the maximum where it is decided
; max(b, a) == a
(set-logic QF_LIA)
(declare-const a Int)
(declare-const b Int)
(declare-const m1 Int) ; max(b, a)
; premises
(assert (>= a b))
; definitions
(assert (>= m1 b))
(assert (>= m1 a))
(assert (or (= m1 b) (= m1 a)))
; the contrary
(assert (not (= m1 a)))
(check-sat)
