; R12: `x ^ (y << k)` is `((x >> k) ^ y) << k` and the bits of x below
(set-logic QF_BV)
(declare-const x (_ BitVec 32))
(declare-const y (_ BitVec 32))
(declare-const k (_ BitVec 32))
(assert (bvult k (_ bv32 32)))
(assert (not (= (bvxor x (bvshl y k)) (bvor (bvshl (bvxor (bvlshr x k) y) k) (bvand x (bvsub (bvshl (_ bv1 32) k) (_ bv1 32)))))))
(check-sat)
