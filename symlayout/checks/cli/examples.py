"""What help pages show: the commands in groups, and three examples of each."""

from __future__ import annotations

from collections.abc import Mapping

GROUPS: Mapping[str, tuple[str, ...]] = {
    "prove": ("prove", "when", "recheck"),
    "derive and draw": ("formula", "derive", "show"),
    "check files": ("check",),
    "kernels": ("scan", "contract", "accesses"),
    "compiler dumps": ("diff",),
    "editor and CI": ("lsp", "schema", "completion", "explain"),
}

TILED = '"f32[M,N]{1,0:T(8,128)}"'
EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "prove": (
        f"symlayout prove injective {TILED}",
        'symlayout prove equal "zN(f16,R,C)" "f16[R,C]{0,1:T(16,16)(16,1)}"',
        'symlayout prove formula "f32[M,N]" "i*N + j" --where "N % 128 == 0"',
    ),
    "when": (
        'symlayout when injective "(M,N):(1,P)"',
        'symlayout when bounded "map b < ceildiv(n, B), t < B: b*B + t in n"',
        'symlayout when equal "f32[M,N]{1,0}" "f32[M,N]{0,1}" --certificates proofs',
    ),
    "recheck": (
        "symlayout recheck proof.json",
        "symlayout recheck proofs",
        "symlayout recheck proof.json --claim \"injective '(M,N):(N,1)'\"",
    ),
    "formula": (
        f"symlayout formula {TILED}",
        f"symlayout formula {TILED} --emit cuda",
        'symlayout formula "f32[3,5]{1,0:T(2,2)}" --at 2,3',
    ),
    "derive": (
        f"symlayout derive {TILED}",
        'symlayout derive "((4,2),(4,3)):((4,16),(1,32))"',
        'symlayout derive "add(f32[M,1], f32[1,N])"',
    ),
    "show": (
        f"symlayout show {TILED} --size M=12,N=192",
        'symlayout show "Swizzle(3,3,3) o 0 o (8,64):(64,1)" --banks',
        'symlayout show "atom SM80_16x8x16_F32F16F16F32_TN A" --output a.svg',
    ),
    "check": (
        "symlayout check kernels.layout.toml",
        'symlayout check softmax.py --where "n <= 2**31 - 1"',
        "symlayout check xla_dump --top 3 --html memory.html",
    ),
    "scan": (
        "symlayout scan softmax.py",
        "symlayout scan src --format sarif",
        "symlayout scan src --max-size 2**20 --all",
    ),
    "contract": (
        "symlayout contract softmax.py",
        "symlayout contract softmax.py::kernel",
        "symlayout contract softmax.py::kernel --write",
    ),
    "accesses": (
        "symlayout accesses softmax.py",
        "symlayout accesses softmax.py::kernel",
        "symlayout accesses softmax.py --json",
    ),
    "diff": (
        "symlayout diff before.hlo after.hlo",
        "symlayout diff dump_before dump_after --top 3",
        "symlayout diff before.hlo after.hlo --limit 1048576",
    ),
    "lsp": ("symlayout lsp",),
    "schema": ("symlayout schema claims", "symlayout schema report"),
    "completion": ("symlayout completion bash",),
    "explain": ("symlayout explain", "symlayout explain SL105"),
}


def examples(name: str) -> str:
    """The examples of a command for the end of its help page."""
    return "\n".join(["examples:", *(f"  {line}" for line in EXAMPLES[name])])


def grouped(summaries: Mapping[str, str]) -> str:
    """The commands in groups, with a summary each."""
    lines = []
    for title, names in GROUPS.items():
        lines += [f"{title}:", *(f"  {name:<12}{summaries[name]}" for name in names), ""]
    return "\n".join(lines)
