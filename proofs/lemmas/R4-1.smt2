; R4: quotient and remainder of a remainder
; (x%(a*b))//a == (x//a)%b
(set-logic QF_LIA)
(declare-const a Int)
(declare-const b Int)
(declare-const q1 Int) ; x//(a*b)
(declare-const r1 Int) ; x%(a*b)
(declare-const |a*b| Int)
(declare-const x Int)
(declare-const |a*b*q1| Int)
(declare-const q2 Int) ; r1//a
(declare-const r2 Int) ; r1%a
(declare-const |a*q2| Int)
(declare-const q3 Int) ; x//a
(declare-const r3 Int) ; x%a
(declare-const |a*q3| Int)
(declare-const q4 Int) ; q3//b
(declare-const r4 Int) ; q3%b
(declare-const |b*q4| Int)
(declare-const |b*q1| Int)
; premises
(assert (>= a 1))
(assert (>= b 1))
; definitions
(assert (=> (>= |a*b| 1) (and (= x (+ |a*b*q1| r1)) (>= r1 0) (< r1 |a*b|))))
(assert (=> (<= |a*b| (- 1)) (and (= x (+ |a*b*q1| r1)) (<= r1 0) (> r1 |a*b|))))
(assert (=> (>= a 1) (and (= r1 (+ |a*q2| r2)) (>= r2 0) (< r2 a))))
(assert (=> (<= a (- 1)) (and (= r1 (+ |a*q2| r2)) (<= r2 0) (> r2 a))))
(assert (=> (>= a 1) (and (= x (+ |a*q3| r3)) (>= r3 0) (< r3 a))))
(assert (=> (<= a (- 1)) (and (= x (+ |a*q3| r3)) (<= r3 0) (> r3 a))))
(assert (=> (>= b 1) (and (= q3 (+ |b*q4| r4)) (>= r4 0) (< r4 b))))
(assert (=> (<= b (- 1)) (and (= q3 (+ |b*q4| r4)) (<= r4 0) (> r4 b))))
; instances of the law `product`
(assert (=> (and (>= (+ a (- 1)) 0) (>= (+ b (- 1)) 0)) (>= (+ |a*b| (- a) (- b) 1) 0)))
(assert (=> (and (>= a 0) (>= (+ |b*q1| q2 (- q3)) 0)) (>= (+ |a*b*q1| |a*q2| (- |a*q3|)) 0)))
(assert (=> (and (>= a 0) (>= (+ (- |b*q1|) (- q2) q3) 0)) (>= (+ (- |a*b*q1|) (- |a*q2|) |a*q3|) 0)))
(assert (=> (and (>= a 0) (>= (+ |b*q1| q2 (- q3) (- 1)) 0)) (>= (+ |a*b*q1| |a*q2| (- |a*q3|) (- a)) 0)))
(assert (=> (and (>= a 0) (>= (+ (- |b*q1|) (- q2) q3 (- 1)) 0)) (>= (+ (- |a*b*q1|) (- |a*q2|) |a*q3| (- a)) 0)))
(assert (=> (and (>= a 0) (>= q2 0)) (>= |a*q2| 0)))
(assert (=> (and (>= a 0) (>= (- q2) 0)) (>= (- |a*q2|) 0)))
(assert (=> (and (>= a 0) (>= (+ q2 (- 1)) 0)) (>= (+ |a*q2| (- a)) 0)))
(assert (=> (and (>= a 0) (>= (+ (- q2) (- 1)) 0)) (>= (+ (- |a*q2|) (- a)) 0)))
(assert (=> (and (>= a 0) (>= (+ (- b) q2) 0)) (>= (+ (- |a*b|) |a*q2|) 0)))
(assert (=> (and (>= a 0) (>= (+ b (- q2)) 0)) (>= (+ |a*b| (- |a*q2|)) 0)))
(assert (=> (and (>= a 0) (>= (+ (- b) q2 (- 1)) 0)) (>= (+ (- |a*b|) |a*q2| (- a)) 0)))
(assert (=> (and (>= a 0) (>= (+ b (- q2) (- 1)) 0)) (>= (+ |a*b| (- |a*q2|) (- a)) 0)))
(assert (=> (and (>= b 0) (>= (+ q1 (- q4)) 0)) (>= (+ |b*q1| (- |b*q4|)) 0)))
(assert (=> (and (>= b 0) (>= (+ (- q1) q4) 0)) (>= (+ (- |b*q1|) |b*q4|) 0)))
(assert (=> (and (>= b 0) (>= (+ q1 (- q4) (- 1)) 0)) (>= (+ |b*q1| (- |b*q4|) (- b)) 0)))
(assert (=> (and (>= b 0) (>= (+ (- q1) q4 (- 1)) 0)) (>= (+ (- |b*q1|) |b*q4| (- b)) 0)))
; the contrary
(assert (not (= q2 r4)))
(check-sat)
