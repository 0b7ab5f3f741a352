// Compiles a folder of Python for Pyodide's own version and packs it: `node precompile.mjs PYODIDE IN OUT`.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [where, from, to] = process.argv.slice(2).map((p) => path.resolve(p));
const { loadPyodide } = await import(pathToFileURL(path.join(where, "pyodide.mjs")).href);
const python = await loadPyodide();
python.FS.mkdirTree("/in");
python.FS.mkdirTree("/out");
python.mountNodeFS("/in", from);
python.mountNodeFS("/out", path.dirname(to));
python.globals.set("target", "/out/" + path.basename(to));
python.runPython(`
import os, py_compile, zipfile
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as z:
    for folder, _, names in sorted(os.walk("/in")):
        for name in sorted(names):
            file = os.path.join(folder, name)
            place = os.path.relpath(file, "/in")
            info = zipfile.ZipInfo(place + "c" if name.endswith(".py") else place, (2020, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            if name.endswith(".py"):
                made = py_compile.compile(file, "/tmp/made.pyc", "/lib/symlayout/" + place, doraise=True,
                                          invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
                file = "/tmp/made.pyc"
            with open(file, "rb") as held:
                z.writestr(info, held.read())
`);
process.exit(0);
