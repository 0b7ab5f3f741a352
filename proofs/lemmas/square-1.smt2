; square: a square, and more
; a**2 + b >= 0
(set-logic QF_LIA)
(declare-const b Int)
(declare-const |a*a| Int)
(declare-const a Int)
; premises
(assert (>= b 0))
; instances of the law `product`
(assert (=> (and (>= a 0) (>= a 0)) (>= |a*a| 0)))
(assert (=> (and (>= (- a) 0) (>= (- a) 0)) (>= |a*a| 0)))
; the contrary
(assert (not (>= (+ |a*a| b) 0)))
(check-sat)
