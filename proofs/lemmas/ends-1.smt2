; ends: a line between two points that are not below 0
; a*x + b >= 0
(set-logic QF_LIA)
(declare-const x Int)
(declare-const low Int)
(declare-const high Int)
(declare-const |a*low| Int)
(declare-const b Int)
(declare-const |a*high| Int)
(declare-const |a*x| Int)
(declare-const a Int)
; premises
(assert (>= x low))
(assert (<= x high))
(assert (>= (+ |a*low| b) 0))
(assert (>= (+ |a*high| b) 0))
; instances of the law `product`
(assert (=> (and (>= a 0) (>= (+ (- low) x) 0)) (>= (+ (- |a*low|) |a*x|) 0)))
(assert (=> (and (>= (- a) 0) (>= (+ high (- x)) 0)) (>= (+ (- |a*high|) |a*x|) 0)))
; the contrary
(assert (not (>= (+ |a*x| b) 0)))
(check-sat)
