"""Running a check: files to entries, entries to results, in order whatever runs where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from symlayout.checks import claims_file, module_file, silence
from symlayout.checks.cache import Cache, key
from symlayout.checks.comments import loader as comments
from symlayout.checks.comments.places import C_SUFFIXES
from symlayout.checks.discover import KINDS, discover
from symlayout.checks.hints import Foremost, with_hints
from symlayout.checks.pool import Pool
from symlayout.checks.project import Project, project_of
from symlayout.checks.project import named as project_named
from symlayout.checks.reading import NOWHERE, Within, within
from symlayout.checks.relevance import SYMBOL, Draft, relevant, unknown_names
from symlayout.checks.result import Loaded, Origin, Place, Problem, Report, Result, Task
from symlayout.checks.words import FUNCTION
from symlayout.errors import LayoutError, internal
from symlayout.programs.kernels.policy import Settings, memory
from symlayout.text.dumps import best_stages
from symlayout.text.endings import ends_in

Progress = Callable[[int, int, str], None]

WORTH_WORKERS = 50  # so many claims are sure to keep several processes busy


def silent(done: int, of: int, name: str) -> None:
    """No progress is shown."""


@dataclass(frozen=True)
class Options:
    """What a check does: facts and the solver's budget for every claim, tags to select, and how."""

    where: tuple[Origin, ...] = ()
    tags: tuple[str, ...] = ()
    every_tag: bool = False  # each of them must be some claim's
    exclude: tuple[str, ...] = ()
    git: bool = True  # what `.gitignore` names is left out
    budget: int | None = None
    max_padding: str | None = None
    top: int = module_file.PADDING_SHOWN
    jobs: int = 1
    backend: str = "local"
    scheduler: str | None = None
    include_outside: bool = False
    allow_empty: bool = False
    hints: bool = False
    places: Mapping[tuple[str, str], Place] = field(default_factory=dict)  # in the settings
    solver: str = "none"  # which one confirms proofs
    whole: bool = False  # whether the paths are those of the settings: all facts of those fit
    kernels: Mapping[str, frozenset[str]] = field(default_factory=dict)  # of a file, these alone
    first: bool = False  # nothing is judged after a claim that is not as expected
    assume: bool = True  # of sizes that a kernel's contract does not bound


def load(
    file: str,
    options: Options = Options(),
    cache: Cache | None = None,
    folder: str | None = None,
) -> Loaded:
    """What a file holds, by the loader of its kind; a name of no known kind is a claims file.

    `folder` is where it was found, unless it was named itself.
    """
    project = project_of(folder or file, options.include_outside)
    try:
        project.admit(file)
    except LayoutError as error:
        return Loaded(file, (), (Problem.of(error, Place(file, 1)),))
    return _load(file, options, cache, folder, project)


def settings_of(options: Options, cache: Cache | None = None) -> Settings:
    """What contracts are read under."""
    remember = memory() if cache is None else cache.remember
    return Settings(options.assume, tuple(o.text for o in options.where), remember)


def _load(
    file: str, options: Options, cache: Cache | None, folder: str | None, project: Project
) -> Loaded:
    own = within(project)
    if _is_module(file, own):
        return module_file.load(file, own, options.max_padding, cache, options.top)
    if ends_in(file, comments.SUFFIXES):
        in_folder = folder is not None
        names = options.kernels.get(file)
        lenient = in_folder and options.allow_empty
        return comments.load(file, own, in_folder, lenient, names, settings_of(options, cache))
    result = claims_file.load(file, project, cache)
    if result.problems and result.problems[0].code == "SL500" and not file.endswith(".toml"):
        kinds = ", ".join(k for k in KINDS if k not in C_SUFFIXES)
        help = f"what is read: {kinds}, and sources in C, C++ and CUDA; any other file as TOML"
        first = replace(result.problems[0], help=help)
        return replace(result, problems=(first, *result.problems[1:]))
    return result


def check(
    paths: Iterable[str],
    options: Options = Options(),
    *,
    cache: Cache | None = None,
    progress: Progress = silent,
) -> Report:
    """Checks every claim of the files and folders; bad input is reported and loses nothing else.

    MLIR of another dialect is passed over in a folder; a file that is named is read.
    """
    named = {p: options.places.get(("paths", p), Place(p, 1)) for p in paths}
    projects: dict[str, Project] = {}
    problems: list[Problem] = []
    for path, place in named.items():
        try:
            projects[path] = project_named(path, options.include_outside)
        except LayoutError as error:
            problems.append(Problem.of(error, place))
    named = {p: place for p, place in named.items() if p in projects}
    report = _check(named, options, cache, progress, within(*projects.values()))
    return replace(report, problems=(*problems, *report.problems))


