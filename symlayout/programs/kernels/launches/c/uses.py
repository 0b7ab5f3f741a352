"""Where host code uses a kernel's name, and which of these uses are launches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from symlayout.programs.kernels.c.lowering.trees import Tree, children, text_of
from symlayout.programs.kernels.launches.values import Signature
from symlayout.text.patterns import regex

ABOUT = regex(r"(?:cuda|hip)(?:Func|Occupancy)\w+")  # what asks of a kernel and runs none
AROUND = ("qualified_identifier", "template_function", "pointer_declarator", "reference_declarator")


def uses(
    tree: Tree, kernels: Mapping[str, Signature]
) -> Iterator[tuple[str, int, tuple[int, int] | None]]:
    """Every use of a kernel's name, with the place of the launch that it is part of."""
    waiting: list[tuple[Tree, bool]] = [(tree, False)]
    while waiting:
        t, about = waiting.pop()
        if t.type in ("preproc_function_def", "preproc_def"):
            for word in kernels:
                if re.search(rf"\b{word}\b\s*(?:<[^;]*>)?\s*<<<", text_of(t)):
                    yield word, t.start_point[0] + 1, None
            continue
        if t.type == "call_expression":
            launch = launched(t, kernels)
            if launch is not None:
                yield launch[0], t.start_point[0] + 1, (t.start_byte, t.end_byte)
                waiting += [(c, about) for c in launch[3]]
                continue
            about = about or ABOUT.match(text_of(t.child_by_field_name("function"))) is not None
        if t.type == "identifier" and text_of(t) in kernels and not about and _is_use(t):
            yield text_of(t), t.start_point[0] + 1, None
        waiting += [(c, about) for c in t.named_children]


def _is_use(tree: Tree) -> bool:
    """Whether a name is no declaration's, and no device's call of it."""
    above = tree.parent
    while above is not None and above.type in AROUND:
        tree, above = above, above.parent
    if above is None or above.type in ("function_declarator", "enumerator", "namespace_definition"):
        return False
    if above.type == "call_expression" and above.child_by_field_name("function") == tree:
        return False  # a macro or another function of that name
    if above.type == "init_declarator":
        return bool(above.child_by_field_name("value") == tree)
    return not above.type.endswith(("parameter_declaration", "field_declaration", "declarator"))


def launched(
    tree: Tree, kernels: Mapping[str, Signature]
) -> tuple[str, list[Tree], list[Tree], list[Tree]] | None:
    """The kernel, template arguments, configuration and arguments of a launch."""
    config = next((c for c in tree.named_children if c.type == "kernel_call_syntax"), None)
    lists = (c for c in tree.named_children if c.type == "argument_list")
    listed = tree.child_by_field_name("arguments") or next(lists, None)
    function = tree.child_by_field_name("function")
    arguments, sizes = children(listed), children(config)
    if config is None:
        if text_of(function) != "hipLaunchKernelGGL" or len(arguments) < 5:
            return None
        function, sizes, arguments = arguments[0], arguments[1:5], arguments[5:]
    while function.type in ("parenthesized_expression", "qualified_identifier"):
        function = children(function)[-1]
    template: list[Tree] = []
    if function.type == "template_function":
        template = children(function.child_by_field_name("arguments"))
        function = function.child_by_field_name("name")
    word = text_of(function)
    return (word, template, sizes, arguments) if word in kernels else None
