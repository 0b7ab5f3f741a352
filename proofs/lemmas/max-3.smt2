; max: the larger of two numbers is one of them
; max(a, b) >= a
(set-logic QF_LIA)
(declare-const m1 Int) ; max(a, b)
(declare-const a Int)
(declare-const b Int)
(declare-const |a*b| Int)
(declare-const |a*m1| Int)
(declare-const |b*m1| Int)
(declare-const |m1*m1| Int)
; definitions
(assert (>= m1 a))
(assert (>= m1 b))
(assert (or (= m1 a) (= m1 b)))
; instances of the law `product`
(assert (=> (and (>= (+ (- a) m1) 0) (>= (+ (- b) m1) 0)) (>= (+ |a*b| (- |a*m1|) (- |b*m1|) |m1*m1|) 0)))
(assert (=> (and (>= (+ a (- m1)) 0) (>= (+ (- b) m1) 0)) (>= (+ (- |a*b|) |a*m1| |b*m1| (- |m1*m1|)) 0)))
(assert (=> (and (>= (+ (- a) m1) 0) (>= (+ b (- m1)) 0)) (>= (+ (- |a*b|) |a*m1| |b*m1| (- |m1*m1|)) 0)))
; the contrary
(assert (not (>= m1 a)))
(check-sat)
