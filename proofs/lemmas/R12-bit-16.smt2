; R12: `x ^ (y << k)` is `x + (y << k)` or `x - (y << k)` for a bit y, by the bit of x
(set-logic QF_BV)
(declare-const x (_ BitVec 16))
(declare-const y (_ BitVec 16))
(declare-const k (_ BitVec 16))
(assert (bvule y (_ bv1 16)))
(assert (not (= (bvxor x (bvshl y k)) (ite (= (bvand x (bvshl (_ bv1 16) k)) (_ bv0 16)) (bvadd x (bvshl y k)) (bvsub x (bvshl y k))))))
(check-sat)
