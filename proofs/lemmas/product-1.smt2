; product: a product of what is not negative, and more
; a*b + c >= 0
(set-logic QF_NIA)
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
; premises
(assert (>= a 0))
(assert (>= b 0))
(assert (>= c 0))
; the contrary
(assert (not (>= (+ (* a b) c) 0)))
(check-sat)
