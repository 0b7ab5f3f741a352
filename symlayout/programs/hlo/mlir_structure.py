"""What an operation of StableHLO is, whatever its shapes: its regions, their ends, its operands."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.programs.hlo.mlir import Operation, Region
from symlayout.text.patterns import regex

DIALECTS = ("stablehlo.", "mhlo.")
RETURNS = ("return", "func.return", "stablehlo.return", "mhlo.return")
DIRECTION = regex(r"\b(?:EQ|NE|GE|GT|LE|LT)\b")
APPLIES = regex(
    r"\sapplies\s++(?:stablehlo|mhlo)\.(?!(?:add|and|maximum|minimum|multiply|or|xor)\b)[\w$.]++"
)
SHORT = regex(r"\sapplies\s")
# how many regions operations have, those that have one in short (`applies`) left out
REGIONS = {
    "all_reduce": 1,
    "map": 1,
    "reduce": 1,
    "reduce_scatter": 1,
    "reduce_window": 1,
    "scatter": 1,
    "select_and_scatter": 2,
    "sort": 1,
    "while": 2,
}
# how many operands those have whose rule is of one alone
OPERANDS = {"broadcast_in_dim": 1, "dynamic_broadcast_in_dim": 2}


def faults(op: Operation, head: str, names: int) -> Iterator[tuple[str, int]]:
    """What is wrong with an operation, and where; `names` counts the operands that it names."""
    if op.name in RETURNS and op.results:
        yield f"{op.name} has no results", op.at
    if not op.name.startswith(DIALECTS):
        return
    short = op.name.partition(".")[2]
    if short == "constant" and names:
        yield f"{op.name} has no operands", op.at
    if names != OPERANDS.get(short, names):
        yield f"{op.name} has {names} operands, not {OPERANDS[short]}", op.at
    if short == "compare" and DIRECTION.search(head) is None:
        yield f"{op.name} needs a direction: EQ, NE, GE, GT, LE or LT", op.at
    if short == "reduce" and (hit := APPLIES.search(head)) is not None:
        yield f"{op.name} {hit.group().strip()}: what is applied is commutative", op.at
    number = REGIONS.get(short, len(op.regions))
    if len(op.regions) != number and not SHORT.search(head):
        yield f"{op.name} has {len(op.regions)} regions, not {number}", op.at
    for region in op.regions:
        yield from _ends(op, region)


def _ends(owner: Operation, region: Region) -> Iterator[tuple[str, int]]:
    """A region has one block, which ends with its one return."""
    if len(region.blocks) > 1:
        message = f"a region of {owner.name} has {len(region.blocks)} blocks, not 1"
        yield message, region.blocks[1].at
        return
    for k, op in enumerate(region.operations, 1):
        last = k == len(region.operations)
        if op.name in RETURNS and not last:
            yield f"an operation stands behind the {op.name} of {owner.name}", op.at
        if last and op.name not in RETURNS:
            yield f"a region of {owner.name} ends with {op.name}, not with a return", op.at
