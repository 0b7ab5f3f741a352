"""The directive `{reference} MODULE`: its public names from their docstrings, in the index as well."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from sphinx import addnodes


class Module(Directive):
    """Every public name of a module with its signature, its docstring, and a class's own names."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"names": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        prefix = self.arguments[0]
        package, _, name = prefix.rpartition(".")
        module = getattr(import_module(package), name) if package else import_module(prefix)
        words = self.options.get("names", "").split() or public(module)
        made: list[nodes.Node] = []
        for word in words:
            thing = getattr(module, word)
            if callable(thing) and inspect.getdoc(thing) is not None:
                made.append(self.described(f"{prefix}.{word}", thing))
        return made

    def described(self, full: str, thing: Any) -> nodes.Node:
        """One name: its signature, its text, and for a class its members."""
        kind = "class" if inspect.isclass(thing) else "function"
        content = addnodes.desc_content("", *blocks(inspect.getdoc(thing) or ""))
        if inspect.isclass(thing):
            for name, value in members(thing):
                content += self.member(f"{full}.{name}", value)
        return self.entry(full, kind, thing, content)

    def member(self, full: str, value: Any) -> nodes.Node:
        """A method or property of a class."""
        what = getattr(value, "func", getattr(value, "fget", getattr(value, "__func__", value)))
        called = inspect.isfunction(value) or isinstance(value, (staticmethod, classmethod))
        content = addnodes.desc_content("", *blocks(inspect.getdoc(value) or ""))
        return self.entry(
            full, "method" if called else "attribute", what if called else None, content
        )

    def entry(self, full: str, kind: str, called: Any, content: nodes.Node) -> nodes.Node:
        """A description of the Python domain, which references and the search find."""
        env = self.state.document.settings.env
        place = full.lower().replace(".", "-").replace("_", "-").strip("-")
        head, _, name = full.rpartition(".")
        sig = addnodes.desc_signature("", "", ids=[place], classes=[], fullname=full)
        if kind == "class":
            sig += addnodes.desc_annotation("class ", "class ")
        if kind in ("class", "function"):
            sig += addnodes.desc_addname(f"{head}.", f"{head}.")
        sig += addnodes.desc_name(name, name)
        if called is not None:
            sig += addnodes.desc_sig_element("", signature(called))
        env.get_domain("py").note_object(full, kind, place, location=sig)
        return addnodes.desc(
            "", sig, content, domain="py", objtype=kind, desctype=kind, classes=["py", kind]
        )


def public(module: Any) -> list[str]:
    """The names that a module offers; of one without a list, what it defines itself."""
    own = [n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__]
    listed: list[str] = list(getattr(module, "__all__", None) or own)
    return sorted((n for n in listed if not n.startswith("_")), key=lambda n: (n.lower(), n))


def signature(thing: Any) -> str:
    """The parameters with their types, names of modules left out."""
    try:
        made = str(inspect.signature(thing))
    except ValueError:
        return ""
    made = re.sub(r"(?:[a-z_]+\.)+([A-Za-z_]+)", r"\1", made.replace("'", ""))
    return re.sub(r" at 0x[0-9a-f]+", "", made)


def blocks(text: str) -> list[nodes.Node]:
    """The paragraphs of a docstring, and its examples as they are."""
    made: list[nodes.Node] = []
    for block in text.split("\n\n"):
        if block.lstrip().startswith(">>>"):
            made.append(nodes.literal_block(text=block))
        elif block.startswith("- "):
            lines = re.split(r"\n(?=- )", block)
            items = [nodes.list_item("", paragraph(line[2:])) for line in lines]
            made.append(nodes.bullet_list("", *items))
        else:
            made.append(paragraph(block))
    return made


def paragraph(text: str) -> nodes.paragraph:
    """A paragraph, what stands in backticks as code."""
    made = nodes.paragraph()
    for k, part in enumerate(text.replace("``", "`").split("`")):
        made += nodes.literal(text=part) if k % 2 else nodes.Text(part)
    return made


def members(thing: type) -> list[tuple[str, Any]]:
    """The public methods and properties that a class itself describes."""
    found = []
    for name, value in vars(thing).items():
        what = getattr(value, "func", getattr(value, "fget", getattr(value, "__func__", value)))
        if not name.startswith("_") and inspect.isfunction(what) and inspect.getdoc(value):
            found.append((name, value))
    return found


def setup(app: Any) -> dict[str, bool]:
    """Registers the directive."""
    app.add_directive("reference", Module)
    return {"parallel_read_safe": True}
