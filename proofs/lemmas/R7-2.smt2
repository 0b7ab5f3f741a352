; R7: mixed radix: digits below their counts stay below the product of the counts
; q*s + r < k*s
(set-logic QF_LIA)
(declare-const q Int)
(declare-const k Int)
(declare-const r Int)
(declare-const s Int)
(declare-const |q*s| Int)
(declare-const |k*s| Int)
; premises
(assert (>= q 0))
(assert (< q k))
(assert (>= r 0))
(assert (< r s))
; instances of the law `product`
(assert (=> (and (>= q 0) (>= s 0)) (>= |q*s| 0)))
(assert (=> (and (>= (+ k (- q) (- 1)) 0) (>= s 0)) (>= (+ |k*s| (- |q*s|) (- s)) 0)))
; the contrary
(assert (not (< (+ |q*s| r) |k*s|)))
(check-sat)
