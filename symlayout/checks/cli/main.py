"""The command line: what it accepts. Built without SymPy; the commands import what they need."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

from symlayout.checks.cli import files
from symlayout.checks.cli.examples import examples, grouped
from symlayout.checks.cli.shells import SHELLS
from symlayout.checks.conditions import with_condition
from symlayout.checks.report import FORMATS
from symlayout.checks.result import SOLVERS
from symlayout.errors import LayoutError, did_you_mean
from symlayout.layouts.vocabulary import CLAIMS
from symlayout.programs.kernels.policy import WORDS
from symlayout.render.emit import TARGETS
from symlayout.text.version import VERSION

SPELLINGS = (
    "text",
    "cpp",
    "proto",
    "cute",
    "memref",
    "ttg",
    "linear",
    "map",
    "einops",
    "affine",
    "indexing",
)
EXIT_CODES = """exit codes: 0 all as expected; 1 refuted or unknown; 2 bad usage or bad input
`symlayout COMMAND --help` shows the options of a command, with examples."""
UNKNOWN = re.compile(r"unrecognized arguments: (--[^\s=]+)")
SIZE = re.compile(r"unrecognized arguments: ([A-Za-z_]\w*=\d+)$", re.ASCII)
CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")


class Parser(argparse.ArgumentParser):
    """An argument parser whose mistakes are errors of ours: one text, exit code 2."""

    def error(self, message: str) -> NoReturn:
        """Raises `LayoutError` (SL600)."""
        torn = message.startswith("unrecognized arguments") and re.search(r"[\[\](){}]", message)
        help = f"see {self.prog} --help"
        if torn:
            help = "quote each layout: a shell takes {1,0} and (8,128) apart; one is read here"
        elif (size := SIZE.match(message)) is not None:
            help = f"sizes follow the option: --size {size[1]}"
        elif (stray := UNKNOWN.match(message)) is not None:
            help = did_you_mean(stray[1], list(self._option_string_actions)) or help
        elif message.startswith("the following arguments are required: CLAIM"):
            help = f"such as {self.prog} injective 'f32[M,N]{{1,0}}'; --help lists the claims"
        elif message.startswith("argument COMMAND: invalid choice"):
            help = "options stand behind the command: symlayout prove CLAIM ARGS --where FACT"
        elif (choice := CHOICE.search(message)) is not None:
            help = did_you_mean(choice[1], re.findall(r"'([^']*)'", choice[2])) or help
        elif message.endswith(("expected one argument", "expected at least one argument")):
            option = message.split()[1].rstrip(":").rpartition("/")[2]
            help = f"such as {option} VALUE; one that begins with - "
            help += f"stands behind an equals sign: {option}=-1"
        raise LayoutError("SL600", message, help=help)


class _Symbol(argparse.Action):
    """`--symbol NAME` is a fact that introduces a name."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        """Appends the fact to those of `--where`."""
        from symlayout.checks.cli.options import symbol

        namespace.where = [*namespace.where, symbol(values)]


def parser() -> Parser:
    """The parser of the whole command line."""
    top = Parser(
        prog="symlayout",
        usage="symlayout COMMAND ...",
        description="Prove facts about tensor layouts and index expressions for all sizes.",
        epilog=f"{grouped({n: help for n, (help, _) in COMMANDS.items()})}\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"symlayout {VERSION}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", help=argparse.SUPPRESS)
    for name, (help, options) in COMMANDS.items():
        one: Parser = commands.add_parser(name, help=help, description=help)
        _fill(one, name, options)
    return top


def _fill(one: Parser, name: str, options: Callable[[argparse.ArgumentParser], None]) -> None:
    """Adds the options of a command, and its examples at the end of the help page."""
    one.formatter_class = argparse.RawDescriptionHelpFormatter
    options(one)
    one.epilog = "\n\n".join(filter(None, [one.epilog, examples(name)]))


def _make_ready(args: argparse.Namespace) -> None:
    """Begins to start what judges many claims, while this process imports what reads them."""
    from symlayout.checks.cli.options import processes

    if processes(args.jobs) > 1:
        from symlayout.checks.cache_folder import default_folder
        from symlayout.checks.processes import make_ready_for

        make_ready_for(args.paths, None if args.no_cache else args.cache_dir or default_folder())


def _arguments(argv: list[str]) -> argparse.Namespace:
    """The arguments as they are read; of a command alone, where one is named first."""
    name = argv[0] if argv else ""
    if name not in COMMANDS:
        return parser().parse_args(argv)
    description, options = COMMANDS[name]
    one = Parser(prog=f"symlayout {name}", description=description)
    _fill(one, name, options)
    return one.parse_args(argv[1:], argparse.Namespace(command=name))


def _flag(p: argparse.ArgumentParser, *words: str) -> None:
    """An option without a value: its names, and what it is for."""
    p.add_argument(*words[:-1], action="store_true", help=words[-1])


def _outside(p: argparse.ArgumentParser) -> None:
    _flag(p, "--include-outside", "also read files outside the project's root that its files name")


def _recheck(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "certificate", metavar="PATH", nargs="+", help="a certificate, or a folder of them"
    )
    p.add_argument("--claim", metavar="TEXT", help="the claim that it must be for")
    _rocq(p)
    _where(p)
    _outside(p)
    _flag(p, "--json", "print one JSON object")


def _rocq(p: argparse.ArgumentParser) -> None:
    what = "write the claim and its proof as a theorem, which coqc checks with proofs/coq"
    p.add_argument("--rocq", metavar="FILE", help=what)


def _explain(p: argparse.ArgumentParser) -> None:
    p.add_argument("code", nargs="?", help="a code such as SL102; all without one")


def _schema(p: argparse.ArgumentParser) -> None:
    p.add_argument("kind", nargs="?", choices=("claims", "report"), default="claims")


def _completion(p: argparse.ArgumentParser) -> None:
    p.add_argument("shell", choices=SHELLS)


def _where(p: argparse.ArgumentParser) -> None:
    p.add_argument("--where", metavar="FACT", action="append", default=[], help=(
        'what is known of the sizes, such as "N %% 128 == 0"; may be given several times'
    ))  # fmt: skip
    p.add_argument("--symbol", dest="where", metavar="NAME", action=_Symbol, help=(
        "a name that facts may use although nothing else does; may be given several times"
    ))  # fmt: skip


def _formula(p: argparse.ArgumentParser) -> None:
    p.add_argument("layout", metavar="LAYOUT", help="a layout in any notation")
    _where(p)
    p.add_argument("--at", metavar="I,J,..", help=(
        "print the offset at this coordinate; of shape:stride also nested, or one number"
    ))  # fmt: skip
    p.add_argument("--coords", metavar="Y,X,..", help="the names of the coordinates (i,j,k)")
    p.add_argument("--spelling", choices=SPELLINGS, help=(
        "print the layout itself: in this notation, as C++, protocol-buffer text, shape:stride, "
        "an MLIR type, Triton's encoding, vectors of bits, or a map"
    ))  # fmt: skip
    p.add_argument("--emit", choices=TARGETS, help="print the formula as code of that language")
    _flag(p, "--loops", "with --emit c: copy a whole array, tile by tile")
    _flag(p, "--json", "print one JSON object")


def _prove(p: argparse.ArgumentParser) -> None:
    rows = "\n".join(f"  {c.usage}\n      {c.meaning}" for c in CLAIMS.values())
    _about_claims(p, "prove [--where FACT]... [--certificate FILE]", f"{ARGUMENTS}claims:\n{rows}")
    p.add_argument("--certificate", metavar="FILE", help="write the proof, to be checked again")
    p.add_argument("--budget", metavar="N", help="the solver's resource units")
    p.add_argument(
        "--check",
        choices=SOLVERS,
        default="none",
        help=("confirm a proof by a solver of its own (none)"),
    )
    p.add_argument(
        "--smt",
        metavar="FILE",
        help=("write the claim as a query in SMT-LIB 2: a solver that says unsat confirms it"),
    )
    _rocq(p)
    _flag(p, "--json", "print one JSON object")
    _no_hints(p)
    _claim(p)


ARGUMENTS = """A, B: layouts in any notation; F, G: maps; EXPR, RELATION: of sizes and coordinates;
TILE, AT, PERM, DIMS, COORDS: a list such as 16,16 or i,j; `prove CLAIM --help` is about one claim

