; ceiling: a ceiling as a quotient that is rounded down
; no divisor is 0
(set-logic QF_LIA)
(declare-const d Int)
(declare-const q1 Int) ; (-x)//d
(declare-const r1 Int) ; (-x)%d
(declare-const x Int)
(declare-const |d*q1| Int)
(declare-const q2 Int) ; (d + x - 1)//d
(declare-const r2 Int) ; (d + x - 1)%d
(declare-const |d*q2| Int)
; premises
(assert (>= d 1))
; definitions
(assert (=> (>= d 1) (and (= (- x) (+ |d*q1| r1)) (>= r1 0) (< r1 d))))
(assert (=> (<= d (- 1)) (and (= (- x) (+ |d*q1| r1)) (<= r1 0) (> r1 d))))
(assert (=> (>= d 1) (and (= (+ d x (- 1)) (+ |d*q2| r2)) (>= r2 0) (< r2 d))))
(assert (=> (<= d (- 1)) (and (= (+ d x (- 1)) (+ |d*q2| r2)) (<= r2 0) (> r2 d))))
; instances of the law `product`
(assert (=> (and (>= d 0) (>= (+ (- q1) (- q2)) 0)) (>= (+ (- |d*q1|) (- |d*q2|)) 0)))
(assert (=> (and (>= d 0) (>= (+ q1 q2) 0)) (>= (+ |d*q1| |d*q2|) 0)))
(assert (=> (and (>= d 0) (>= (+ (- q1) (- q2) (- 1)) 0)) (>= (+ (- |d*q1|) (- |d*q2|) (- d)) 0)))
(assert (=> (and (>= d 0) (>= (+ q1 q2 (- 1)) 0)) (>= (+ |d*q1| |d*q2| (- d)) 0)))
; the contrary
(assert (not (not (= d 0))))
(check-sat)
