; R12: `x | y` is `x + y - (x & y)`, `x ^ y` is `x + y - 2*(x & y)`
(set-logic QF_BV)
(declare-const x (_ BitVec 16))
(declare-const y (_ BitVec 16))
(declare-const k (_ BitVec 16))
(assert (not (and (= (bvor x y) (bvsub (bvadd x y) (bvand x y))) (= (bvxor x y) (bvsub (bvadd x y) (bvadd (bvand x y) (bvand x y)))))))
(check-sat)
