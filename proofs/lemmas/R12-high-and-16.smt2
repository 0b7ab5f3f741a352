; R12: `x & (y << k)` is `((x >> k) & y) << k`
(set-logic QF_BV)
(declare-const x (_ BitVec 16))
(declare-const y (_ BitVec 16))
(declare-const k (_ BitVec 16))
(assert (bvult k (_ bv16 16)))
(assert (not (= (bvand x (bvshl y k)) (bvor (bvshl (bvand (bvlshr x k) y) k) (_ bv0 16)))))
(check-sat)