"""


def _about_claims(p: argparse.ArgumentParser, usage: str, listing: str) -> None:
    """What stands around the options of a command about one claim, and its facts."""
    p.formatter_class = argparse.RawDescriptionHelpFormatter
    p.usage = f"symlayout {usage} [--json] CLAIM ARGS..."
    p.epilog = listing
    _where(p)


def _claim(p: argparse.ArgumentParser) -> None:
    p.add_argument("claim", metavar="CLAIM", help="one of the claims below")
    p.add_argument("words", nargs=argparse.REMAINDER, metavar="ARGS", help="what it speaks of")


def _no_hints(p: argparse.ArgumentParser) -> None:
    _flag(p, "--no-hints", "do not look for the condition under which a refuted claim holds")


def _when(p: argparse.ArgumentParser) -> None:
    rows = "\n".join(f"  {c.usage}" for c in CLAIMS.values())
    listing = f"claims, whose meanings `symlayout prove --help` tells:\n{rows}"
    _about_claims(p, "when [--where FACT]... [--certificates DIR]", listing)
    p.add_argument("--certificates", metavar="DIR", dest="certificate", help=(
        "write the proofs of both directions there, to be checked again"
    ))  # fmt: skip
    p.add_argument("--budget", metavar="N", help="the solver's resource units for each proof")
    _flag(p, "--json", "print one JSON object")
    _claim(p)


def _assume(p: argparse.ArgumentParser) -> None:
    p.add_argument("--assume", choices=WORDS, help=(
        "none: assume nothing of sizes and launches that a kernel's contract does not bound"
    ))  # fmt: skip


def _check(p: argparse.ArgumentParser) -> None:
    p.add_argument("paths", nargs="*", metavar="PATH", help=(
        "claims files, HLO modules, sources, or folders of them "
        "(the paths of pyproject.toml, or else the whole project)"
    ))  # fmt: skip
    _where(p)
    _assume(p)
    p.add_argument("--tag", action="append", default=[], help="only claims with this tag")
    p.add_argument("--jobs", metavar="N", help="processes that share the claims, or auto (1)")
    p.add_argument("--backend", choices=("local", "dask", "ray"), default="local", help=(
        "where the processes are: here, or on a cluster through joblib (an extra)"
    ))  # fmt: skip
    p.add_argument("--scheduler", metavar="ADDRESS", help="the cluster's address (a local one)")
    p.add_argument("--budget", metavar="N", help="the solver's resource units for each claim")
    p.add_argument(
        "--check",
        choices=SOLVERS,
        default="z3",
        help=("the solver that confirms proofs of bijectivity, bounds and broadcasts (z3)"),
    )
    p.add_argument("--max-padding", metavar="RATIO", help=(
        "also claim that no buffer of a module is more than RATIO times its array"
    ))  # fmt: skip
    p.add_argument("--top", metavar="N", help="the worst buffers of a module's padding report (5)")
    p.add_argument("--certificates", metavar="DIR", help="write a certificate of each proof there")
    p.add_argument("--html", metavar="FILE", help="also write the memory of modules as a page")
    p.add_argument("--allow-empty", action="store_true", help=(
        "a path from which nothing could be checked, or a tag that no claim has, is not an error"
    ))  # fmt: skip
    p.add_argument("--exclude", metavar="PATTERN", action="append", default=[], help=(
        "leave these out of folders; the patterns are those of .gitignore, which is obeyed as well"
    ))  # fmt: skip
    _flag(p, "--no-ignore", "also read what .gitignore names")
    _outside(p)
    p.add_argument("--dependents", action="store_true", help=(
        "also check the files with claims of the project that include one of the paths"
    ))  # fmt: skip
    _flag(p, "-x", "--exitfirst", "stop at the first claim that is not as expected")
    _flag(p, "--watch", "check again whenever a file changes")
    _no_hints(p)
    _flag(p, "--no-cache", "judge every claim again")
    p.add_argument(
        "--cache-dir",
        metavar="DIR",
        help=("where verdicts are kept (the user's folder for caches, or SYMLAYOUT_CACHE_DIR)"),
    )
    _report(p)


def _report(p: argparse.ArgumentParser) -> None:
    p.add_argument("--format", choices=FORMATS, help="how the results are printed (full)")
    _flag(p, "--json", "the same as --format json")
    p.add_argument("--output-file", metavar="FILE", action="append", default=[], help=(
        "write the report there too: as its ending says (.json, .sarif, .xml, .md), "
        "or else in the format of --format instead of printing it"
    ))  # fmt: skip
    _flag(p, "-q", "--quiet", "print what is not as expected, and nothing else")
    _flag(p, "-v", "--verbose", "a line for every claim")
    _flag(p, "--statistics", "a table of claim words, verdicts and times")
    p.add_argument("--exit-zero", action="store_true", help=(
        "exit code 0 even where claims are not as expected; bad input remains 2"
    ))  # fmt: skip


def _diff(p: argparse.ArgumentParser) -> None:
    p.add_argument("before", metavar="A", help="an HLO module or a folder of them")
    p.add_argument("after", metavar="B", help="the same program, compiled later")
    p.add_argument("--limit", metavar="BYTES", default="0", help=(
        "how many more bytes may be wasted, or a share such as 5%% (0)"
    ))  # fmt: skip
    p.add_argument("--top", metavar="N", help="how many changes and copies are shown (12)")
    _outside(p)
    _flag(p, "--json", "print one JSON object")


def _accesses(p: argparse.ArgumentParser) -> None:
    p.add_argument("file", metavar="FILE[::FUNCTION]", help="a file with kernels")
    _outside(p)
    _flag(p, "--json", "print one JSON object")


def _contract(p: argparse.ArgumentParser) -> None:
    p.add_argument("file", metavar="FILE[::KERNEL]", help="a file with kernels, or one of them")
    p.add_argument("--write", action="store_true", help=(
        "put the contract above the kernel, in that file"
    ))  # fmt: skip
    _outside(p)


def _scan(p: argparse.ArgumentParser) -> None:
    p.add_argument("paths", nargs="+", metavar="PATH", help="files and folders with kernels")
    p.add_argument("--format", choices=("text", "json", "github", "sarif"), help=(
        "how the findings are printed (text)"
    ))  # fmt: skip
    _flag(p, "--json", "the same as --format json")
    p.add_argument("--baseline", metavar="FILE", help=(
        "findings that are known: the JSON of an earlier scan; they are left out"
    ))  # fmt: skip
    p.add_argument("--all", action="store_true", help=(
        "also findings of medium confidence: arrays whose rows may be too short for it"
    ))  # fmt: skip
    _flag(
        p,
        "--allow-empty",
        "a path without a source or an access understood is not an error",
    )
    _flag(p, "-v", "--verbose", "show all lines that are not understood")
    _outside(p)
    _assume(p)
    p.add_argument("--max-size", metavar="N", help=(
        "the largest size, such as 2**20 (2**30; of 64 bits: 2**36)"
    ))  # fmt: skip
    p.add_argument("--max-elements", metavar="N", help="the most elements of an array (2**36)")
    p.add_argument("--jobs", metavar="N", help="processes that share the files, or auto (1)")


def _show(p: argparse.ArgumentParser) -> None:
    p.add_argument("layout", metavar="LAYOUT", help=(
        "a layout in any notation; `atoms` lists the layouts of instructions"
    ))  # fmt: skip
    _flag(p, "--svg", "print the picture as SVG")
    _flag(p, "--html", "print a page that stands alone, with a slider for every size")
    p.add_argument("--output", metavar="FILE", help=(
        "write the picture there: its ending, .svg, .html or .txt, says what it is"
    ))  # fmt: skip
    p.add_argument("--tv", metavar="ROWS,COLUMNS", help=(
        "(thread, value) as the layout maps it to a tile of that size, counted down its columns"
    ))  # fmt: skip
    p.add_argument("--banks", action="store_true", help=(
        "the bank of shared memory of each element, and the rounds that rows and columns take"
    ))  # fmt: skip
    p.add_argument("--bits", metavar="N", help=(
        "the width of an element, for --banks and the picture of a swizzle "
        "(that of the layout's element type, else 16)"
    ))  # fmt: skip
    p.add_argument("--size", metavar="NAME=N", action="append", default=[], help=(
        "the value of a size; small ones are chosen for those that are not given"
    ))  # fmt: skip
    _where(p)


def _derive(p: argparse.ArgumentParser) -> None:
    p.add_argument("layout", metavar="LAYOUT", help=(
        "an XLA shape, shape:stride, add(A, B) with or without `, broadcast_dimensions={..}` "
        "behind it, or broadcast_in_dim(A, dims=(..), to=B)"
    ))  # fmt: skip
    _where(p)
    p.add_argument("--emit", choices=("latex",), help="print the derivation as LaTeX")
    _flag(p, "--json", "print one JSON object")


# what each command does, and what it accepts
COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "formula": ("print a layout's offset as a formula, as code, or at a coordinate", _formula),
    "prove": ("prove or refute one claim for all sizes", _prove),
    "when": ("find the exact condition on the sizes under which a claim holds", _when),
    "check": ("check claims files, kernels with contracts, and HLO or StableHLO dumps", _check),
    "derive": ("derive a layout or a broadcast step by step, with the proof", _derive),
    "show": ("draw a layout: the offset of every element, padding marked", _show),
    "diff": ("compare two dumps of one program: memory, layouts, copies", _diff),
    "accesses": ("list every load and store of a file's kernels: index, mask, type", _accesses),
    "contract": ("print a contract to start from, for each kernel that has none", _contract),
    "scan": ("find overflows and missing masks in kernels without annotations", _scan),
    "recheck": ("verify certificates without the prover", _recheck),
    "lsp": ("serve an editor over the Language Server Protocol (symlayout[lsp])", lambda p: None),
    "explain": ("explain an error code", _explain),
    "schema": ("print the JSON Schema of claims files or of the report", _schema),
    "completion": ("print a script that completes commands and options in a shell", _completion),
}


def run(argv: list[str]) -> int:
    """Runs the command that the arguments spell and returns its exit code.

    Raises `LayoutError` for bad usage and bad input.
    """
    if argv and not argv[0].startswith("-") and argv[0] not in COMMANDS:
        near = files.hint(argv[0]) or did_you_mean(argv[0], list(COMMANDS))
        near = near or next((h for h in map(files.hint, argv) if h is not None), None)
        hint = near or f"the commands are {', '.join(COMMANDS)}"
        if argv[0] == "help":
            hint = f"symlayout {argv[1] if argv[1:2] and argv[1] in COMMANDS else 'COMMAND'} --help"
        if argv[0] in CLAIMS:
            hint = f"symlayout prove {CLAIMS[argv[0]].usage}"
        elif re.search(r"[\[({:]", argv[0]):
            hint = "symlayout formula LAYOUT shows it, symlayout prove CLAIM LAYOUT claims about it"
        raise LayoutError("SL600", f"{argv[0]!r} is not a command", help=hint)
    try:
        args = _arguments(argv)
    except SystemExit as done:  # --help and --version
        return int(done.code or 0)
    if args.command is None:
        parser().print_help()
        return 2
    if args.command == "check" and args.jobs is not None and args.backend == "local":
        _make_ready(args)
    try:
        code: int = import_module(f"symlayout.checks.cli.{args.command}").run(args)
    except LayoutError as error:
        if isinstance(layout := getattr(args, "layout", None), str):
            error = with_condition(error, [layout], getattr(args, "where", ()))
        raise files.with_hint(error) from None
    return code
