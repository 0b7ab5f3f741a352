; R12: `x & (y << k)` is `((x >> k) & y) << k`
(set-logic QF_BV)
(declare-const x (_ BitVec 32))
(declare-const y (_ BitVec 32))
(declare-const k (_ BitVec 32))
(assert (bvult k (_ bv32 32)))
(assert (not (= (bvand x (bvshl y k)) (bvor (bvshl (bvand (bvlshr x k) y) k) (_ bv0 32)))))
(check-sat)
