; R12: twice `x ^ ((x & y) >> k)` is x where `y & (y >> k) == 0`
(set-logic QF_BV)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(declare-const k (_ BitVec 8))
(assert (= (bvand y (bvlshr y k)) (_ bv0 8)))
(assert (not (= (let ((z (bvxor x (bvlshr (bvand x y) k)))) (bvxor z (bvlshr (bvand z y) k))) x)))
(check-sat)
