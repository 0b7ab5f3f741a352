// The package in a thread of its own: a question comes in as JSON, its answer goes out as JSON.
// Where the page is opened from a disk, the files come with it as bytes and nothing is fetched.
const held = new Map();
const NOWHERE = "https://files.invalid/";

const fetched = async (name) => {
  if (held.size) return held.get(name);
  const response = await fetch(new URL(name, self.location.href));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
};
const script = (name) => {
  if (!held.size) return import(new URL(name, self.location.href).href);
  return import(URL.createObjectURL(new Blob([held.get(name)], { type: "text/javascript" })));
};

let answer = null;
const waiting = [];
let solver = false;

async function settings() {
  if (!held.size) return { indexURL: new URL("pyodide/", self.location.href).href };
  const types = { wasm: "application/wasm", json: "application/json" };
  globalThis.fetch = async (address) => {
    const name = String(address.url || address).replace(NOWHERE, "");
    if (!held.has(name)) throw new TypeError(`${name} is not held`);
    return new Response(held.get(name), { headers: { "content-type": types[name.split(".").pop()] || "text/plain" } });
  };
  const made = await script("pyodide/pyodide.asm.mjs");
  return { indexURL: `${NOWHERE}pyodide/`, createPyodideModule: made.default };
}

async function start() {
  const packages = fetched("packages.zip");
  const { loadPyodide } = await script("pyodide/pyodide.mjs");
  const python = await loadPyodide(await settings());
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

function begin() {
  start().catch((error) => postMessage({ state: "failed", error: String(error.message || error) }));
}
onmessage = ({ data }) => {
  if (data.files) {
    for (const [name, bytes] of data.files) held.set(name, bytes);
    begin();
  } else if (answer) reply(data);
  else waiting.push(data);
};
if (self.name === "served") begin();
