"""The rooms: imports go down only, and nothing grows past what a head holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import rooms


def test_imports_between_rooms_go_down_only() -> None:
    known = rooms.modules()
    assert rooms.upward(known, rooms.imports(known)) == []


def test_a_circle_is_for_types_alone_and_inside_a_room_and_small() -> None:
    known = rooms.modules()
    arrows = rooms.imports(known)
    assert rooms.circles(known, [i for i in arrows if not i.types]) == []
    for circle in rooms.circles(known, arrows):
        assert len(circle) <= rooms.LARGEST_CIRCLE, circle
        assert len({known[name].room for name in circle}) == 1, circle


def test_an_import_that_goes_up_is_seen_wherever_it_stands(tmp_path: Path) -> None:
    for room in ("expr", "prove"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text("")
    (tmp_path / "expr" / "a.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from symlayout.prove import b\n"
        "def f():\n    from symlayout.prove.b import g\n"
    )
    (tmp_path / "prove" / "b.py").write_text("import symlayout.expr.a\n")
    known = rooms.modules(tmp_path)
    arrows = rooms.imports(known)
    assert [(i.source, i.target) for i in rooms.upward(known, arrows)] == [("expr.a", "prove.b")]
    assert rooms.circles(known, arrows) == [("expr.a", "prove.b")]


def test_the_house_is_small_enough_to_live_in() -> None:
    known = rooms.modules()
    assert {m.room for m in known.values()} == {*rooms.ROOMS, *rooms.LOOSE}
    assert len(rooms.ROOMS) <= 10
    assert len(rooms.LOOSE) <= 5
    assert median(m.lines for m in known.values()) < 150
    long = [(n, m.name, f) for m in known.values() for f, n in m.functions() if n >= 60]
    assert long == []


PARTICIPLES = {
    *("asked", "chosen", "counted", "drawn", "found", "given", "held", "kept", "made", "meant"),
    *("said", "shown", "spelled", "taken", "told", "wanted"),
}


def names_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """What a module calls its functions, parameters, fields and variables, with the lines."""
    for x in ast.walk(tree):
        match x:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.arg(arg=name):
                yield x.lineno, name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield x.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield x.lineno, name


def test_a_name_says_what_a_thing_is_not_what_was_done_to_it() -> None:
    hits = [
        (m.name, line, name)
        for m in rooms.modules().values()
        for line, name in names_in(m.tree)
        if name.strip("_") in PARTICIPLES
    ]
    assert hits == []


def test_the_picture_is_that_of_the_imports() -> None:
    known = rooms.modules()
    drawn = (Path(rooms.PACKAGE).parent / "docs" / "rooms.svg").read_text(encoding="utf-8")
    for room in rooms.ROOMS:
        assert f">{room}</text>" in drawn
    assert "#cf222e" not in drawn  # the colour of what goes up
    assert drawn.count("<rect") == len({m.room for m in known.values()} & {*rooms.ROOMS})


def test_sympy_is_imported_at_the_edge_alone() -> None:
    found = {
        str(path.relative_to(rooms.PACKAGE))
        for path in rooms.PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Import) and any(a.name.startswith("sympy") for a in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sympy"))
    }
    assert found == {
        *("expr/edge.py", "expr/spelling.py"),  # the expressions and how they are printed there
        *("render/emit/latex.py", "render/emit/sympy.py"),  # SymPy's own languages
    }
