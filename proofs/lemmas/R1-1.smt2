; R1: a multiple of the divisor comes out
; (d*u + v)//d == u + v//d
(set-logic QF_LIA)
(declare-const d Int)
(declare-const q1 Int) ; (d*u + v)//d
(declare-const r1 Int) ; (d*u + v)%d
(declare-const |d*u| Int)
(declare-const v Int)
(declare-const |d*q1| Int)
(declare-const q2 Int) ; v//d
(declare-const r2 Int) ; v%d
(declare-const |d*q2| Int)
(declare-const u Int)
; premises
(assert (>= d 1))
; definitions
(assert (=> (>= d 1) (and (= (+ |d*u| v) (+ |d*q1| r1)) (>= r1 0) (< r1 d))))
(assert (=> (<= d (- 1)) (and (= (+ |d*u| v) (+ |d*q1| r1)) (<= r1 0) (> r1 d))))
(assert (=> (>= d 1) (and (= v (+ |d*q2| r2)) (>= r2 0) (< r2 d))))
(assert (=> (<= d (- 1)) (and (= v (+ |d*q2| r2)) (<= r2 0) (> r2 d))))
; instances of the law `product`
(assert (=> (and (>= d 0) (>= (+ q1 (- q2) (- u)) 0)) (>= (+ |d*q1| (- |d*q2|) (- |d*u|)) 0)))
(assert (=> (and (>= d 0) (>= (+ (- q1) q2 u) 0)) (>= (+ (- |d*q1|) |d*q2| |d*u|) 0)))
(assert (=> (and (>= d 0) (>= (+ q1 (- q2) (- u) (- 1)) 0)) (>= (+ |d*q1| (- |d*q2|) (- |d*u|) (- d)) 0)))
(assert (=> (and (>= d 0) (>= (+ (- q1) q2 u (- 1)) 0)) (>= (+ (- |d*q1|) |d*q2| |d*u| (- d)) 0)))
; the contrary
(assert (not (= q1 (+ q2 u))))
(check-sat)
