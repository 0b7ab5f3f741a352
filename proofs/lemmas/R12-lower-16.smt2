; R12: `x >> k < y` for x below 2*y and k >= 1: the highest bit moves down
(set-logic QF_BV)
(declare-const x (_ BitVec 16))
(declare-const y (_ BitVec 16))
(declare-const k (_ BitVec 16))
(assert (not (= k (_ bv0 16))))
(assert (bvult x (bvshl y (_ bv1 16))))
(assert (not (bvult (bvlshr x k) y)))
(check-sat)
