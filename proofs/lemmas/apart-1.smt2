; apart: what is not 0 and not negative is at least 1
; x - 1 >= 0
(set-logic QF_LIA)
(declare-const x Int)
; premises
(assert (not (= x 0)))
(assert (>= x 0))
; the contrary
(assert (not (>= (+ x (- 1)) 0)))
(check-sat)
