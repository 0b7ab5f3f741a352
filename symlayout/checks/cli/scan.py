"""`symlayout scan`: defects of kernels without any annotation."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from shlex import quote
from typing import Any

from symlayout.checks.cli.options import assumes, format_of, processes, whole
from symlayout.checks.config import read_config
from symlayout.checks.kernel_files import launch_text, text_of
from symlayout.checks.project import named, repository_of
from symlayout.checks.reading import Within, within
from symlayout.checks.report.github import annotation
from symlayout.checks.report.kernels import c_names
from symlayout.checks.report.sarif import log
from symlayout.checks.result import Place
from symlayout.checks.rooted import from_root
from symlayout.checks.scanning import Scan, limits_of, read_baseline, scan_file, sources_of
from symlayout.errors import LayoutError
from symlayout.programs.kernels.scan.finding import CODES, Finding, Limits
from symlayout.text.escape import as_json, terminal
from symlayout.text.lines import count
from symlayout.text.patterns import regex

NOT_SCANNED = "not-scanned"
POWER = regex(r"(\d{1,9})\*\*(\d{1,2})")

ACCEPTS = "--allow-empty accepts this"
READ = "scan reads accesses through pointers and indices (p[i], tl.load, DataCopy); "
LAYOUTS = (  # what the sources name, and how a layout of theirs is checked
    (
        ("catlass", "Catlass", "tla::"),
        """check a layout with `symlayout prove formula 'zN(f16,M,K)' 'm*16 + k//16*M*16 + k%16' """
        """--coords m,k --where 'M % 16 == 0'`""",
    ),
    (("",), "check a tensor's layout with `symlayout prove injective '(M,N):(N,1)'`"),
)
SHOWN = 20  # lines that are not understood, without -v
KINDS = "Triton, CUDA, HIP, OpenCL, Metal and AscendC"


def run(args: Namespace) -> int:
    """`symlayout scan PATH...`: exit code 1 when something is found, 2 for a file that is not read.

    What cannot be read in a folder is left out, and the report says so.
    """
    format = format_of(args, "text")
    limits = _limits(args)
    names = {} if args.baseline is None else read_baseline(args.baseline)
    result = Scan()
    projects = within(*[named(path, args.include_outside) for path in args.paths])
    files = sources_of(args.paths, projects)
    if not files and not args.allow_empty:
        message = f"nothing in {', '.join(args.paths)} can be scanned: it has no source file"
        raise LayoutError("SL602", message, help=ACCEPTS)
    task = partial(scan_file, within=projects, limits=limits, known=names)
    for one in _scans(files, task, processes(args.jobs)):
        result.join(one)
    if not args.all:
        result.keep_sure()
    text = FORMATS[format]
    print(_text(result, args.verbose) if text is _text else text(result), end="")
    every = len(result.unread) == len(files)
    for file, why in result.unread if not args.allow_empty else ():
        if every or file in args.paths:
            message = f"{file} was not scanned: {why.replace(f'{file} ', 'it ', 1)}"
            raise LayoutError("SL602", message, help=ACCEPTS)
    if (why := _nothing_read(result)) and not args.allow_empty:
        raise LayoutError("SL602", why, help=f"{READ}{_of_layouts(files, projects)}; {ACCEPTS}")
    return 1 if result.findings else 0


def _nothing_read(scan: Scan) -> str:
    """Why a scan without findings says nothing: no kernel was read, or no access understood."""
    if scan.findings:
        return ""
    if scan.not_read and not scan.kernels:
        return f"no kernel was read: {_not_read(scan)}"
    if scan.accesses and not scan.understood:
        return f"none of {count(scan.accesses, 'access', 'accesses')} was understood"
    return ""


def _of_layouts(files: Sequence[str], within: Within) -> str:
    """How to check a layout of the library that the sources use."""
    texts = [text_of(f, within) for f in files[:1]]
    return next(help for words, help in LAYOUTS if any(w in t for t in texts for w in words))


def _not_read(scan: Scan) -> str:
    """How many kernels were not read, by language, the most frequent first."""
    rows = sorted(scan.not_read.items(), key=lambda row: (-row[1], row[0]))
    places = count(sum(scan.not_read.values()), "place")
    languages = ", ".join(f"{n} {language}" for language, n in rows)
    looks = "looks like a kernel and is" if places == "1 place" else "look like kernels and are"
    return f"{places} {looks} not read: {languages}"


def _scans(files: Sequence[str], task: Callable[[str], Scan], jobs: int) -> Sequence[Scan]:
    if jobs == 1 or len(files) < 8:
        return [task(f) for f in files]
    from concurrent.futures.process import BrokenProcessPool

    from symlayout.checks.processes import executor, not_started, starting

    with executor(min(jobs, len(files))) as pool:
        with starting():
            scans = pool.map(task, files, chunksize=8)
        try:
            return list(scans)
        except BrokenProcessPool as error:
            raise not_started(error) from None


def _limits(args: Namespace) -> Limits:
    """The largest sizes: those of the policy or of the types, unless a number is given."""
    assume = assumes(args, read_config(outside=args.include_outside))
    most = _number(args.max_size, "--max-size")
    return limits_of(assume, most, _number(args.max_elements, "--max-elements"))


def _number(text: str | None, option: str) -> int:
    """A number, also as `2**30`; 0 where there is none."""
    if text is None:
        return 0
    power = POWER.fullmatch(text.strip())
    if power is not None:
        text = str(int(power[1]) ** int(power[2]))
    return whole(text, option, 1, 1 << 62)


def _text(scan: Scan, verbose: bool = False) -> str:
    lines = []
    for f, p in scan.findings:
        lines.append(f"{p}: {f.code}: {f.message}")
        lines.append(f"  in {f.function}: {f.expression}")
        lines.append(f"  at {_sizes(f)}" if f.sizes else "")
        lines.append(f"  help: {f.mend} (confidence: {f.confidence})")
    lines.extend(launch_text(x) for x in scan.launches if x["facts"] or "not_understood" in x)
    rows = scan.skipped if verbose else scan.skipped[:SHOWN]
    for s in rows:
        where = f"{s['file']}:{s['line']}"
        lines.append(f"{where}: not understood: {s['reason']}")
    if more := len(scan.skipped) - len(rows):
        lines.append(f"{count(more, 'more line')} not understood: -v shows all")
    data = scan.to_json()["summary"]
    lines.append(
        f"{count(data['findings'], 'finding')} in {count(data['kernels'], 'kernel')} of "
        f"{count(data['files'], 'file')}; "
        f"{data['understood']} of {count(data['accesses'], 'access', 'accesses')} understood"
    )
    lines.extend(_notes(scan))
    if scan.not_read:
        lines.append(_not_read(scan))
    return "\n".join(terminal(x) for x in lines if x) + "\n"


def _notes(scan: Scan) -> Iterator[str]:
    """What the scan did not look at, and the command that does."""
    if scan.hidden:
        yield f"{count(scan.hidden, 'more finding')} of medium confidence: --all shows them"
    for row in scan.unchecked:
        where = f"{row['file']}:{row['line']}"
        yield f"{where}: note: races are not checked in {row['function']}: {row['reason']}"
    if not scan.kernels and not scan.not_read:
        yield f"no kernel was read; scan reads {KINDS}"
    elif scan.understood and not scan.findings and scan.sources:
        file, has_contract = scan.sources[0]
        name = quote(file) if len(scan.sources) == 1 else "FILE"
        word = "check" if has_contract and len(scan.sources) == 1 else "contract"
        yield (
            "this is not a proof: bounds, conflicts and coverage need a contract; "
            f"next: symlayout {word} {name}"
        )


def _json(scan: Scan) -> str:
    return as_json(scan.to_json()) + "\n"


def _github(scan: Scan) -> str:
    lines = [annotation(p, f"symlayout {f.code}", _message(f), "warning") for f, p in _rooted(scan)]
    lines += [annotation(p, "not scanned", why, "notice") for _, why, p in _left_out(scan)]
    return "".join(f"{x}\n" for x in lines)


def _sarif(scan: Scan) -> str:
    hits: list[tuple[str, str, Place | None]] = [(f.code, _message(f), p) for f, p in _rooted(scan)]
    known = {**CODES, NOT_SCANNED: "a file that was not scanned"}
    return as_json(log(hits, known, "warning", _left_out(scan))) + "\n"


def _rooted(scan: Scan) -> list[tuple[Finding, Place]]:
    """The findings, their files named from the project's root."""
    root = repository_of(".")
    return [(f, p._replace(file=from_root(p.file, root))) for f, p in scan.findings]


def _left_out(scan: Scan) -> list[tuple[str, str, Place | None]]:
    """The files that were not scanned, a row each."""
    root = repository_of(".")
    rows = [s for s in scan.skipped if not s["function"] or s.get("language")]
    return [(NOT_SCANNED, s["reason"], Place(from_root(s["file"], root), s["line"])) for s in rows]


def _message(f: Finding) -> str:
    return f"{f.function}: {f.message}\nat {_sizes(f)}\nhelp: {f.mend}"


def _sizes(f: Finding) -> str:
    return ", ".join(f"{c_names(n)} = {v}" for n, v in f.sizes.items())


FORMATS: dict[str, Any] = {"text": _text, "json": _json, "github": _github, "sarif": _sarif}
