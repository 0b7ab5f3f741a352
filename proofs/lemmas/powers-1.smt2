; powers: two to a sum
; 2**(a + b) == 2**a*2**b
(set-logic QF_LIA)
(declare-const a Int)
(declare-const b Int)
(declare-const p1 Int) ; 2**(a + b)
(declare-const p2 Int) ; 2**(a + b - 1)
(declare-const p3 Int) ; 2**a
(declare-const p4 Int) ; 2**b
(declare-const p5 Int) ; 2**(b - 1)
(declare-const |p3*p4| Int)
(declare-const |p3*p5| Int)
; premises
(assert (>= a 0))
(assert (>= b 0))
; definitions
(assert (=> (>= b 1) (= p1 (* 2 p2))))
(assert (=> (= b 0) (= p1 p3)))
(assert (=> (>= b 1) (= p4 (* 2 p5))))
(assert (=> (= b 0) (= p4 1)))
; instances of the law `product`
(assert (=> (and (>= p3 0) (>= (+ p4 (- (* 2 p5))) 0)) (>= (+ |p3*p4| (- (* 2 |p3*p5|))) 0)))
(assert (=> (and (>= p3 0) (>= (+ (- p4) (* 2 p5)) 0)) (>= (+ (- |p3*p4|) (* 2 |p3*p5|)) 0)))
(assert (=> (and (>= p3 0) (>= (+ p4 (- 1)) 0)) (>= (+ |p3*p4| (- p3)) 0)))
(assert (=> (and (>= p3 0) (>= (+ (- p4) 1) 0)) (>= (+ (- |p3*p4|) p3) 0)))
; the law for one less
(assert (=> (and (>= b 1) (>= a 0) (>= (+ b (- 1)) 0)) (= p2 |p3*p5|)))
; instances of the law `power`
(assert (=> (>= a 0) (>= p3 1)))
; the contrary
(assert (not (= p1 |p3*p4|)))
(check-sat)
