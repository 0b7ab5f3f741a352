"""Which statements leave a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterable


def leaves(body: Iterable[ast.stmt], *kinds: type[ast.stmt]) -> bool:
    """Whether a `break` or `continue` leaves these statements, those of inner loops left out.

    >>> body = ast.parse("for k in f():\\n for i in g():\\n  continue\\n if k:\\n  break").body[0].body
    >>> leaves(body), leaves(body, ast.Continue)
    (True, False)
    """
    waiting: list[ast.AST] = list(body)
    while waiting:
        x = waiting.pop()
        if isinstance(x, kinds or (ast.Break, ast.Continue)):
            return True
        if not isinstance(x, (ast.For, ast.While)):
            waiting += ast.iter_child_nodes(x)
    return False
