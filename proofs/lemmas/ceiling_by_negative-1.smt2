; ceiling_by_negative: a ceiling by a negative number as a quotient by it
; ceildiv(x, d) == -((-x)//d)
(set-logic QF_LIA)
(declare-const d Int)
(declare-const q1 Int) ; (-x)//d
(declare-const r1 Int) ; (-x)%d
(declare-const x Int)
(declare-const |d*q1| Int)
; premises
(assert (<= d (- 1)))
; definitions
(assert (=> (>= d 1) (and (= (- x) (+ |d*q1| r1)) (>= r1 0) (< r1 d))))
(assert (=> (<= d (- 1)) (and (= (- x) (+ |d*q1| r1)) (<= r1 0) (> r1 d))))
; the contrary
(assert (not (= (- q1) (- q1))))
(check-sat)
