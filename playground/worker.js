// The package in a thread of its own: a question comes in as JSON, its answer goes out as JSON.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const fetched = async (name) => {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
};

let answer = null;
const waiting = [];
let solver = false;

async function start() {
  const packages = fetched("packages.zip");
  const python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  postMessage({ state: "unpacking" });
  python.unpackArchive(await packages, "zip", { extractDir: "/lib/symlayout" });
  python.runPython("import sys; sys.path.insert(0, '/lib/symlayout')");
  postMessage({ state: "loading SymPy" });
  const bridge = python.pyimport("bridge");
  bridge.start();
  answer = (text) => bridge.answer(text);
  postMessage({ state: "ready", numpy: python.runPython("'stand_in' not in vars(sys.modules['numpy'])") });
  while (waiting.length) reply(waiting.shift());
  // proofs in digits need no solver: it is unpacked once the first answers are given
  setTimeout(async () => {
    try {
      python.unpackArchive(await fetched("solver.zip"), "zip", { extractDir: "/lib/symlayout" });
      solver = true;
    } catch (error) {
      solver = false; // what only the solver can prove stays unknown
    }
    postMessage({ state: "complete", solver });
  }, 1500);
}

function reply(question) {
  const begun = performance.now();
  const text = answer(JSON.stringify(question));
  postMessage({ id: question.id, ask: question.ask, answer: JSON.parse(text), took: performance.now() - begun });
}

onmessage = (event) => (answer ? reply(event.data) : waiting.push(event.data));
start().catch((error) => postMessage({ state: "failed", error: String(error.message || error) }));
