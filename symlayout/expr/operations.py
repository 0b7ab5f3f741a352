"""Operations of index functions beside the arithmetic of layouts: bits, and a choice of two."""

from symlayout.expr.terms import BITS as BITS
from symlayout.expr.terms import BitAnd as BitAnd
from symlayout.expr.terms import BitOr as BitOr
from symlayout.expr.terms import BitXor as BitXor
from symlayout.expr.terms import Operation as Operation
from symlayout.expr.terms import Where as Where

OF_BITS = {sign: kind.row.value for kind, sign in BITS.items()}
