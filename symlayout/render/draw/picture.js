// The picture of a layout or a map whose sizes change, from a model (model.py): numbers, names and
// steps. No text becomes code or markup: every text is set as the text of an element.
const symlayoutPicture = (() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const FILLS = ["#cfe3f7", "#fbe3c0", "#d5ecd4", "#eadcf2", "#f7d4d4", "#e6e6c8"];
  const OUTLINES = [["#1f2328", 2, ""], ["#cf222e", 1.2, "4 2"], ["#0550ae", 1, "1 2"]];
  const HIGH = 22, LABEL = 34, GAP = 14, HATCH = 7, NARROW = 26;
  const MOST_ROWS = 24, MOST_COLUMNS = 18, MOST_MAP_COLUMNS = 64, MOST_GRIDS = 4;
  const MOST_CELLS = 1 << 16;

  // -- arithmetic --------------------------------------------------------------------------------

  const mod = (a, b) => (b === 0 ? 0 : a - b * floor(a, b));
  function floor(a, b) {
    if (b === 0) return 0;
    const rest = a % b;
    const whole = (a - rest) / b;
    return rest !== 0 && rest < 0 !== b < 0 ? whole - 1 : whole;
  }
  const bits = (f) => (a, b) => Number(f(BigInt(a), BigInt(b)));
  const OPERATIONS = new Map([
    ["+", (a, b) => a + b],
    ["-", (a, b) => a - b],
    ["*", (a, b) => a * b],
    ["//", floor],
    ["ceildiv", (a, b) => -floor(-a, b) + 0],
    ["c/", (a, b) => (b === 0 ? 0 : Math.trunc((a - (a % b)) / b) + 0)],
    ["min", Math.min],
    ["max", Math.max],
    ["<", (a, b) => (a < b ? 1 : 0)],
    ["<<", (a, b) => a * 2 ** b],
    [">>", (a, b) => floor(a, 2 ** b)],
    ["&", bits((a, b) => a & b)],
    ["|", bits((a, b) => a | b)],
    ["^", bits((a, b) => a ^ b)],
  ]);

  // The steps with places in one row of numbers instead of names: names are looked up once.
  const READY = new WeakMap();
  function ready(expression) {
    if (READY.has(expression)) return READY.get(expression);
    const places = new Map(), inputs = [], constants = [];
    const place = (x) => {
      if (!places.has(x)) {
        places.set(x, places.size);
        (typeof x === "number" ? constants : inputs).push([places.get(x), x]);
      }
      return places.get(x);
    };
    const steps = expression.steps.map(([target, op, a, b]) => {
      const [one, two] = [place(a), place(b)];
      places.set(target, places.size);
      return [OPERATIONS.get(op), one, two, places.get(target)];
    });
    const made = { steps, value: place(expression.value), inputs };
    made.row = new Array(places.size).fill(0);
    for (const [at, number] of constants) made.row[at] = number;
    READY.set(expression, made);
    return made;
  }
  function value(expression, env) {
    const { steps, value, inputs, row } = ready(expression);
    for (const [at, name] of inputs) row[at] = env.get(name);
    for (const [f, a, b, target] of steps) row[target] = f(row[a], row[b]);
    if (!Number.isSafeInteger(row[value])) throw new Error("a number is too large for a picture");
    return row[value];
  }
  function holds(c, env) {
    if (c[0] === "<") return value(c[1], env) < value(c[2], env);
    return c[0] === "and" ? holds(c[1], env) && holds(c[2], env) : holds(c[1], env) || holds(c[2], env);
  }

  // -- drawing -----------------------------------------------------------------------------------

  function element(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, v] of Object.entries(attributes || {})) made.setAttribute(key, String(v));
    if (text !== undefined) made.textContent = text;
    return made;
  }

  class Canvas {
    constructor() {
      this.wide = this.high = 0;
      this.cells = element("g", { fill: "#1f2328" });
      this.lines = element("g", { "pointer-events": "none", fill: "none" });
    }
    reach(x, y) {
      this.wide = Math.max(this.wide, x);
      this.high = Math.max(this.high, y);
    }
    group(x, y, w, h, title) {
      this.reach(x + w, y + h);
      const g = element("g");
      g.append(element("title", {}, title));
      this.cells.append(g);
      return g;
    }
    cell(x, y, w, h, text, fill, title) {
      const g = this.group(x, y, w, h, title);
      g.append(element("rect", { x, y, width: w, height: h, fill }));
      g.append(element("text", { x: x + w / 2, y: y + h / 2 + 0.5 }, text));
    }
    hatched(x, y, w, h, text, title) {
      const g = this.group(x, y, w, h, title);
      g.setAttribute("data-padding", "1");
      g.append(element("rect", { x, y, width: w, height: h, fill: "#8b949e", "fill-opacity": ".12" }));
      let d = "";
      for (let k = HATCH; k < Math.trunc(w + h); k += HATCH) {
        const low = Math.min(k, h), right = Math.min(k, w);
        d += `M${x + k - low} ${y + low}L${x + right} ${y + k - right}`;
      }
      g.append(element("path", { d, stroke: "#8b949e", "stroke-opacity": ".45", fill: "none" }));
      g.append(element("text", { x: x + w / 2, y: y + h / 2 + 0.5, fill: "currentColor", opacity: ".6" }, text));
    }
    label(x, y, text, start) {
      const made = element("text", { x, y, fill: "currentColor", opacity: ".75" }, text);
      if (start) made.setAttribute("text-anchor", "start");
      this.cells.append(made);
      this.reach(start ? x + text.length * 6.7 : x, y + 8);
    }
    stroke(d, colour, width, dashes, opacity) {
      const made = element("path", { d, stroke: colour, "stroke-width": width });
      if (dashes) made.setAttribute("stroke-dasharray", dashes);
      if (opacity) made.setAttribute("stroke-opacity", opacity);
      this.lines.append(made);
    }
    svg(title, desc) {
      const wide = this.wide + GAP, high = this.high + GAP;
      const made = element("svg", {
        viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img", "aria-label": title,
        "font-family": "ui-monospace,Menlo,Consolas,monospace", "font-size": 11,
        "text-anchor": "middle", "dominant-baseline": "central",
      });
      made.append(element("title", {}, title), element("desc", {}, desc), this.cells, this.lines);
      return made;
    }
  }

  function shade(colour, steps) {
    const parts = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16) * 0.92 ** steps);
    return "#" + parts.map((p) => Math.round(p).toString(16).padStart(2, "0")).join("");
  }

  const range = (low, high) => Array.from({ length: Math.max(0, high - low) }, (_, k) => low + k);
  function pickInTiles(count, most, starts) {
    if (count <= most) return range(0, count);
    const edges = [...new Set([0, count, ...starts.filter((s) => 0 < s && s < count)])].sort((a, b) => a - b);
    for (let edge = Math.floor(most / 2); edge >= 1; edge -= 1) {
      const made = edges.slice(1).flatMap((high, k) => ends(edges[k], high, edge));
      if (made.length <= most) return made;
    }
    const half = Math.max(1, Math.floor((most - 1) / 2));
    const head = Math.max(0, ...edges.filter((e) => e <= half)) || half;
    const later = edges.filter((e) => e >= count - half && e < count);
    const tail = later.length ? Math.min(...later) : count - half;
    return [...range(0, head), null, ...range(tail, count)];
  }
  function ends(low, high, edge) {
    if (high - low <= 2 * edge + 1) return range(low, high);
    return [...range(low, low + edge), null, ...range(high - edge, high)];
  }

  function* boxes(sides) {
    if (!sides.length) return void (yield []);
    for (const rest of boxes(sides.slice(0, -1))) {
      for (let k = 0; k < sides[sides.length - 1]; k += 1) yield [...rest, k];
    }
  }

  // -- layouts -----------------------------------------------------------------------------------

  function layout(model, env, canvas) {
    const shape = model.shape.map((d) => Math.max(0, value(d, env)));
    const size = shape.includes(0) ? 0 : value(model.size, env);
    const count = shape.reduce((a, b) => a * b, 1);
    if (count > MOST_CELLS || size > 16 * MOST_CELLS) throw new Error(`a picture of ${count} elements is too large`);
    const full = new Map(env);
    const at = (expression, coords) => {
      model.coords.forEach((name, k) => full.set(name, coords[k]));
      return value(expression, full);
    };
    const offset = (coords) => at(model.offset, coords);
    const taken = new Set();
    for (const coords of boxes(shape)) taken.add(offset(coords));
    const rank = shape.length;
    const rows = rank > 1 ? shape[rank - 2] : 1, columns = rank ? shape[rank - 1] : 1;
    let top = GAP, shown = 0;
    const outers = [...boxes(shape.slice(0, -2))];
    for (const outer of outers.slice(0, MOST_GRIDS)) {
      if (outer.length) {
        canvas.label(GAP, top + HIGH / 2, `[${outer.join(", ")}, :, :]`, true);
        top += HIGH;
      }
      const where = (r, c) => (rank ? [...outer, r, c].slice(-rank) : []);
      const ids = (r, c) => {
        const coords = where(r, c);
        return model.levels.map((level) => {
          const parts = level.map((e) => at(e, coords));
          return { parts, key: parts.join() };
        });
      };
      const cells = table((r, c) => offset(where(r, c)), rank, rows, columns, size, new Set(taken));
      top = sheet({ canvas, model, top, rows, columns, cells, ids, where }) + GAP;
      shown += 1;
    }
    if (outers.length > shown) {
      canvas.label(GAP, top, `... and ${outers.length - shown} more of these`, true);
      top += HIGH;
    }
    if (model.held !== null) canvas.label(GAP, top, `padding (hatched) holds ${model.held}`, true);
    const padding = size - taken.size;
    const waste = size > 0 && padding >= 0 ? `, ${padding} of them padding (${Math.round((100 * padding) / size)} %)` : "";
    return `shape (${shape.join(", ")}), ${size} offsets${waste}`;
  }

  function table(offset, rank, rows, columns, size, seen) {
    const line = (n, f) => Array.from({ length: n }, (_, k) => f(k));
    let wide = columns, high = rows;
    const fresh = (found) => {
      const inside = found.filter((x) => 0 <= x && x < size);
      const one = new Set(inside);
      if (one.size < inside.length || inside.some((x) => seen.has(x)) || found.some((x) => x < 0)) return false;
      inside.forEach((x) => seen.add(x));
      return one.size > 0;
    };
    if (rank && rows && columns) {
      while (fresh(line(rows, (r) => offset(r, wide)))) wide += 1;
      while (rank > 1 && fresh(line(wide, (c) => offset(high, c)))) high += 1;
    }
    return line(high, (r) => line(wide, (c) => {
      const x = offset(r, c);
      return x < size || !(rank && rows && columns) ? x : null;
    }));
  }

  function stepBorders(lines) {
    const found = new Map();
    if (lines.length < 3) return found;
    const step = (a, b) => {
      for (let k = 0; k < a.length; k += 1) if (a[k] !== null && b[k] !== null) return b[k] - a[k];
      return null;
    };
    const first = step(lines[0], lines[1]);
    for (let n = 2; n < lines.length; n += 1) if (step(lines[n - 1], lines[n]) !== first) found.set(n, 1);
    return found;
  }
  function levelBorders(lines) {
    const found = new Map();
    for (let n = 1; n < lines.length; n += 1) {
      for (let level = 0; level < (lines[n].length ? lines[n][0].length : 0); level += 1) {
        if (lines[n].every((id, k) => id[level].key !== lines[n - 1][k][level].key)) {
          found.set(n, level + 1);
          break;
        }
      }
    }
    return found;
  }
  const turned = (lines) => (lines.length ? lines[0].map((_, c) => lines.map((line) => line[c])) : []);

  function sheet({ canvas, model, top, rows, columns, cells, ids, where }) {
    const left = GAP + LABEL, begin = top + HIGH;
    if (!cells.length || !cells[0].length) {
      canvas.label(left, begin, "(no elements)", true);
      return begin + HIGH;
    }
    const high = cells.length, wide = cells[0].length;
    const known = model.levels.length && rows && columns ? cells.map((line, r) => line.map((_, c) => ids(r, c))) : null;
    const rowBorders = known ? levelBorders(known) : stepBorders(cells);
    const columnBorders = known ? levelBorders(turned(known)) : stepBorders(turned(cells));
    const outer = (borders) => [...borders].filter(([, level]) => level === 1).map(([n]) => n);
    const shownRows = pickInTiles(high, MOST_ROWS, [...outer(rowBorders), rows]);
    const shownColumns = pickInTiles(wide, MOST_COLUMNS, [...outer(columnBorders), columns]);
    const digits = Math.max(2, ...cells.map((line) => digitsOf(line[line.length - 1])), ...cells[high - 1].map(digitsOf));
    const cell = Math.max(digits > 3 ? 34 : 30, 8 * digits + 8);
    const tile = (r, c) => {
      if (!known) {
        const before = (borders, n) => [...borders.keys()].filter((b) => b <= n).length;
        return [7 * before(rowBorders, r) + before(columnBorders, c), 0];
      }
      const [first, ...others] = known[r][c].map((id) => id.parts);
      const sum = (list) => list.reduce((a, b) => a + b, 0);
      return [sum(first.map((x, k) => x * (first.length - k))), sum(others.map((o) => mod(sum(o), 2)))];
    };
    shownColumns.forEach((c, n) => canvas.label(left + (n + 0.5) * cell, begin - HIGH / 2, c === null ? "…" : String(c)));
    shownRows.forEach((r, m) => {
      const y = begin + m * HIGH;
      canvas.label(left - LABEL / 2, y + HIGH / 2, r === null ? "⋮" : String(r));
      shownColumns.forEach((c, n) => {
        const x = left + n * cell;
        if (r === null || c === null || cells[r][c] === null) return;
        const offset = cells[r][c];
        if (r >= rows || c >= columns) {
          canvas.hatched(x, y, cell, HIGH, String(offset), `padding: offset ${offset}`);
          return;
        }
        const byte = model.bits && model.bits % 8 === 0 ? `, byte ${(offset * model.bits) / 8}` : "";
        const [number, depth] = tile(r, c);
        const fill = shade(FILLS[mod(number, FILLS.length)], depth);
        canvas.cell(x, y, cell, HIGH, String(offset), fill, `(${where(r, c).join(", ")}): offset ${offset}${byte}`);
      });
    });
    const right = left + shownColumns.length * cell, bottom = begin + shownRows.length * HIGH;
    const line = (d, level) => canvas.stroke(d, ...OUTLINES[Math.min(level, OUTLINES.length) - 1]);
    shownRows.forEach((r, n) => rowBorders.has(r) && line(`M${left} ${begin + n * HIGH}H${right}`, rowBorders.get(r)));
    shownColumns.forEach((c, n) => columnBorders.has(c) && line(`M${left + n * cell} ${begin}V${bottom}`, columnBorders.get(c)));
    canvas.stroke(`M${left} ${begin}H${right}V${bottom}H${left}Z`, "#8b949e", 1);
    return bottom;
  }
  const digitsOf = (x) => (x === null ? 0 : String(x).length);

  // -- maps --------------------------------------------------------------------------------------

  function* points(model, env, k = 0, coords = []) {
    if (k === model.variables.length) {
      if (model.guard === null || holds(model.guard, env)) yield [coords, env];
      return;
    }
    const [name, low, high] = model.variables[k];
    const stop = value(high, env);
    for (let x = value(low, env); x < stop; x += 1) yield* points(model, new Map(env).set(name, x), k + 1, [...coords, x]);
  }

  function map(model, env, canvas) {
    const reached = [];
    for (const [point, full] of points(model, env)) {
      if (reached.length === MOST_CELLS) throw new Error(`a picture of more than ${MOST_CELLS} points is too large`);
      reached.push([point, model.results.map((e) => value(e, full))]);
    }
    const one = model.results.length === 1;
    const pairs = one ? reached : reached.map(([point, place]) => [place, point]);
    const box = one || model.box === null ? null : model.box.map((d) => value(d, env));
    let run = 1;
    if (one) while (run < reached.length && reached[run][1][0] === reached[run - 1][1][0] + 1) run += 1;
    const tables = tablesOf(pairs, box, !one && model.variables.length === 1);
    let top = GAP;
    for (const made of tables.slice(0, MOST_GRIDS)) {
      if (made.outer.length) {
        canvas.label(GAP, top + HIGH / 2, `[${made.outer.join(", ")}, :, :]`, true);
        top += HIGH;
      }
      top = mapTable(canvas, model, made, one ? run : 1, top) + GAP;
    }
    if (!tables.length) canvas.label(GAP, top, "(no places)", true);
    if (tables.length > MOST_GRIDS) canvas.label(GAP, top, `... and ${tables.length - MOST_GRIDS} more of these`, true);
    const names = model.variables.map((v) => v[0]);
    return one ? `each point (${names.join(", ")}) shows its result` : `each place shows the ${names.join(",")} that reaches it`;
  }

  function tablesOf(pairs, box, single) {
    const parted = new Map();
    const every = [];
    for (const [at, shown] of pairs) {
      const [row, column] = [0, ...at].slice(-2);
      const outer = at.slice(0, -2);
      const key = outer.join(",");
      if (!parted.has(key)) parted.set(key, [outer, []]);
      parted.get(key)[1].push([row, column, shown]);
      every.push([row, column]);
    }
    if (box !== null) every.push([0, 0], [[1, ...box][box.length - 1] - 1, box[box.length - 1] - 1]);
    if (!every.length || (box !== null && Math.min(1, ...box) < 1)) return [];
    const all = (k, f) => every.reduce((n, at) => f(n, at[k]), every[0][k]);
    const low = [all(0, Math.min), all(1, Math.min)], high = [all(0, Math.max), all(1, Math.max)];
    const groups = parted.size ? [...parted.values()] : [[[], []]];
    groups.sort((a, b) => compared(a[0], b[0]));
    return groups.map(([outer, list]) => {
      const cells = new Map();
      for (const [row, column, shown] of list) {
        const key = `${row},${column}`, text = shown.join(",");
        cells.set(key, cells.has(key) ? `${cells.get(key)} ${text}` : text);
      }
      const order = single ? list.map(([row, column]) => [row, column]) : [];
      return { outer, rows: high[0] - low[0] + 1, columns: high[1] - low[1] + 1, cells, first: low, order };
    });
  }
  function compared(a, b) {
    for (let k = 0; k < a.length; k += 1) if (a[k] !== b[k]) return a[k] - b[k];
    return 0;
  }

  function mapTable(canvas, model, table, run, top) {
    const left = GAP + LABEL, one = model.results.length === 1;
    const rank = Math.max(1, one ? model.variables.length : model.results.length);
    const names = model.variables.map((v) => v[0]).join(", ");
    const rows = pickInTiles(table.rows, MOST_ROWS, []), columns = pickInTiles(table.columns, MOST_MAP_COLUMNS, []);
    let wide = NARROW;
    for (const text of table.cells.values()) wide = Math.max(wide, 7 * text.length + 8);
    const xOf = new Map(), yOf = new Map();
    columns.forEach((c, n) => c !== null && xOf.set(c, left + n * wide));
    rows.forEach((r, n) => r !== null && yOf.set(r, top + (n + 1) * HIGH));
    xOf.forEach((x, c) => canvas.label(x + wide / 2, top + HIGH / 2, String(table.first[1] + c)));
    yOf.forEach((y, r) => {
      canvas.label(left - LABEL / 2, y + HIGH / 2, String(table.first[0] + r));
      xOf.forEach((x, c) => {
        const at = [table.first[0] + r, table.first[1] + c];
        const shown = table.cells.get(`${at[0]},${at[1]}`);
        const place = `(${[...table.outer, ...at].slice(-rank).join(", ")})`;
        if (shown === undefined) return canvas.hatched(x, y, wide, HIGH, "", `${place}: nothing`);
        const by = shown.split(" ").map((p) => `(${p.replaceAll(",", ", ")})`).join(" and ");
        const title = one ? `${place}: result ${shown}` : `${place}: reached by (${names}) = ${by}`;
        const number = floor(Number(shown.split(" ")[0].split(",")[0]), run);
        canvas.cell(x, y, wide, HIGH, shown, FILLS[mod(number, FILLS.length)], title);
      });
    });
    let path = "", before = null;
    for (const [r, c] of table.order) {
      const x = xOf.get(c - table.first[1]), y = yOf.get(r - table.first[0]);
      const at = x === undefined || y === undefined ? null : `${x + wide / 2} ${y + HIGH / 2}`;
      if (at !== null) path += (before === null ? "M" : "L") + at;
      before = at;
    }
    if (path) canvas.stroke(path, "#cf222e", 1.2, "", ".4");
    const end = top + (rows.length + 1) * HIGH;
    canvas.stroke(`M${left} ${top + HIGH}h${columns.length * wide}V${end}H${left}Z`, "#8b949e", 1);
    return end;
  }

  // -- the page ----------------------------------------------------------------------------------

  function draw(model, sizes) {
    const canvas = new Canvas();
    const said = (model.kind === "map" ? map : layout)(model, new Map(sizes), canvas);
    const at = [...sizes].map(([n, v]) => `${n} = ${v}`).join(", ");
    return [canvas.svg(model.title, said + (at ? `, at ${at}` : "")), said];
  }

  // Fills an element with sliders, a caption and the picture; `changed` hears of new sizes.
  function mount(place, model, changed) {
    const sizes = new Map(model.sizes.map(([name, now]) => [name, now]));
    const sliders = document.createElement("div"), caption = document.createElement("p");
    const frame = document.createElement("div");
    sliders.className = "sliders";
    caption.className = "caption";
    frame.className = "frame";
    const redraw = () => {
      try {
        const [svg, said] = draw(model, sizes);
        frame.replaceChildren(svg);
        caption.textContent = said;
      } catch (error) {
        frame.replaceChildren();
        caption.textContent = error.message;
      }
      if (changed) changed(sizes);
    };
    for (const [name, now, least] of model.sizes) sliders.append(slider(name, now, least, sizes, redraw));
    place.replaceChildren(sliders, caption, frame);
    redraw();
  }

  function slider(name, now, least, sizes, redraw) {
    const label = document.createElement("label"), word = document.createElement("span");
    const range = document.createElement("input"), number = document.createElement("input");
    word.textContent = name;
    range.type = "range";
    number.type = "number";
    range.setAttribute("aria-label", name);
    number.setAttribute("aria-label", `${name} as a number`);
    for (const input of [range, number]) {
      input.min = String(least);
      input.value = String(now);
      input.addEventListener("input", () => {
        const wanted = Math.max(least, Math.trunc(Number(input.value)) || 0);
        sizes.set(name, wanted);
        (input === range ? number : range).value = String(wanted);
        redraw();
      });
    }
    range.max = String(Math.max(16, 3 * now));
    range.value = String(now);
    label.append(word, range, number);
    return label;
  }

  return { draw, mount };
})();
