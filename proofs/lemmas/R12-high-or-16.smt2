; R12: `x | (y << k)` is `((x >> k) | y) << k` and the bits of x below
(set-logic QF_BV)
(declare-const x (_ BitVec 16))
(declare-const y (_ BitVec 16))
(declare-const k (_ BitVec 16))
(assert (bvult k (_ bv16 16)))
(assert (not (= (bvor x (bvshl y k)) (bvor (bvshl (bvor (bvlshr x k) y) k) (bvand x (bvsub (bvshl (_ bv1 16) k) (_ bv1 16)))))))
(check-sat)
