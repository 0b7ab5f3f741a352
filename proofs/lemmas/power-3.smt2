; power: two to a power, which is more than the exponent
; 2**k >= k + 1
(set-logic QF_LIA)
(declare-const k Int)
(declare-const p1 Int) ; 2**k
(declare-const p2 Int) ; 2**(k - 1)
; premises
(assert (>= k 0))
; definitions
(assert (=> (>= k 1) (= p1 (* 2 p2))))
(assert (=> (= k 0) (= p1 1)))
; the law for one less
(assert (=> (and (>= k 1) (>= (+ k (- 1)) 0)) (>= p2 k)))
; the contrary
(assert (not (>= p1 (+ k 1))))
(check-sat)
