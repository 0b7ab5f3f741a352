; R6: a common factor that the remainder does not reach
; (g*x + r)%(g*y) == g*(x%y) + r
(set-logic QF_LIA)
(declare-const g Int)
(declare-const y Int)
(declare-const r Int)
(declare-const q1 Int) ; (g*x + r)//(g*y)
(declare-const r1 Int) ; (g*x + r)%(g*y)
(declare-const |g*y| Int)
(declare-const |g*x| Int)
(declare-const |g*q1*y| Int)
(declare-const q2 Int) ; x//y
(declare-const r2 Int) ; x%y
(declare-const x Int)
(declare-const |q2*y| Int)
(declare-const |g*r2| Int)
(declare-const |g*q2*y| Int)
; premises
(assert (>= g 1))
(assert (>= y 1))
(assert (>= r 0))
(assert (< r g))
; definitions
(assert (=> (>= |g*y| 1) (and (= (+ |g*x| r) (+ |g*q1*y| r1)) (>= r1 0) (< r1 |g*y|))))
(assert (=> (<= |g*y| (- 1)) (and (= (+ |g*x| r) (+ |g*q1*y| r1)) (<= r1 0) (> r1 |g*y|))))
(assert (=> (>= y 1) (and (= x (+ |q2*y| r2)) (>= r2 0) (< r2 y))))
(assert (=> (<= y (- 1)) (and (= x (+ |q2*y| r2)) (<= r2 0) (> r2 y))))
; instances of the law `product`
(assert (=> (and (>= (+ g (- 1)) 0) (>= (+ y (- 1)) 0)) (>= (+ |g*y| (- g) (- y) 1) 0)))
(assert (=> (and (>= g 0) (>= r2 0)) (>= |g*r2| 0)))
(assert (=> (and (>= g 0) (>= (+ (- r2) y (- 1)) 0)) (>= (+ (- |g*r2|) |g*y| (- g)) 0)))
(assert (=> (and (>= g 0) (>= (+ (- |q2*y|) (- r2) x) 0)) (>= (+ (- |g*q2*y|) (- |g*r2|) |g*x|) 0)))
(assert (=> (and (>= g 0) (>= (+ |q2*y| r2 (- x)) 0)) (>= (+ |g*q2*y| |g*r2| (- |g*x|)) 0)))
(assert (=> (and (>= g 0) (>= (+ (- |q2*y|) (- r2) x (- 1)) 0)) (>= (+ (- |g*q2*y|) (- |g*r2|) |g*x| (- g)) 0)))
(assert (=> (and (>= g 0) (>= (+ |q2*y| r2 (- x) (- 1)) 0)) (>= (+ |g*q2*y| |g*r2| (- |g*x|) (- g)) 0)))
(assert (=> (and (>= |g*y| 0) (>= (+ q1 (- q2)) 0)) (>= (+ |g*q1*y| (- |g*q2*y|)) 0)))
(assert (=> (and (>= |g*y| 0) (>= (+ (- q1) q2) 0)) (>= (+ (- |g*q1*y|) |g*q2*y|) 0)))
(assert (=> (and (>= |g*y| 0) (>= (+ q1 (- q2) (- 1)) 0)) (>= (+ |g*q1*y| (- |g*q2*y|) (- |g*y|)) 0)))
(assert (=> (and (>= |g*y| 0) (>= (+ (- q1) q2 (- 1)) 0)) (>= (+ (- |g*q1*y|) |g*q2*y| (- |g*y|)) 0)))
; the contrary
(assert (not (= r1 (+ |g*r2| r))))
(check-sat)
