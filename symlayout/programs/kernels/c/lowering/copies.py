"""AscendC's copies between global memory and a core's: whole blocks, or any number of bytes."""

from __future__ import annotations

from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.copy_parameters import (
    PARAMETERS,
    is_plain,
    listed,
    plain_class,
)
from symlayout.programs.kernels.c.lowering.places import address_of
from symlayout.programs.kernels.c.lowering.trees import Tree, Variable, assign, text_of
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.program.nodes import (
    Constant,
    Copy,
    Data,
    Expression,
    Name,
    Statement,
    Unfollowed,
)

AUTO = CType("auto")
Amount = tuple[Expression, str, Expression]  # how many, of what, in how many blocks


def declare_object(low: Lowering, word: str, type: CType = AUTO) -> str:
    """A name of its own for an object."""
    own, k = word, 1
    while own in low.types:
        k += 1
        own = f"{word}_{k}"
    low.types[own] = AUTO
    low.scopes[-1][word] = Variable(own, type)
    return own


def parameters_of_copy(
    low: Lowering, tree: Tree, type: CType, value: Tree | None
) -> list[Statement] | None:
    """A structure of parameters becomes a variable for each field; None for other types."""
    fields = PARAMETERS.get(plain_class(type))
    if fields is None or type.is_address or tree.type != "identifier":
        return None
    kids = listed(value)
    word = declare_object(low, text_of(tree), type)
    statements = [assign(word, Data(), tree)]
    for k, (field, own) in enumerate(fields.items()):
        low.types[f"{word}.{field}"] = own
        number = low.expression(kids[k]) if k < len(kids) else Data()
        statements.append(assign(f"{word}.{field}", number, tree))
    return statements


def data_copy(low: Lowering, word: str, kids: list[Tree]) -> Expression:
    """`DataCopy(to, from, count)`: of the two, the one in global memory is accessed."""
    places = [tensor_address(low, k) for k in kids[:2]]
    if len(kids) < 2 or (places[0] is None) == (places[1] is None):
        why = "both are in one memory" if len(kids) > 1 and places[0] else "of no tensor"
        if len(kids) > 1 and places[0] is None:
            return Data()  # inside of a core
        return Unfollowed(f"{word} is not followed: {why}")
    kind = "store" if places[0] is not None else "load"
    known = places[0] or places[1]
    assert known is not None
    count = low.type_of(kids[2]) if len(kids) == 3 else None
    plain = len(kids) == 3 and (count is None or count.machine) and word == "DataCopy"
    address, element = known
    blocks = _blocks_of(low, kids) if word == "DataCopyPad" else None
    if blocks is None and (not plain or kids[2].type == "initializer_list"):
        return Unfollowed(f"{word} with more than a count is not followed")
    local = kids[1] if kind == "store" else kids[0]
    part = [low.expression(x) for x in _index_of(low, local)]
    if blocks is None:
        amount: Amount = (low.expression(kids[2]), "elements", Constant(1))
    else:
        amount = (blocks[1], "bytes", blocks[0])
    return Copy(kind, address, element, *amount, *part)


def _blocks_of(low: Lowering, kids: list[Tree]) -> tuple[Expression, Expression] | None:
    """How many blocks `DataCopyPad(to, from, parameters)` copies, and the bytes of each."""
    tree = kids[2] if len(kids) > 2 else None
    own = low.identifier(tree) if tree is not None else None
    fields = PARAMETERS.get(plain_class(own.type), ()) if own is not None else ()
    if own is not None and fields and is_plain(tree):
        return tuple(Name(f"{own.name}.{f}") for f in fields)  # type: ignore[return-value]
    parts = listed(tree)
    return (low.expression(parts[0]), low.expression(parts[1])) if len(parts) > 1 else None


def tensor_address(low: Lowering, tree: Tree) -> tuple[Expression, CType] | None:
    """Where a tensor in global memory begins, or the part that `tensor[offset]` is."""
    if tree.type == "subscript_expression":
        base = tree.child_by_field_name("argument")
        type = low.type_of(base)
        return address_of(low, tree) if type is not None and type.tensor else None
    type = low.type_of(tree)
    return (low.expression(tree), type.element) if type is not None and type.tensor else None


def _index_of(low: Lowering, tree: Tree) -> list[Tree]:
    """The offset in `tensor[offset]`, which begins that many elements after the tensor."""
    if tree.type != "subscript_expression":
        return []
    inside = tree.child_by_field_name("indices")
    kids = [k for k in inside.children if k.is_named] if inside is not None else []
    return kids if len(kids) == 1 else []
