; cancel: d*p > -d, and p is an integer
; p >= 0
(set-logic QF_LIA)
(declare-const d Int)
(declare-const |d*p| Int)
(declare-const p Int)
; premises
(assert (>= d 1))
(assert (>= (+ |d*p| d (- 1)) 0))
; instances of the law `product`
(assert (=> (and (>= d 0) (>= p 0)) (>= |d*p| 0)))
(assert (=> (and (>= d 0) (>= (- p) 0)) (>= (- |d*p|) 0)))
(assert (=> (and (>= d 0) (>= (+ p (- 1)) 0)) (>= (+ |d*p| (- d)) 0)))
(assert (=> (and (>= d 0) (>= (+ (- p) (- 1)) 0)) (>= (+ (- |d*p|) (- d)) 0)))
; the contrary
(assert (not (>= p 0)))
(check-sat)
