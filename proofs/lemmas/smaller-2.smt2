; smaller: the minimum where it is decided
; min(b, a) == a
(set-logic QF_LIA)
(declare-const a Int)
(declare-const b Int)
(declare-const m1 Int) ; min(b, a)
; premises
(assert (<= a b))
; definitions
(assert (<= m1 b))
(assert (<= m1 a))
(assert (or (= m1 b) (= m1 a)))
; the contrary
(assert (not (= m1 a)))
(check-sat)
