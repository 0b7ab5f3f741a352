"""Calls that take numbers by value and do nothing else: of the languages, and of harmless classes."""

from __future__ import annotations

from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.language import changes_nothing, is_harmless
from symlayout.programs.kernels.c.lowering.trees import Tree, callee, text_of
from symlayout.programs.kernels.c.types import GROUP, CType
from symlayout.text.patterns import regex

CORE = regex(
    r"(Add|Sub|Mul|Div|Max|Min|And|Or|Shift(Left|Right)|LeakyRelu)s?|Cast|Exp|Ln|Log|Abs|Sqrt|Rsqrt|Relu|"
    r"Reciprocal|Duplicate|(Whole|Block|Pair)?Reduce(Sum|Max|Min)|Select|Compare\w*|Axpy|Gather\w*|Not|"
    r"Brcb|Transpose|Copy|PipeBarrier|SetFlag|WaitFlag|FusedMulAdd|MulAddDst|SyncAll|Sort\w*|Arange"
)
# methods that tell of a tensor's sizes, or where it begins
TELLING = frozenset(["size", "stride", "numel", "data", "data_ptr", "dim", "length", "sync"])
OF_CORES = regex(  # of AscendC's queues and tensors
    r"(Alloc|Free)Tensor|EnQue|DeQue|InitBuffer|Get(WithOffset|Size|Length|Position|ShapeInfo|Value)?|"
    r"SetValue|Set(Size|ShapeInfo)|ReinterpretCast|(VacantIn|HasTensorIn)Que|Reset|Init"
)
OF_GROUPS = regex(
    r"thread_rank|size|num_threads|meta_group_\w+|sync|shfl\w*|any|all|ballot|match_any|"
    r"(group|thread)_(index|dim)|dim_threads|num_blocks|block_(rank|index)|is_valid|this_\w+|"
    r"tiled_partition|coalesced_threads|labeled_partition|(in|ex)clusive_scan|reduce|plus|less|greater|"
    r"bit_(and|or|xor)|apply_shfl_\w+"
)


def is_of_language(low: Lowering, tree: Tree) -> bool:
    """Whether what is called takes numbers by value, and does nothing else."""
    function, word = tree.child_by_field_name("function"), callee(tree)
    last = word.split("::")[-1].split(".")[-1]
    if _is_core(low, tree, last):
        return True
    if function.type == "field_expression":
        base = function.child_by_field_name("argument")
        if last in TELLING or (low.source.dialect.has_objects and OF_CORES.fullmatch(last)):
            return low.identifier(base) is not None
        group = low.type_of(base)
        if group is not None and _is_method(low, group, last):
            return low.identifier(base) is not None
        known = group is not None and GROUP.fullmatch(group.word) is not None
        return known and OF_GROUPS.fullmatch(last) is not None
    if low.variable(word) is not None:
        return False
    if word.startswith(("cg::", "cooperative_groups::")):
        return OF_GROUPS.fullmatch(last) is not None
    space, _, method = text_of(function).rpartition("::")
    if space and function.type == "qualified_identifier":
        if _is_method(low, low.read(space), method.partition("<")[0].strip()):
            return True
    elif _makes_an_object(low, function):
        return True
    return is_harmless(last) or changes_nothing(word, low.source.dialect.padded)


def _is_core(low: Lowering, tree: Tree, word: str) -> bool:
    """Whether it is one of AscendC's functions of tensors, which change no number."""
    own = callee(tree).startswith("AscendC::") or CORE.fullmatch(word) is not None
    return low.source.dialect.has_objects and own


def _makes_an_object(low: Lowering, function: Tree) -> bool:
    """Whether a type is called, whose objects do nothing by themselves."""
    type = low.read(text_of(function))
    return not type.is_unknown and not type.is_address and low.is_certain(type)


def _is_method(low: Lowering, type: CType, word: str) -> bool:
    """Whether a class whose functions do nothing else has one of that name."""
    known = low.source.classes.get(type.word.partition("<")[0])
    contained = known is not None and not type.is_address and low.is_certain(type)
    return contained and known is not None and word in known.methods