def _check(
    named: Mapping[str, Place],
    options: Options,
    cache: Cache | None,
    progress: Progress,
    within: Within,
) -> Report:
    """The check of paths, each with the place that names it."""
    problems: list[Problem] = []
    files = _files(named, options, problems, within)
    names = [f for f, folder in files.items() if folder is not None]
    others = dict.fromkeys(f for f in names if module_file.of_another_dialect(f, within))
    earlier = best_stages(f for f in names if f not in others)[1]
    files = {f: folder for f, folder in files.items() if f not in others and f not in earlier}
    loaded = list(_load_all(files, options, cache))
    hidden, every = list[str](), [e for one in loaded for e in one.entries]
    problems += silence.wrong_endings(named, options.exclude, options.git, hidden, within)
    binary = silence.binary_modules(named, files, options.exclude, options.git, within)
    if not options.allow_empty:
        problems += silence.not_read(binary, named)
        others_named = {path: place for path, place in named.items() if path not in binary}
        problems += silence.nothing(others_named, files, loaded, within)
        tags = {t: options.places.get(("tags", t)) for t in options.tags}
        problems += silence.no_tag(tags, every, options.every_tag) if every else ()
    left = [(one.file, one.left) for one in loaded if one.left]
    # source code without claims is not worth counting
    notes = [one.note for one in loaded if one.note]
    loaded = [x for x in loaded if x.entries or x.problems or not silence.is_source(x.file)]
    loaded = [under(one, options) for one in loaded]
    entries = [e for one in loaded for e in one.entries if selected(e, options)]
    problems += dict.fromkeys(p for one in loaded for p in one.problems)
    problems += (*_unfit_facts(options, every), *_unread_facts(options.where, entries))
    passed: list[tuple[list[str], Callable[[list[str]], str]]] = [
        (list(others), partial(module_file.dialect_note, within=within)),
        (earlier, module_file.stage_note),
    ]
    passed.append((silence.hidden_claims(hidden, named), silence.hidden_note))
    let_pass = [f for names in binary.values() for f in names] if options.allow_empty else []
    passed.append((let_pass, silence.binary_note))
    texts = [(some[0], note(some)) for some, note in passed if some]
    notes += [text for _, text in texts]
    results = run(entries, options, cache=cache, progress=progress, within=within)
    if len(results) < len(entries):
        rest = f"{len(entries) - len(results)} not judged"
        notes.append(f"stopped at the first claim that is not as expected: {rest}")
    return Report(
        tuple(results),
        tuple(problems),
        tuple(one.file for one in loaded),
        tuple(notes),
        tuple(row for one in loaded for row in one.padding),
        tuple(m for one in loaded for m in one.modules),
        tuple(launch for one in loaded for launch in one.launches),
        (*left, *texts),
    )


def _files(
    named: Mapping[str, Place], options: Options, problems: list[Problem], within: Within
) -> dict[str, str | None]:
    """The files of the paths, each with the folder that it was found in."""
    files: dict[str, str | None] = {}
    for path, place in named.items():
        unread: list[LayoutError] = []
        try:
            for file in discover([path], within, KINDS, options.exclude, options.git, unread):
                files.setdefault(file, None if file in named else path)
        except LayoutError as error:
            unread.append(error)
        problems += [Problem.of(error, place) for error in unread]
    return files


def _unread_facts(facts: Iterable[Origin], entries: Iterable[Task | Result]) -> Iterator[Problem]:
    """The mistakes in facts for all claims that no claim takes, and would say."""
    origins = {o for e in entries if isinstance(e, Task) for o in e.origins}
    rest = [o for o in facts if o not in origins and not FUNCTION.search(o.text)]
    if rest:
        from symlayout.expr.choices import read_cases
    for o in rest:
        try:
            read_cases(o.text)
        except LayoutError as error:
            yield claims_file.locate(error, (o,), o.place)


def _is_module(file: str, within: Within) -> bool:
    """Whether a file holds a compiler's module, by its name, or else by its first words."""
    if ends_in(file, module_file.SUFFIXES):
        return True
    if file.endswith(claims_file.SUFFIX) or ends_in(file, comments.SUFFIXES):
        return False
    return module_file.language(file, within) != ""


