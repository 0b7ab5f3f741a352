; R12: `(x ^ (y << k)) ^ (y << k) == x`
(set-logic QF_BV)
(declare-const x (_ BitVec 16))
(declare-const y (_ BitVec 16))
(declare-const k (_ BitVec 16))
(assert (not (= (bvxor (bvxor x (bvshl y k)) (bvshl y k)) x)))
(check-sat)
