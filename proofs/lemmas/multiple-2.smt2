; multiple: a multiple of the divisor, whatever the divisor's sign
; d*q%d == 0
(set-logic QF_LIA)
(declare-const d Int)
(declare-const q1 Int) ; d*q//d
(declare-const r1 Int) ; d*q%d
(declare-const |d*q| Int)
(declare-const |d*q1| Int)
(declare-const q Int)
; premises
(assert (not (= d 0)))
; definitions
(assert (=> (>= d 1) (and (= |d*q| (+ |d*q1| r1)) (>= r1 0) (< r1 d))))
(assert (=> (<= d (- 1)) (and (= |d*q| (+ |d*q1| r1)) (<= r1 0) (> r1 d))))
; instances of the law `product`
(assert (=> (and (>= d 0) (>= (+ (- q) q1) 0)) (>= (+ (- |d*q|) |d*q1|) 0)))
(assert (=> (and (>= d 0) (>= (+ q (- q1)) 0)) (>= (+ |d*q| (- |d*q1|)) 0)))
(assert (=> (and (>= d 0) (>= (+ (- q) q1 (- 1)) 0)) (>= (+ (- |d*q|) |d*q1| (- d)) 0)))
(assert (=> (and (>= d 0) (>= (+ q (- q1) (- 1)) 0)) (>= (+ |d*q| (- |d*q1|) (- d)) 0)))
(assert (=> (and (>= (- d) 0) (>= (+ (- q) q1) 0)) (>= (+ |d*q| (- |d*q1|)) 0)))
(assert (=> (and (>= (- d) 0) (>= (+ q (- q1)) 0)) (>= (+ (- |d*q|) |d*q1|) 0)))
(assert (=> (and (>= (- d) 0) (>= (+ (- q) q1 (- 1)) 0)) (>= (+ |d*q| (- |d*q1|) d) 0)))
(assert (=> (and (>= (- d) 0) (>= (+ q (- q1) (- 1)) 0)) (>= (+ (- |d*q|) |d*q1| d) 0)))
; the contrary
(assert (not (= r1 0)))
(check-sat)