def _load_all(
    files: Mapping[str, str | None], options: Options, cache: Cache | None
) -> Iterator[Loaded]:
    """What each file holds; workers get ready once there is work for them."""
    local = options.backend == "local" and options.jobs > 1
    waiting = 0 if local else None
    for file, folder in files.items():
        loaded = _safe_load(file, options, cache, folder)
        yield loaded
        if waiting is not None:
            keys = [key(t) for t in under(loaded, options).entries if isinstance(t, Task)]
            waiting += len(keys) if cache is None else cache.unknown(keys)
            if waiting >= WORTH_WORKERS:
                from symlayout.checks.processes import make_ready

                make_ready()
                waiting = None


def _safe_load(
    file: str, options: Options, cache: Cache | None, folder: str | None = None
) -> Loaded:
    """What a file holds; a failure of ours on one file does not lose the results of others."""
    try:
        return load(file, options, cache, folder)
    except (Exception, RecursionError) as error:
        message = internal(error).removeprefix("SL900: ")
        return Loaded(file, (), (Problem("SL900", message, Place(file, 1)),))


def selected(entry: Task | Result, options: Options) -> bool:
    """Whether a claim has one of the tags asked for; one that cannot be read always counts."""
    return not options.tags or isinstance(entry, Result) or bool({*entry.tags} & {*options.tags})


def under(loaded: Loaded, options: Options) -> Loaded:
    """The file's claims under the facts and the budget that hold for all.

    A name of a fact that neither a claim of the file nor another fact has is a mistake.
    """
    if options.solver != "none":
        rows = [
            replace(e, solver=options.solver) if isinstance(e, Task) else e for e in loaded.entries
        ]
        loaded = replace(loaded, entries=tuple(rows))
    tasks = [e for e in loaded.entries if isinstance(e, Task)]
    if not (tasks and (options.where or options.budget)):
        return loaded
    drafts = {id(t): Draft.of(t, options.where) for t in tasks}
    errors = unknown_names(tuple(drafts.values()))
    entries = tuple(
        replace(drafts[id(e)], budget=options.budget).finished(errors) if isinstance(e, Task) else e
        for e in loaded.entries
    )
    mistakes = (claims_file.locate(e, (o,), o.place) for o, e in errors.items())
    return replace(loaded, entries=entries, problems=(*loaded.problems, *mistakes))


def _unfit_facts(options: Options, entries: Sequence[Task | Result]) -> Iterator[Problem]:
    """The facts for all claims that fit none: those of the settings where all is checked."""
    tasks = [e for e in entries if isinstance(e, Task)]
    facts = [o for o in options.where if options.whole or o.place.file == "--where"]
    if not facts or len(tasks) < len(entries):
        return
    texts = [t for e in tasks for t in (*e.claim.texts, *e.claim.facts)]
    fit = relevant(options.where, dict.fromkeys(texts))
    for o in facts:
        if o not in fit and not o.text.startswith(SYMBOL):
            yield Problem("SL301", f"no claim has the names of {o.text!r}", o.place)


def run(
    entries: Sequence[Task | Result],
    options: Options = Options(),
    *,
    cache: Cache | None = None,
    progress: Progress = silent,
    within: Within = NOWHERE,
) -> list[Result]:
    """A result for every entry, in the same order; equal claims are judged once.

    With `options.first` only for those that were judged until one was not as expected.
    """
    keys = [key(e) if isinstance(e, Task) else "" for e in entries]
    tasks = {k: e for k, e in zip(reversed(keys), reversed(entries)) if isinstance(e, Task)}
    names = cache.get(tasks) if cache else {}
    cached = frozenset(names)
    missing = [t for k, t in reversed(tasks.items()) if k not in names]
    targets: dict[str, set[str]] = {}
    for k, e in zip(keys, entries):
        targets.setdefault(k, set()).add(e.expect if isinstance(e, Task) else "")
    if options.first and any(
        k == "" or (k in names and targets[k] != {names[k].status}) for k in keys
    ):
        missing = []
    foremost = Foremost(entries if options.hints else (), cache)
    with Pool(options.jobs, options.backend, options.scheduler) as pool:
        for done, (number, outcome) in enumerate(pool.outcomes(missing)):
            task = missing[number]
            progress(done, len(missing), task.name)
            names[key(task)] = outcome
            if cache:
                cache.put(task, outcome)
            if options.first and targets[key(task)] != {outcome.status}:
                break
            for refuted in foremost.among(names):
                pool.begin_hint(refuted)
        results = [
            e if isinstance(e, Result) else Result(e.under(names[k].assumed), names[k], k in cached)
            for k, e in zip(keys, entries)
            if isinstance(e, Result) or k in names
        ]
        if not options.hints:
            return results
        return with_hints(
            results, cache, pool.hints, settings=settings_of(options, cache), within=within
        )
