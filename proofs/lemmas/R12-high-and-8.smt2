; R12: `x & (y << k)` is `((x >> k) & y) << k`
(set-logic QF_BV)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(declare-const k (_ BitVec 8))
(assert (bvult k (_ bv8 8)))
(assert (not (= (bvand x (bvshl y k)) (bvor (bvshl (bvand (bvlshr x k) y) k) (_ bv0 8)))))
(check-sat)
