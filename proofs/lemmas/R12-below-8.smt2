; R12: `x & y < 2**k` for y below 2**k
(set-logic QF_BV)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(declare-const k (_ BitVec 8))
(assert (bvult k (_ bv8 8)))
(assert (bvult y (bvshl (_ bv1 8) k)))
(assert (not (bvult (bvand x y) (bvshl (_ bv1 8) k))))
(check-sat)
