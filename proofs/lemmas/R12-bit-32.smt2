; R12: `x ^ (y << k)` is `x + (y << k)` or `x - (y << k)` for a bit y, by the bit of x
(set-logic QF_BV)
(declare-const x (_ BitVec 32))
(declare-const y (_ BitVec 32))
(declare-const k (_ BitVec 32))
(assert (bvule y (_ bv1 32)))
(assert (not (= (bvxor x (bvshl y k)) (ite (= (bvand x (bvshl (_ bv1 32) k)) (_ bv0 32)) (bvadd x (bvshl y k)) (bvsub x (bvshl y k))))))
(check-sat)
