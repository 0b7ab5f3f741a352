; uneven: a multiple of a number and less than that number more is not 0
; d*u + r != 0
(set-logic QF_LIA)
(declare-const r Int)
(declare-const d Int)
(declare-const |d*u| Int)
(declare-const u Int)
; premises
(assert (>= r 1))
(assert (< r d))
; instances of the law `product`
(assert (=> (and (>= d 0) (>= u 0)) (>= |d*u| 0)))
(assert (=> (and (>= d 0) (>= (- u) 0)) (>= (- |d*u|) 0)))
(assert (=> (and (>= d 0) (>= (+ u (- 1)) 0)) (>= (+ |d*u| (- d)) 0)))
(assert (=> (and (>= d 0) (>= (+ (- u) (- 1)) 0)) (>= (+ (- |d*u|) (- d)) 0)))
; the contrary
(assert (not (not (= (+ |d*u| r) 0))))
(check-sat)
