"""Functions of CUDA and OpenCL that are a coordinate, a load, a store or an atomic."""

from __future__ import annotations

import re

from symlayout.programs.kernels.c.lowering.context import LOADS, Lowering
from symlayout.programs.kernels.c.lowering.deduction import value_type
from symlayout.programs.kernels.c.lowering.trees import Tree, access, callee, text_of
from symlayout.programs.kernels.c.types import PIXEL, CType
from symlayout.programs.kernels.program.nodes import (
    Atomic,
    Constant,
    Coordinate,
    Element,
    Expression,
    Load,
    Operation,
    Store,
    Thread,
    Threads,
    Unfollowed,
)
from symlayout.text.patterns import regex

ATOMIC = regex(r"atomic(Add|Sub|Max|Min|And|Or|Xor|Exch|CAS|Inc|Dec)(_system|_block)?")
STORES = frozenset(["__stcs", "__stcg", "__stwt", "__stwb"])
_SUBGROUPS = "sub_group_id sub_group_local_id sub_group_size num_sub_groups max_sub_group_size"
SUBGROUPS = frozenset(f"get_{word}" for word in _SUBGROUPS.split())
_COORDINATES = (
    "global_id local_id group_id global_size local_size num_groups enqueued_local_size "
    "global_offset"
)
COORDINATES = frozenset(f"get_{word}" for word in _COORDINATES.split())
RANKS = frozenset(["thread_rank", "size", "num_threads", "meta_group_rank", "meta_group_size"])
BARRIERS = frozenset(
    [f"__syncthreads{end}" for end in ("", "_or", "_and", "_count")]
    + ["threadgroup_barrier", "barrier", "work_group_barrier"]
)
SPACES = regex(r"(::)?((std|cuda|cuda::std|metal|hip|sycl|thrust|cutlass|cute|c10)::)?")
GROUPS = regex(r"(::)?((cg|cooperative_groups)::)?")
BLOCK = regex(r"\bthread_block$")
GROUP = regex(r"\bthread_block(?:_tile\s*<\s*(\d{1,4})|$)")


def is_barrier(low: Lowering, tree: Tree, word: str, kids: list[Tree]) -> bool:
    """Whether the whole block waits: `__syncthreads()`, `block.sync()`, `sync(block)`."""
    function = tree.child_by_field_name("function")
    if word != "sync" or word in low.source.functions:
        return word in BARRIERS and is_own_word(low, tree, word)
    space = callee(tree).removesuffix(word)
    if function.type != "field_expression" and not GROUPS.fullmatch(space):
        return False
    if function.type == "field_expression" and not kids:
        kids = [function.child_by_field_name("argument")]
    group = value_type(low, kids[0]) if len(kids) == 1 else None
    return group is not None and BLOCK.search(group.word) is not None


def is_own_word(low: Lowering, tree: Tree, word: str) -> bool:
    """Whether a name is the language's own: no function of the file, no method, no foreign one."""
    if tree.child_by_field_name("function").type == "field_expression":
        return False
    known = word in low.source.functions
    return not known and SPACES.fullmatch(callee(tree).removesuffix(word)) is not None


def rank_in_group(low: Lowering, tree: Tree, word: str) -> Expression | None:
    """A thread's number in a cooperative group: in the block, or in a part of it of known size."""
    function = tree.child_by_field_name("function")
    if word not in RANKS or function.type != "field_expression":
        return None
    group = low.type_of(function.child_by_field_name("argument"))
    match = GROUP.search(group.word) if group is not None else None
    if match is None:
        return None
    size = Constant(int(match[1])) if match[1] else None
    whole, count = Thread(), Threads()
    if size is None:
        return {"thread_rank": whole, "size": count, "num_threads": count}.get(word)
    op: dict[str, Expression] = {
        "thread_rank": Operation("%", whole, size),
        "meta_group_rank": Operation("//", whole, size),
        "meta_group_size": Operation("//", count, size),
    }
    return op.get(word, size)


def opencl_call(low: Lowering, tree: Tree, word: str, kids: list[Tree]) -> Expression | None:
    """OpenCL's coordinates, and vectors that are loaded or stored whole."""
    word = word.split("::")[-1].split(".")[-1]
    if word in SUBGROUPS and not kids:
        return Coordinate(word, 0)
    if word in COORDINATES and len(kids) == 1:
        axis = text_of(kids[0])
        if axis not in ("0", "1", "2"):
            return Unfollowed(f"{word} of an axis that is no number")
        return Coordinate(word, int(axis))
    image = re.fullmatch(r"(read|write)_image(?:f|i|ui|h)", word)
    pixels = low.type_of(kids[0]) if image is not None and kids else None
    if image is not None and pixels is not None and pixels.element.word == PIXEL:
        return _of_image(low, image[1], pixels.element, kids)
    if re.match(r"(read|write)_image|async_work_group", word):
        return Unfollowed(f"{word} is not followed")
    if word.startswith("atom_"):
        return memory_call(low, "atomic" + word[4:], kids)
    vector = re.fullmatch(r"v(load|store)a?(_half)?(2|3|4|8|16|)(?:_rt[ezpn])?", word)
    if vector is None or len(kids) not in (2, 3):
        return None
    *values, at, base = kids
    to = low.type_of(base)
    if to is None or not to.is_address:
        return Unfollowed(f"{word} at a place whose type is not known")
    element = to.element
    if vector[3]:  # three numbers that are loaded so are three
        packed = "packed_" if vector[3] == "3" else ""
        element = CType(f"{packed}{element.word}{vector[3]}")
    place_at = Element(low.expression(base), low.expression(at), element)
    exprs = [low.expression(v) for v in values]
    return access(Load if vector[1] == "load" else Store, place_at, element, exprs)


def _of_image(low: Lowering, kind: str, pixel: CType, kids: list[Tree]) -> Expression:
    """A pixel of an image of one dimension, which is a buffer of them."""
    if len(kids) != (2 if kind == "read" else 3):
        return Unfollowed(f"{kind}_image with a sampler is not followed")
    base, at, *values = [low.expression(k) for k in kids]
    there = Element(base, at, pixel)
    return access(Load if kind == "read" else Store, there, pixel, values)


def language_memory(low: Lowering, tree: Tree, word: str, kids: list[Tree]) -> Expression | None:
    """A load, a store or an atomic of the language; a file may have one for more types."""
    overload = ATOMIC.fullmatch(word) is not None and callee(tree) == word
    return memory_call(low, word, kids) if overload or is_own_word(low, tree, word) else None


def memory_call(low: Lowering, word: str, kids: list[Tree]) -> Expression | None:
    """A load, a store or an atomic by a function of its own."""
    if not kids or not (word in LOADS or word in STORES or word.startswith("atomic")):
        return None
    to = low.type_of(kids[0])
    if to is None or not to.is_address:
        return Unfollowed(f"{word} at a place whose type is not known")
    args = [low.expression(k) for k in kids]
    kind = Load if word in LOADS else Store if word in STORES else Atomic
    return access(kind, args[0], to.element, args[1:])
