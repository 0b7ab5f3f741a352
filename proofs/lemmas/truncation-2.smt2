; truncation: C's quotient and remainder of a number of either sign
; truncmod(x, d) == truncmod(x, d)
(set-logic QF_LIA)
(declare-const d Int)
(declare-const q1 Int) ; truncdiv(x, d)
(declare-const r1 Int) ; truncmod(x, d)
(declare-const x Int)
(declare-const |d*q1| Int)
; premises
(assert (>= d 1))
; definitions
(assert (=> (>= d 1) (and (= x (+ |d*q1| r1)) (< r1 d) (> r1 (- d)))))
(assert (=> (<= d (- 1)) (and (= x (+ |d*q1| r1)) (> r1 d) (< r1 (- d)))))
(assert (=> (and (or (>= d 1) (<= d (- 1))) (>= x 0)) (>= r1 0)))
(assert (=> (and (or (>= d 1) (<= d (- 1))) (<= x 0)) (<= r1 0)))
; the contrary
(assert (not (= r1 r1)))
(check-sat)
