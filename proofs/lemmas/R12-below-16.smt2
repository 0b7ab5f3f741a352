; R12: `x & y < 2**k` for y below 2**k
(set-logic QF_BV)
(declare-const x (_ BitVec 16))
(declare-const y (_ BitVec 16))
(declare-const k (_ BitVec 16))
(assert (bvult k (_ bv16 16)))
(assert (bvult y (bvshl (_ bv1 16) k)))
(assert (not (bvult (bvand x y) (bvshl (_ bv1 16) k))))
(check-sat)
