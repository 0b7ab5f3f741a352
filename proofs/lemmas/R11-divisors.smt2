; R11: neighbouring modes merge where the outer stride is the inner one times its count
; no divisor is 0
(set-logic QF_LIA)
(declare-const n Int)
(declare-const t Int)
(declare-const |n*s| Int)
(declare-const q1 Int) ; x//n
(declare-const r1 Int) ; x%n
(declare-const x Int)
(declare-const |n*q1| Int)
(declare-const |q1*t| Int)
(declare-const |r1*s| Int)
(declare-const |s*x| Int)
(declare-const s Int)
(declare-const |n*q1*s| Int)
; premises
(assert (>= n 1))
(assert (= t |n*s|))
; definitions
(assert (=> (>= n 1) (and (= x (+ |n*q1| r1)) (>= r1 0) (< r1 n))))
(assert (=> (<= n (- 1)) (and (= x (+ |n*q1| r1)) (<= r1 0) (> r1 n))))
; instances of the law `product`
(assert (=> (and (>= s 0) (>= (+ (- |n*q1|) (- r1) x) 0)) (>= (+ (- |n*q1*s|) (- |r1*s|) |s*x|) 0)))
(assert (=> (and (>= s 0) (>= (+ |n*q1| r1 (- x)) 0)) (>= (+ |n*q1*s| |r1*s| (- |s*x|)) 0)))
(assert (=> (and (>= s 0) (>= (+ (- |n*q1|) (- r1) x (- 1)) 0)) (>= (+ (- |n*q1*s|) (- |r1*s|) |s*x| (- s)) 0)))
(assert (=> (and (>= s 0) (>= (+ |n*q1| r1 (- x) (- 1)) 0)) (>= (+ |n*q1*s| |r1*s| (- |s*x|) (- s)) 0)))
(assert (=> (and (>= (- s) 0) (>= (+ (- |n*q1|) (- r1) x) 0)) (>= (+ |n*q1*s| |r1*s| (- |s*x|)) 0)))
(assert (=> (and (>= (- s) 0) (>= (+ |n*q1| r1 (- x)) 0)) (>= (+ (- |n*q1*s|) (- |r1*s|) |s*x|) 0)))
(assert (=> (and (>= (- s) 0) (>= (+ (- |n*q1|) (- r1) x (- 1)) 0)) (>= (+ |n*q1*s| |r1*s| (- |s*x|) s) 0)))
(assert (=> (and (>= (- s) 0) (>= (+ |n*q1| r1 (- x) (- 1)) 0)) (>= (+ (- |n*q1*s|) (- |r1*s|) |s*x| s) 0)))
(assert (=> (and (>= q1 0) (>= (+ (- |n*s|) t) 0)) (>= (+ (- |n*q1*s|) |q1*t|) 0)))
(assert (=> (and (>= q1 0) (>= (+ |n*s| (- t)) 0)) (>= (+ |n*q1*s| (- |q1*t|)) 0)))
(assert (=> (and (>= q1 0) (>= (+ (- |n*s|) t (- 1)) 0)) (>= (+ (- |n*q1*s|) |q1*t| (- q1)) 0)))
(assert (=> (and (>= q1 0) (>= (+ |n*s| (- t) (- 1)) 0)) (>= (+ |n*q1*s| (- |q1*t|) (- q1)) 0)))
(assert (=> (and (>= (- q1) 0) (>= (+ (- |n*s|) t) 0)) (>= (+ |n*q1*s| (- |q1*t|)) 0)))
(assert (=> (and (>= (- q1) 0) (>= (+ |n*s| (- t)) 0)) (>= (+ (- |n*q1*s|) |q1*t|) 0)))
(assert (=> (and (>= (- q1) 0) (>= (+ (- |n*s|) t (- 1)) 0)) (>= (+ |n*q1*s| (- |q1*t|) q1) 0)))
(assert (=> (and (>= (- q1) 0) (>= (+ |n*s| (- t) (- 1)) 0)) (>= (+ (- |n*q1*s|) |q1*t| q1) 0)))
; the contrary
(assert (not (not (= n 0))))
(check-sat)
