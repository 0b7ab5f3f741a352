"""Builds the playground: `python playground/build.py FOLDER [--serve]`.

Pyodide comes from npm, SymPy, mpmath and Z3 from the package index, each of a version whose hash is
written here; they are fetched once into a cache.  The folder holds all that the page needs.
"""

from __future__ import annotations

import argparse
import base64
import functools
import hashlib
import http.server
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
PAGE = ("index.html", "style.css", "app.js", "worker.js")
RUNTIME = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
PYODIDE = "pyodide-314.0.7.tgz"
SOLVER = "z3_solver-5.3.3.0-py3-none-pyemscripten_2026_0_wasm32.whl"
PINNED = {
    PYODIDE: "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0",
    "mpmath-1.4.1-py3-none-any.whl": "dc4f0ea2304480d4a9a48a94c1020571558ade522b44a6912efac63a586e140f",
    "sympy-1.14.0-py3-none-any.whl": "e091cc3e99d2141a0ba2847328f5479b05d94a6635cb96148ccb3f34671bd8f5",
    SOLVER: "9381d9516345f53b21a8f4df243c5d608e9625aac658c3fb3975457bad260f60",
}
PLATFORM = ("--platform", "pyemscripten_2026_0_wasm32", "--python-version", "3.14")


def fetched(name: str, cache: Path) -> Path:
    """A pinned file in the cache, fetched when it is not there.

    Raises `SystemExit` for a file whose hash is another one.
    """
    file = cache / name
    if not file.is_file():
        project, version = name.removesuffix(".tgz").split("-")[:2]
        with tempfile.TemporaryDirectory() as folder:
            if name.endswith(".tgz"):
                command = ["npm", "pack", "--silent", f"{project}@{version}"]
            else:
                wanted = f"{project}=={version}"
                command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
                command += ["--only-binary", ":all:", *PLATFORM, wanted]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            cache.mkdir(parents=True, exist_ok=True)
            shutil.move(str(Path(folder) / name), file)
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != PINNED[name]:
        raise SystemExit(f"{file}: its hash is {found}, not {PINNED[name]}")
    return file


def runtime(cache: Path, folder: Path) -> None:
    """Pyodide's own files."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fetched(PYODIDE, cache)) as archive:
        for name in RUNTIME:
            member = archive.extractfile(f"package/{name}")
            assert member is not None
            (folder / name).write_bytes(member.read())


def unpacked(wheel: Path, folder: Path) -> None:
    """A wheel's modules, without their tests."""
    with zipfile.ZipFile(wheel) as z:
        for name in z.namelist():
            parts = name.split("/")
            if (
                not {"tests", "benchmarks", "testing"} & set(parts[1:-1])
                and ".dist-info" not in name
            ):
                z.extract(name, folder)


def packages(cache: Path, made: Path) -> None:
    """Everything that is imported, compiled for the browser's Python, and the solver apart."""
    with tempfile.TemporaryDirectory() as text:
        first, second = Path(text) / "packages", Path(text) / "solver"
        for name in PINNED:
            if name.endswith(".whl") and name != SOLVER:
                unpacked(fetched(name, cache), first)
        ours = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(ROOT / "symlayout", first / "symlayout", ignore=ours)
        shutil.copy(HERE / "bridge.py", first)
        unpacked(fetched(SOLVER, cache), second)
        for folder, name in ((first, "packages.zip"), (second, "solver.zip")):
            command = ["node", str(HERE / "precompile.mjs"), str(made / "pyodide"), str(folder)]
            subprocess.run([*command, str(made / name)], check=True)


def words() -> str:
    """The claim words for the page, as a script."""
    sys.path.insert(0, str(ROOT))
    from symlayout.layouts.vocabulary import CLAIMS

    rows = [
        {
            "word": c.word,
            "more": list(c.arguments[c.arguments[0] not in ("TEXT", "RELATION") :]),
            "meaning": c.meaning,
        }
        for c in CLAIMS.values()
    ]
    return f"const WORDS = {json.dumps(rows)};\n"


def held(made: Path) -> str:
    """The files that a worker needs, as a script: a page that is opened from a disk can fetch none."""
    names = [*(f"pyodide/{name}" for name in RUNTIME), "packages.zip", "solver.zip", "worker.js"]
    rows = [[name, base64.b64encode((made / name).read_bytes()).decode()] for name in names]
    return f"const HELD = {json.dumps(rows)};\n"


def build(made: Path, cache: Path) -> None:
    """The whole folder."""
    made.mkdir(parents=True, exist_ok=True)
    runtime(cache, made / "pyodide")
    packages(cache, made)
    for name in PAGE:
        shutil.copy(HERE / name, made)
    shutil.copy(ROOT / "symlayout" / "render" / "draw" / "picture.js", made)
    (made / "words.js").write_text(words(), encoding="utf-8")
    (made / "held.js").write_text(held(made), encoding="utf-8")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of the folder, said to be what they are, and nothing printed."""

    extensions_map = {  # noqa: RUF012
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


def server(made: Path, port: int = 0) -> http.server.ThreadingHTTPServer:
    """A server of the folder, for this machine alone."""
    handler = functools.partial(Handler, directory=str(made))
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)


def main() -> None:
    """Builds, and serves where it is asked for."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("folder", type=Path)
    p.add_argument("--cache", type=Path, default=home / "symlayout-playground")
    p.add_argument("--serve", action="store_true", help="and serve it on this machine")
    args = p.parse_args()
    build(args.folder, args.cache)
    size = sum(f.stat().st_size for f in args.folder.rglob("*") if f.is_file())
    print(f"{args.folder}: {size / 1e6:.1f} MB")
    if args.serve:
        served = server(args.folder, 8000)
        print("http://127.0.0.1:8000/")
        served.serve_forever()


if __name__ == "__main__":
    main()
