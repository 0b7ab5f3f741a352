; let: a name for a number
; x == x
(set-logic QF_LIA)
(declare-const x Int)
; the contrary
(assert (not (= x x)))
(check-sat)
