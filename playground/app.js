// The page: reads the fields, asks the worker, shows its answers. Every text is set as text.
"use strict";
const at = (id) => document.getElementById(id);
const FIELDS = ["layout", "word", "arguments", "facts"];
const EXAMPLES = [
  ["a TPU's tiles", "f32[M,N]{1,0:T(8,128)}", "injective", "", ""],
  ["an index by hand, rounded down", "f32[M,N]{1,0:T(8,128)}", "formula", "((i//8)*(N//128) + j//128)*1024 + (i%8)*128 + j%128", ""],
  ["the same, where 128 divides N", "f32[M,N]{1,0:T(8,128)}", "formula", "((i//8)*(N//128) + j//128)*1024 + (i%8)*128 + j%128", "N % 128 == 0"],
  ["two rows packed for 16 bits", "bf16[M,N]{1,0:T(8,128)(2,1)}", "bijective", "", "M % 8 == 0\nN % 128 == 0"],
  ["zN and XLA's tiles", "zN(f16,R,C)", "equal", "f16[R,C]{0,1:T(16,16)(16,1)}", ""],
  ["a pitch that may be too short", "strided f32[M,N] strides(S,1)", "injective", "", ""],
  ["a swizzle and its banks", "Swizzle(3,3,3) o 0 o (8,64):(64,1)", "bijective", "", ""],
  ["grouped program ids", "map p < M*N: f = p//(G*N)*G; w = min(M - f, G); (f + p%(G*N)%w, p%(G*N)//w) in (M, N)", "bijective", "", ""],
  ["a grid without its guard", "map b < ceildiv(n, B), t < B: b*B + t in n", "bounded", "", ""],
  ["a product that leaves 32 bits", "map r < R, c < C: r*C + c", "fits", "", "R <= 1048576\nC <= 8192"],
  ["CuTe's division", "zipped_divide((8*M,4*N):(4*N,1), (8,4))", "bijective", "", ""],
];

let worker = null;
let second = null; // conditions take longer: a worker of their own, so that verdicts need not wait
let busy = false; // with a condition
let wanted = null; // the next one
let number = 0;
let newest = { look: 0, judge: 0, condition: 0 };
let sizes = "";
let timer = 0;
let codes = {};
let tab = "python";

function text(id, value) { at(id).textContent = value; }

function pairs(id, rows) {
  at(id).replaceChildren(...rows.flatMap(([name, value]) => {
    const term = document.createElement("dt"), shown = document.createElement("dd");
    term.textContent = name;
    shown.textContent = value;
    return [term, shown];
  }));
}

// -- the question ----------------------------------------------------------------------------------

function question() {
  return Object.fromEntries([...FIELDS.map((name) => [name, at(name).value]), ["sizes", sizes]]);
}

function fill(values) {
  FIELDS.forEach((name, k) => { at(name).value = values[k]; });
  if (!at("word").value) at("word").value = "injective";
  sizes = "";
  changed();
}

function link() {
  const held = new URLSearchParams(Object.entries(question()).filter(([, value]) => value !== ""));
  history.replaceState(null, "", `#${held}`);
}

function fromLink() {
  const held = new URLSearchParams(location.hash.slice(1));
  if (!held.has("layout")) return false;
  FIELDS.forEach((name) => { at(name).value = held.get(name) || ""; });
  if (!at("word").value) at("word").value = "injective";
  sizes = held.get("sizes") || "";
  changed();
  return true;
}

function changed() {
  const word = WORDS.find((row) => row.word === at("word").value);
  at("arguments-label").hidden = word.more.length === 0;
  text("meaning", word.meaning);
  at("arguments").placeholder = word.more.join(" ");
  link();
  clearTimeout(timer);
  timer = setTimeout(() => ["look", "judge"].forEach(ask), 120);
}

function ask(what) {
  number += 1;
  newest[what] = number;
  const asked = { ...question(), ask: what, id: number };
  if (what === "judge") { // what was answered before is not about this
    at("verdict").dataset.status = "waiting";
    text("status", "judging ...");
    ["took", "command", "condition"].forEach((id) => text(id, ""));
    pairs("rows", []);
  }
  if (what !== "condition") return worker.postMessage(asked);
  text("condition", "looking for the sizes at which it holds ...");
  wanted = asked;
  next();
}

function next() {
  if (busy || wanted === null) return;
  if (second === null) {
    second = thread();
    second.onmessage = (event) => {
      if (event.data.state) return;
      busy = false;
      heard(event);
      next();
    };
  }
  second.postMessage(wanted);
  busy = true;
  wanted = null;
}

// -- the answer ------------------------------------------------------------------------------------

