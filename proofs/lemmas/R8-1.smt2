; R8: a coefficient may lose multiples of the modulus
; (x*(c*k + f) + y)%c == (f*x + y)%c
(set-logic QF_LIA)
(declare-const c Int)
(declare-const q1 Int) ; (c*k*x + f*x + y)//c
(declare-const r1 Int) ; (c*k*x + f*x + y)%c
(declare-const |c*k*x| Int)
(declare-const |f*x| Int)
(declare-const y Int)
(declare-const |c*q1| Int)
(declare-const q2 Int) ; (f*x + y)//c
(declare-const r2 Int) ; (f*x + y)%c
(declare-const |c*q2| Int)
(declare-const |k*x| Int)
; premises
(assert (>= c 1))
; definitions
(assert (=> (>= c 1) (and (= (+ |c*k*x| |f*x| y) (+ |c*q1| r1)) (>= r1 0) (< r1 c))))
(assert (=> (<= c (- 1)) (and (= (+ |c*k*x| |f*x| y) (+ |c*q1| r1)) (<= r1 0) (> r1 c))))
(assert (=> (>= c 1) (and (= (+ |f*x| y) (+ |c*q2| r2)) (>= r2 0) (< r2 c))))
(assert (=> (<= c (- 1)) (and (= (+ |f*x| y) (+ |c*q2| r2)) (<= r2 0) (> r2 c))))
; instances of the law `product`
(assert (=> (and (>= c 0) (>= (+ (- |k*x|) q1 (- q2)) 0)) (>= (+ (- |c*k*x|) |c*q1| (- |c*q2|)) 0)))
(assert (=> (and (>= c 0) (>= (+ |k*x| (- q1) q2) 0)) (>= (+ |c*k*x| (- |c*q1|) |c*q2|) 0)))
(assert (=> (and (>= c 0) (>= (+ (- |k*x|) q1 (- q2) (- 1)) 0)) (>= (+ (- |c*k*x|) |c*q1| (- |c*q2|) (- c)) 0)))
(assert (=> (and (>= c 0) (>= (+ |k*x| (- q1) q2 (- 1)) 0)) (>= (+ |c*k*x| (- |c*q1|) |c*q2| (- c)) 0)))
; the contrary
(assert (not (= r1 r2)))
(check-sat)
