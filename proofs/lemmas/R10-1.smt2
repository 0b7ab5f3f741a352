; R10: padding: a ceiling is the last block's number and one more, and no element lies in a later block
; ceildiv(n, t) == (n - 1)//t + 1
(set-logic QF_LIA)
(declare-const t Int)
(declare-const x Int)
(declare-const n Int)
(declare-const q1 Int) ; (-n)//t
(declare-const r1 Int) ; (-n)%t
(declare-const |q1*t| Int)
(declare-const q2 Int) ; (n - 1)//t
(declare-const r2 Int) ; (n - 1)%t
(declare-const |q2*t| Int)
(declare-const q3 Int) ; x//t
(declare-const r3 Int) ; x%t
(declare-const |q3*t| Int)
; premises
(assert (>= t 1))
(assert (< x n))
; definitions
(assert (=> (>= t 1) (and (= (- n) (+ |q1*t| r1)) (>= r1 0) (< r1 t))))
(assert (=> (<= t (- 1)) (and (= (- n) (+ |q1*t| r1)) (<= r1 0) (> r1 t))))
(assert (=> (>= t 1) (and (= (+ n (- 1)) (+ |q2*t| r2)) (>= r2 0) (< r2 t))))
(assert (=> (<= t (- 1)) (and (= (+ n (- 1)) (+ |q2*t| r2)) (<= r2 0) (> r2 t))))
(assert (=> (>= t 1) (and (= x (+ |q3*t| r3)) (>= r3 0) (< r3 t))))
(assert (=> (<= t (- 1)) (and (= x (+ |q3*t| r3)) (<= r3 0) (> r3 t))))
; instances of the law `product`
(assert (=> (and (>= t 0) (>= (+ (- q1) (- q2) (- 1)) 0)) (>= (+ (- |q1*t|) (- |q2*t|) (- t)) 0)))
(assert (=> (and (>= t 0) (>= (+ q1 q2 1) 0)) (>= (+ |q1*t| |q2*t| t) 0)))
(assert (=> (and (>= t 0) (>= (+ (- q1) (- q2) (- 2)) 0)) (>= (+ (- |q1*t|) (- |q2*t|) (- (* 2 t))) 0)))
(assert (=> (and (>= t 0) (>= (+ q1 q2) 0)) (>= (+ |q1*t| |q2*t|) 0)))
(assert (=> (and (>= t 0) (>= (+ (- q2) q3) 0)) (>= (+ (- |q2*t|) |q3*t|) 0)))
(assert (=> (and (>= t 0) (>= (+ q2 (- q3)) 0)) (>= (+ |q2*t| (- |q3*t|)) 0)))
(assert (=> (and (>= t 0) (>= (+ (- q2) q3 (- 1)) 0)) (>= (+ (- |q2*t|) |q3*t| (- t)) 0)))
(assert (=> (and (>= t 0) (>= (+ q2 (- q3) (- 1)) 0)) (>= (+ |q2*t| (- |q3*t|) (- t)) 0)))
; the contrary
(assert (not (= (- q1) (+ q2 1))))
(check-sat)