function mistake(answer) {
  at("mistake").hidden = !answer.error;
  text("code", answer.code || "");
  text("message", answer.error || "");
  text("help", answer.help ? `help: ${answer.help}` : "");
}

const SHOW = {
  look(answer) {
    at("code-tabs").hidden = Boolean(answer.error);
    if (answer.error) {
      ["picture", "swizzle", "lines"].forEach((id) => at(id).replaceChildren());
      mistake(answer);
      return;
    }
    pairs("lines", answer.model.lines);
    at("swizzle").replaceChildren();
    if (answer.picture) {
      // an SVG of our own printing, read as XML: its texts are escaped, and the policy lets no script run
      const made = new DOMParser().parseFromString(answer.picture, "image/svg+xml").documentElement;
      at("picture").replaceChildren();
      at("swizzle").append(document.importNode(made, true));
    } else {
      symlayoutPicture.mount(at("picture"), answer.model, (now) => {
        sizes = [...now].map(([name, value]) => `${name}=${value}`).join(",");
        link();
      });
    }
    codes = answer.code;
    showCode();
  },
  judge(answer, took) {
    at("verdict").hidden = Boolean(answer.error);
    mistake(answer);
    if (answer.error) return;
    at("verdict").dataset.status = answer.status;
    text("status", answer.status);
    text("took", `${Math.max(1, Math.round(took))} ms`);
    pairs("rows", answer.rows);
    text("command", answer.command);
    text("condition", "");
    newest.condition = 0;
    if (answer.status === "refuted" && Object.keys(answer.sizes).length) ask("condition");
  },
  condition(answer) {
    const known = !answer.error && answer.strength !== "unknown" && answer.strength !== "vacuous";
    text("condition", known ? `it holds ${answer.sentence}` : "");
  },
};

function showCode() {
  at("tabs").replaceChildren(...Object.keys(codes).map((kind) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind;
    button.setAttribute("role", "tab");
    button.setAttribute("aria-selected", String(kind === tab));
    button.addEventListener("click", () => { tab = kind; showCode(); });
    return button;
  }));
  text("emitted", codes[tab] || "");
}

function heard(event) {
  const { state, id, ask: what, answer, took, error } = event.data;
  if (state) {
    const first = performance.now();
    const words = { ready: "ready", complete: "ready", failed: `it did not start: ${error}` };
    text("state", words[state] || `${state} ...`);
    document.body.dataset.state = state;
    if (state === "ready") document.body.dataset.ready = String(Math.round(first));
    if (state === "complete") document.body.dataset.solver = String(event.data.solver);
    return;
  }
  if (id !== newest[what]) return; // an answer to what is no longer asked
  SHOW[what](answer, took);
  if (what === "judge" && !document.body.dataset.first) document.body.dataset.first = String(Math.round(performance.now()));
  document.body.dataset.answered = String(id);
  document.body.dataset.took = String(Math.round(took));
}

// -- the start -------------------------------------------------------------------------------------

// A worker: of the server's file, or, where the page is opened from a disk, of bytes that came with it.
let files = null;
function decoded(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text), made = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k += 1) made[k] = letters.charCodeAt(k);
  return made;
}
function thread() {
  if (location.protocol !== "file:") return new Worker("worker.js", { type: "module", name: "served" });
  files = files || HELD.splice(0).map(([name, text]) => [name, decoded(text)]);
  const code = files.find(([name]) => name === "worker.js")[1];
  const made = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  made.postMessage({ files });
  return made;
}

function begin() {
  for (const [k, row] of EXAMPLES.entries()) at("example").append(new Option(row[0], String(k)));
  for (const row of WORDS) at("word").append(new Option(row.word, row.word));
  worker = thread();
  worker.onmessage = heard;
  worker.onerror = (event) => text("state", `it did not start: ${event.message || "no worker can be started"}`);
  at("example").addEventListener("change", () => at("example").value && fill(EXAMPLES[Number(at("example").value)].slice(1)));
  for (const name of FIELDS) at(name).addEventListener("input", () => { if (name === "layout") sizes = ""; changed(); });
  window.addEventListener("hashchange", () => {
    if (String(new URLSearchParams(Object.entries(question()).filter(([, v]) => v !== ""))) !== location.hash.slice(1)) fromLink();
  });
  at("question").addEventListener("submit", (event) => event.preventDefault());
  if (!fromLink()) fill(EXAMPLES[1].slice(1));
}
if (location.protocol !== "file:") begin();
else {
  text("state", "reading the files ...");
  const bytes = document.createElement("script");
  bytes.src = "held.js";
  bytes.addEventListener("load", begin);
  bytes.addEventListener("error", () => text("state", "it did not start: held.js is missing"));
  document.head.append(bytes);
}
