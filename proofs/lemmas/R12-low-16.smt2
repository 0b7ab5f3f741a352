; R12: for y below 2**k the bits of `x ^ y` and `x | y` from k on are those of x, and those of `x & y` are 0
(set-logic QF_BV)
(declare-const x (_ BitVec 16))
(declare-const y (_ BitVec 16))
(declare-const k (_ BitVec 16))
(assert (bvult k (_ bv16 16)))
(assert (bvult y (bvshl (_ bv1 16) k)))
(assert (not (let ((m (bvsub (bvshl (_ bv1 16) k) (_ bv1 16)))) (and (= (bvxor x y) (bvadd (bvshl (bvlshr x k) k) (bvxor (bvand x m) y))) (= (bvor x y) (bvadd (bvshl (bvlshr x k) k) (bvor (bvand x m) y))) (= (bvand x y) (bvand (bvand x m) y))))))
(check-sat)
