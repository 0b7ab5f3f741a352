; R12: `x & y < 2**k` for y below 2**k
(set-logic QF_BV)
(declare-const x (_ BitVec 32))
(declare-const y (_ BitVec 32))
(declare-const k (_ BitVec 32))
(assert (bvult k (_ bv32 32)))
(assert (bvult y (bvshl (_ bv1 32) k)))
(assert (not (bvult (bvand x y) (bvshl (_ bv1 32) k))))
(check-sat)
