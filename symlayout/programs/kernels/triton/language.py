"""Triton's language: its modules, by the names that they have in files."""

from __future__ import annotations

# What a name means where no import gives it a meaning: the usual names of modules.
ROOTS = {
    "triton": "triton",
    **dict.fromkeys(("tl", "ttl", "language"), "triton.language"),
    **dict.fromkeys(("libdevice", "tldevice"), "triton.language.extra.libdevice"),
    "math": "triton.language.math",
}
# Modules that hand on the functions of the language.
CORE = frozenset(
    ["triton"] + [f"triton.language{m}" for m in ("", ".core", ".standard", ".math", ".random")]
)
# PyTorch's generated kernels take the modules from there.
ELSEWHERE = {
    f"torch._inductor.runtime.{source}.{name}": path
    for source in ("triton_helpers", "triton_compat")
    for name, path in (
        ("libdevice", "triton.language.extra.libdevice"),
        ("math", "triton.language.math"),
        ("tl", "triton.language"),
        ("triton", "triton"),
    )
}
