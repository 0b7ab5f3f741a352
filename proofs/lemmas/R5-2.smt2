; R5: a quotient and its remainders join
; a*((x//a)%b) + x%a == x%(a*b)
(set-logic QF_LIA)
(declare-const a Int)
(declare-const b Int)
(declare-const q1 Int) ; x//a
(declare-const r1 Int) ; x%a
(declare-const x Int)
(declare-const |a*q1| Int)
(declare-const q2 Int) ; q1//b
(declare-const r2 Int) ; q1%b
(declare-const |b*q2| Int)
(declare-const q3 Int) ; x//(a*b)
(declare-const r3 Int) ; x%(a*b)
(declare-const |a*b| Int)
(declare-const |a*b*q3| Int)
(declare-const |a*r2| Int)
(declare-const |a*b*q2| Int)
; premises
(assert (>= a 1))
(assert (>= b 1))
; definitions
(assert (=> (>= a 1) (and (= x (+ |a*q1| r1)) (>= r1 0) (< r1 a))))
(assert (=> (<= a (- 1)) (and (= x (+ |a*q1| r1)) (<= r1 0) (> r1 a))))
(assert (=> (>= b 1) (and (= q1 (+ |b*q2| r2)) (>= r2 0) (< r2 b))))
(assert (=> (<= b (- 1)) (and (= q1 (+ |b*q2| r2)) (<= r2 0) (> r2 b))))
(assert (=> (>= |a*b| 1) (and (= x (+ |a*b*q3| r3)) (>= r3 0) (< r3 |a*b|))))
(assert (=> (<= |a*b| (- 1)) (and (= x (+ |a*b*q3| r3)) (<= r3 0) (> r3 |a*b|))))
; instances of the law `product`
(assert (=> (and (>= (+ a (- 1)) 0) (>= (+ b (- 1)) 0)) (>= (+ |a*b| (- a) (- b) 1) 0)))
(assert (=> (and (>= a 0) (>= r2 0)) (>= |a*r2| 0)))
(assert (=> (and (>= a 0) (>= (+ b (- r2) (- 1)) 0)) (>= (+ |a*b| (- |a*r2|) (- a)) 0)))
(assert (=> (and (>= a 0) (>= (+ (- |b*q2|) q1 (- r2)) 0)) (>= (+ (- |a*b*q2|) |a*q1| (- |a*r2|)) 0)))
(assert (=> (and (>= a 0) (>= (+ |b*q2| (- q1) r2) 0)) (>= (+ |a*b*q2| (- |a*q1|) |a*r2|) 0)))
(assert (=> (and (>= a 0) (>= (+ (- |b*q2|) q1 (- r2) (- 1)) 0)) (>= (+ (- |a*b*q2|) |a*q1| (- |a*r2|) (- a)) 0)))
(assert (=> (and (>= a 0) (>= (+ |b*q2| (- q1) r2 (- 1)) 0)) (>= (+ |a*b*q2| (- |a*q1|) |a*r2| (- a)) 0)))
(assert (=> (and (>= |a*b| 0) (>= (+ (- q2) q3) 0)) (>= (+ (- |a*b*q2|) |a*b*q3|) 0)))
(assert (=> (and (>= |a*b| 0) (>= (+ q2 (- q3)) 0)) (>= (+ |a*b*q2| (- |a*b*q3|)) 0)))
(assert (=> (and (>= |a*b| 0) (>= (+ (- q2) q3 (- 1)) 0)) (>= (+ (- |a*b*q2|) |a*b*q3| (- |a*b|)) 0)))
(assert (=> (and (>= |a*b| 0) (>= (+ q2 (- q3) (- 1)) 0)) (>= (+ |a*b*q2| (- |a*b*q3|) (- |a*b|)) 0)))
; the contrary
(assert (not (= (+ |a*r2| r1) r3)))
(check-sat)
