; smaller: the minimum where it is decided
; min(a, b) == a
(set-logic QF_LIA)
(declare-const a Int)
(declare-const b Int)
(declare-const m1 Int) ; min(a, b)
; premises
(assert (<= a b))
; definitions
(assert (<= m1 a))
(assert (<= m1 b))
(assert (or (= m1 a) (= m1 b)))
; the contrary
(assert (not (= m1 a)))
(check-sat)
