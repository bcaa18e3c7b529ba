// W beside W*, drawn on a canvas from the nonzero entries alone. Zooming, hovering and what a dot
// shows that stands for several entries are worked out here, so none of them asks the server.

// Raised by condition 1, 2, 3, or a distance; then what stages without conditions raised and lowered.
const CAUSE = ["#9aa0a6", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#0072b2", "#b07d2b"];
const CHOSEN = "#d55e00";
const BETWEEN = 8; // added to the cause of an entry between classes
const MOST_DOTS = 3000; // entries between classes that are drawn larger than they are
let revealed = ""; // what was brought into sight last
const states = new WeakMap();

const level = (w, log) => (log ? Math.log10(1 + 99 * w) / 2 : w);
const FULL = 0.25, TIMES = 4, HIGHEST = 0.99; // as in sdsc_core/figures/cells.py
const MERGED = { max: "the largest", mean: "the mean", density: "the share of nonzeros" };
const dots = (n, how, chosen) => (n <= 1.001 ? "true cells"
  : `each dot: ${MERGED[how]} of up to ${Math.ceil(n)}×${Math.ceil(n)} cells${chosen && how !== "max" ? " (their maximum would look full)" : ""}`);
const short = (v) => (v >= 0.1 ? v.toFixed(2) : v.toPrecision(1));
const show = (w) => (w === 0 ? "0" : w.toFixed(4));

// The value with the darkest colour: of means and densities all but the last hundredth lie below it.
function highest(grids) {
  const filled = grids.flatMap(([out]) => Array.from(out.filter((v) => v > 0))).sort((a, b) => a - b);
  return filled.length ? filled[Math.ceil(HIGHEST * (filled.length - 1))] : 1;
}

class MatrixView {
  constructor(root) {
    this.root = root;
    this.canvas = root.querySelector("canvas");
    this.tip = root.querySelector(".tip");
    this.window = null; // [x0, y0, x1, y1] in points
    this.cursor = null;
    this.listen();
    new ResizeObserver(() => this.data && this.layout()).observe(this.canvas.parentElement);
  }

  update(data, send) {
    const fresh = !this.data || this.data.points !== data.points;
    this.data = data;
    this.send = send;
    this.shade();
    if (fresh) this.window = null;
    Object.assign(this, theme(this.canvas));
    this.canvas.setAttribute("aria-label", data.alt);
    this.root.querySelector(".choice").hidden = !data.choice;
    this.root.querySelector(".box").hidden = !data.blocks_too;
    this.layout();
    if (data.reveal && data.reveal !== revealed) {
      revealed = data.reveal; // the page may be drawn anew without anybody asking for it
      this.canvas.parentElement.scrollIntoView({ block: "nearest", behavior: "smooth" });
    }
  }

  // Entries between classes, which have codes of their own.
  shade() {
    const d = this.data;
    this.parted = d.classes.length > 0;
    this.between = [];
    if (d.causes.length) d.cause.forEach((code, e) => { if (code > BETWEEN) this.between.push(e); });
  }

  layout() {
    const width = this.canvas.parentElement.clientWidth || 900;
    const { panels } = this.data, { em } = this, narrow = width < 560 * em;
    this.left = (narrow ? 50 : 64) * em; this.top = 42 * em; this.gap = 70 * em; this.wide = width;
    this.across = narrow ? 1 : panels.length;
    const room = (width - this.left - 10 - this.gap * (this.across - 1)) / this.across;
    const most = Math.min((this.across === 1 ? 560 : 520) * em, Math.max(240, window.innerHeight - 130 * em));
    this.side = Math.max(40, Math.floor(Math.min(room, most)));
    const last = this.origin(panels.length - 1)[1] + this.side;
    const lines = this.legend(this.canvas.getContext("2d"), dots(10, "density", true)).at(-1).line + 1;
    this.bottom = last;
    sized(this.canvas, width, last + (44 + 18 * lines) * em);
    this.scale = window.devicePixelRatio || 1;
    this.draw();
  }

  view() { return this.window || [0, 0, this.data.points, this.data.points]; }

  // Upper left corner of a panel: beside each other, on a narrow page below each other.
  origin(p) {
    const column = p % this.across, row = Math.floor(p / this.across);
    return [this.left + column * (this.side + this.gap), this.top + row * (this.side + this.top + 24 * this.em)];
  }

  draw() {
    const g = this.canvas.getContext("2d"), { panels } = this.data;
    g.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    g.fillStyle = this.paper;
    g.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.how = this.merging();
    const kinds = panels.map((p) => p.kind).filter((kind) => kind !== "cause");
    const grids = Object.fromEntries(kinds.map((kind) => [kind, this.grid(kind, this.how)]));
    this.high = this.how === "max" ? 1 : highest(Object.values(grids));
    panels.forEach((panel, p) => this.drawPanel(g, panel, grids[panel.kind], ...this.origin(p)));
    this.drawScale(g);
    const at = this.canvas.dataset;
    at.drawn = this.data.stamp;
    at.shows = this.merged > 1.001 ? this.how : "cells";
    at.window = this.view().map((v) => v.toFixed(2)).join(",");
    // Where the matrices lie on the canvas, for whoever points at a cell from outside.
    at.place = [this.left, this.top, this.side, this.across > 1 ? this.side + this.gap : 0].join(",");
  }

  drawPanel(g, panel, grid, x, y) {
    const { side } = this, cause = panel.kind === "cause";
    g.imageSmoothingEnabled = false;
    g.drawImage(cause ? this.causes() : this.values(grid), x, y, side, side);
    if (cause) this.standOut(g, x, y);
    g.strokeStyle = this.ink; g.lineWidth = 1; g.globalAlpha = 0.55;
    g.strokeRect(x - 0.5, y - 0.5, side + 1, side + 1);
    g.globalAlpha = 1;
    this.drawClasses(g, x, y);
    if (cause && !this.data.causes.length) this.sayEmpty(g, x, y);
    g.fillStyle = this.ink; g.textAlign = "left"; g.textBaseline = "alphabetic";
    g.font = this.type(15, 600);
    g.fillText(fit(g, panel.title, side + (this.across > 1 ? this.gap - 8 : 0)), x, y - 24 * this.em);
    this.mark(g, x, y);
  }

  // Cells a side of a grid that is no finer than the screen, and how many points each stands for.
  cells() {
    const [x0, y0, x1, y1] = this.view(), span = Math.max(x1 - x0, y1 - y0);
    const size = Math.max(1, Math.min(Math.round(span / this.data.cell), Math.round(this.side * this.scale)));
    return { span, size, merged: span / size };
  }

  // What a dot shows: as asked; by itself the mean where the maximum would make the matrix look full.
  merging() {
    const d = this.data, { size, merged } = this.cells();
    this.merged = merged;
    if (d.cell > 1 && merged > 1.001) return d.held;
    if (merged <= 1.001) return "max";
    if (d.merge !== "auto") return d.merge;
    const key = [d.stamp, size, ...this.view()].join();
    if (this.judged?.key !== key) this.judged = { key, full: this.looksFull("star") || this.looksFull("w") };
    return this.judged.full ? "mean" : "max";
  }

  looksFull(kind) {
    const [share, size] = this.grid(kind, "density"), cells = size * size;
    let filled = 0, sum = 0;
    for (const v of share) { sum += v; filled += v > 0; }
    return filled > FULL * cells && filled > TIMES * sum;
  }

  // Maximum, mean or density in each cell of the grid.
  grid(kind, how) {
    const d = this.data, [x0, y0, x1, y1] = this.view(), { span, size } = this.cells();
    const out = new Float32Array(size * size), f = size / span;
    const source = d[kind], { rows, cols, cell } = d;
    const at = (v, from) => Math.min(size - 1, Math.max(0, Math.floor((v + 1e-6 - from) * f)));
    const put = (r, c, v) => {
      if (c + cell <= x0 || c >= x1 || r + cell <= y0 || r >= y1) return;
      const k = at(r, y0) * size + at(c, x0);
      if (how === "max") { if (v > out[k]) out[k] = v; } else out[k] += how === "mean" || cell > 1 ? v : 1;
    };
    for (let e = 0; e < rows.length; e++) {
      const v = source[e], r = rows[e] * cell, c = cols[e] * cell;
      if (v > 0) { put(r, c, v); if (r !== c) put(c, r, v); }
    }
    if (how !== "max") this.share(out, size, [x0, y0], (from, v) => at(v, from));
    return [out, size];
  }

  // Sums become means: each dot is divided by the cells that it stands for, which are not all as many.
  share(out, size, [x0, y0], at) {
    const { points, cell } = this.data, [, , x1, y1] = this.view();
    const along = (from, to) => {
      const count = new Uint32Array(size);
      for (let v = Math.ceil(from / cell) * cell; v < Math.min(to, points); v += cell) count[at(from, v)]++;
      return count;
    };
    const down = along(y0, y1), right = along(x0, x1);
    for (let r = 0, k = 0; r < size; r++) for (let c = 0; c < size; c++, k++) out[k] /= Math.max(1, down[r] * right[c]);
  }

  // A pixel for each number above 0, coloured by a table of so many steps; the paper shows elsewhere.
  picture(out, size, table, step) {
    const picture = new OffscreenCanvas(size, size), g = picture.getContext("2d");
    const image = g.createImageData(size, size), pixels = new Uint32Array(image.data.buffer);
    for (let k = 0; k < out.length; k++) if (out[k] > 0) pixels[k] = table[step(out[k])];
    g.putImageData(image, 0, 0);
    return picture;
  }

  values([out, size]) {
    const { table, high } = this, log = this.data.log;
    const colours = Uint32Array.from({ length: 256 }, (_, k) => rgba(table.subarray(3 * k, 3 * k + 3)));
    return this.picture(out, size, colours, (v) => Math.round(255 * Math.min(1, 0.08 + 0.92 * level(Math.min(1, v / high), log))));
  }

  // Full colours between classes, pale ones inside, so that what is wrong stands out.
  causes() {
    const [out, size] = this.grid("cause", "max"), inside = this.parted ? 120 : 255;
    const colours = new Uint32Array(2 * BETWEEN);
    CAUSE.forEach((name, k) => { colours[k + 1] = rgba(hex(name), inside); colours[k + 1 + BETWEEN] = rgba(hex(name)); });
    return this.picture(out, size, colours, (v) => v);
  }

  // Few entries between classes are drawn large enough to be seen.
  standOut(g, x, y) {
    const d = this.data, [x0, y0, x1] = this.view(), f = this.side / (x1 - x0), { side } = this;
    if (f * d.cell >= 3 || this.between.length > MOST_DOTS) return;
    const put = (r, c) => g.fillRect(x + ((c + 0.5) * d.cell - x0) * f - 1.5, y + ((r + 0.5) * d.cell - y0) * f - 1.5, 3, 3);
    g.save(); g.beginPath(); g.rect(x, y, side, side); g.clip();
    for (const e of this.between) {
      g.fillStyle = CAUSE[d.cause[e] - BETWEEN - 1];
      put(d.rows[e], d.cols[e]); put(d.cols[e], d.rows[e]);
    }
    g.restore();
  }

  sayEmpty(g, x, y) {
    g.font = this.type(14); g.textAlign = "center"; g.textBaseline = "middle";
    const text = fit(g, "No entry was changed: W* is W.", this.side - 20), wide = g.measureText(text).width + 16;
    const [a, b] = [x + this.side / 2, y + this.side / 2], half = 14 * this.em;
    g.fillStyle = this.paper; g.fillRect(a - wide / 2, b - half, wide, 2 * half);
    g.fillStyle = this.ink; g.fillText(text, a, b);
  }

  drawClasses(g, x, y) {
    const d = this.data, [x0, y0, x1, y1] = this.view(), { side, em } = this, f = side / (x1 - x0);
    const clip = (from) => ({ start, stop }) => ({ from: Math.max(0, (start - from) * f), to: Math.min(side, (stop - from) * f) });
    g.strokeStyle = this.ink; g.globalAlpha = 0.35; g.lineWidth = 1; g.beginPath();
    for (const { stop } of d.blocks) {
      const a = x + (stop - x0) * f, b = y + (stop - y0) * f;
      if (stop > x0 && stop < x1) { g.moveTo(a, y); g.lineTo(a, y + side); }
      if (stop > y0 && stop < y1) { g.moveTo(x, b); g.lineTo(x + side, b); }
    }
    g.stroke(); g.globalAlpha = 1;
    g.font = this.type(12); g.fillStyle = this.ink;
    g.textAlign = "center"; g.textBaseline = "bottom";
    for (const { text, at } of titles(g, d.blocks, clip(x0), numberWidth(g, d.blocks), (wide) => wide - 4)) g.fillText(text, x + at, y - 3);
    g.textAlign = "right"; g.textBaseline = "middle";
    for (const { text, at } of titles(g, d.blocks, clip(y0), 12 * em, () => this.left - 8)) g.fillText(text, x - 5, y + at);
    g.textAlign = "center"; g.textBaseline = "top"; g.globalAlpha = 0.8;
    const whole = `point j (${d.axis}) ${x0} – ${x1 - 1}`;
    g.fillText(g.measureText(whole).width < side + 20 ? whole : `point j ${x0} – ${x1 - 1}`, x + side / 2, y + side + 4);
    this.nameRows(g, x, y, y0, y1);
    g.globalAlpha = 1;
  }

  // Beside the matrix, or above the names of the classes where these stand there.
  nameRows(g, x, y, y0, y1) {
    g.textBaseline = "bottom";
    if (this.data.blocks.length) {
      g.textAlign = "right"; g.fillText("point i ↓", x - 5, y - 3);
      return;
    }
    g.save(); g.translate(x - 10, y + this.side / 2); g.rotate(-Math.PI / 2);
    g.fillText(`point i ${y0} – ${y1 - 1}`, 0, 0); g.restore();
  }

  scaleWidth() { return Math.min(260 * this.em, this.side); }

  drawScale(g) {
    const d = this.data, { em } = this, y = this.bottom + 30 * em, x = this.left, width = this.scaleWidth();
    g.font = this.type(12); g.textBaseline = "top";
    for (let k = 0; k < width; k++) {
      const v = 3 * Math.round(255 * Math.min(1, 0.08 + 0.92 * level(k / width, d.log)));
      g.fillStyle = `rgb(${this.table[v]},${this.table[v + 1]},${this.table[v + 2]})`;
      g.fillRect(x + k, y, 1.5, 10 * em);
    }
    g.fillStyle = this.ink; g.textAlign = "center";
    const { high } = this, ticks = this.how === "max" ? d.ticks : [["0", 0], [short(high / 2), 0.5], [`≥ ${short(high)}`, 1]];
    for (const [name, value] of ticks) {
      g.fillRect(x + value * width - 0.5, y - 2, 1, 10 * em + 4);
      g.fillText(name, x + value * width, y + 14 * em);
    }
    g.textAlign = "left";
    for (const { text, colour, x: at, line } of this.legend(g, dots(this.merged, this.how, d.merge === "auto"))) {
      const down = y + 18 * em * line;
      g.fillStyle = colour; g.fillRect(at, down, colour ? 10 * em : 0, 10 * em);
      g.fillStyle = this.ink; g.fillText(text, at + (colour ? 14 * em : 0), down - 1);
    }
  }

  // What stands right of the colour scale, or on a narrow page below it, each with its place; it goes
  // on below where it is long.
  legend(g, note) {
    const d = this.data, { em } = this, items = [];
    const right = this.left + this.scaleWidth() + 24 * em, beside = this.wide - right > 200 * em;
    const start = beside ? right : 8;
    if (d.panels.some((p) => p.kind === "cause")) {
      items.push(...d.causes.map(([k, name]) => [name, CAUSE[k - 1]]));
      if (this.parted && d.causes.length) items.push(["pale: inside a class", ""], ["full: between classes", ""]);
    }
    let x = start, line = beside ? 0 : 2;
    g.font = this.type(12);
    const parts = [...items, ...this.wrapped(g, note, this.wide - start)];
    return parts.map(([text, colour]) => {
      const wide = (colour ? 14 * em : 0) + g.measureText(text).width;
      if (x > start && x + wide > this.wide) { x = start; line++; }
      x += wide + 14 * em;
      return { text, colour, x: x - wide - 14 * em, line };
    });
  }

  // A sentence in as many parts as it needs lines.
  wrapped(g, text, room) {
    const lines = [""];
    for (const word of text.split(" ")) {
      const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
      if (g.measureText(longer).width <= room || !lines.at(-1)) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines.map((line) => [line, ""]);
  }

  // Chosen pair or point, and the cell under the keyboard's cursor.
  mark(g, x, y) {
    const d = this.data, [x0, y0, x1, y1] = this.view(), f = this.side / (x1 - x0);
    const box = (r, c, colour) => {
      const s = Math.max(9, f + 2), a = (c + 0.5 - x0) * f, b = (r + 0.5 - y0) * f;
      if (a < 0 || b < 0 || a > this.side || b > this.side) return;
      g.strokeStyle = colour; g.lineWidth = 2;
      g.strokeRect(x + a - s / 2, y + b - s / 2, s, s);
    };
    if (d.point >= 0 && d.cell === 1) {
      const c = (d.point + 0.5 - x0) * f, r = (d.point + 0.5 - y0) * f;
      g.strokeStyle = CHOSEN; g.globalAlpha = 0.8; g.lineWidth = 1.5; g.beginPath();
      if (c > 0 && c < this.side) { g.moveTo(x + c, y); g.lineTo(x + c, y + this.side); }
      if (r > 0 && r < this.side) { g.moveTo(x, y + r); g.lineTo(x + this.side, y + r); }
      g.stroke(); g.globalAlpha = 1;
    }
    // The first pair is the chosen one and lies on top, the others are what it came by.
    d.pairs.map((pair, n) => [pair, n ? this.ink : CHOSEN]).reverse().forEach(([[r, c], colour]) => {
      box(r, c, colour); box(c, r, colour);
    });
    if (this.cursor) box(this.cursor[0], this.cursor[1], this.ink);
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    for (let p = 0; p < this.data.panels.length; p++) {
      const [left, top] = this.origin(p), a = x - left, b = y - top;
      if (a >= 0 && a < this.side && b >= 0 && b < this.side) {
        const [x0, y0, x1] = this.view(), f = (x1 - x0) / this.side;
        return { row: y0 + b * f, col: x0 + a * f, px: x, py: y, panel: p };
      }
    }
    return null;
  }

  find(r, c) {
    const d = this.data, a = Math.min(r, c), b = Math.max(r, c);
    for (let e = 0; e < d.rows.length; e++) if (d.rows[e] === a && d.cols[e] === b) return e;
    return -1;
  }

  // With several cells in a dot, the strongest entry of that dot is meant.
  strongest(spot) {
    const d = this.data, [x0, y0, x1] = this.view();
    const reach = Math.max(0.5, ((x1 - x0) / this.side) * 2.5);
    let best = -1, most = 0, flipped = false;
    const r = spot.row, c = spot.col;
    for (let e = 0; e < d.rows.length; e++) {
      const a = d.rows[e] + 0.5, b = d.cols[e] + 0.5;
      const here = Math.abs(a - r) <= reach && Math.abs(b - c) <= reach;
      const there = Math.abs(b - r) <= reach && Math.abs(a - c) <= reach;
      if ((here || there) && d.star[e] > most) { most = d.star[e]; best = e; flipped = !here; }
    }
    if (best < 0) return [Math.floor(r), Math.floor(c)];
    return flipped ? [d.cols[best], d.rows[best]] : [d.rows[best], d.cols[best]];
  }

  describe(r, c) {
    const d = this.data;
    if (d.cell > 1) return "Zoom in to see single cells.";
    const e = this.find(r, c), name = (k) => (d.classes.length ? `, ${d.classes[d.classOf[k]]}` : "");
    const w = e < 0 ? 0 : d.w[e], star = e < 0 ? 0 : d.star[e];
    const cause = e >= 0 && d.cause[e] > 0 ? d.causes.find(([k]) => k === d.cause[e] % BETWEEN)?.[1] : "";
    return `i = ${d.index[r]}${name(r)}<br>j = ${d.index[c]}${name(c)}<br>${d.symbols[0]} = ${show(w)}<br>${d.symbols[1]} = ${show(star)}` +
      (!cause ? "" : cause === "raised" || cause === "lowered" ? `<br>${cause}` : `<br>raised: ${cause}`);
  }

  hint(spot) {
    const [r, c] = this.merged > 1.001 || this.side / (this.view()[2] - this.view()[0]) < 4
      ? this.strongest(spot) : [Math.floor(spot.row), Math.floor(spot.col)];
    this.tip.innerHTML = this.describe(r, c);
    this.tip.style.display = "block";
    const left = spot.px + 14 + this.tip.offsetWidth > this.canvas.clientWidth ? spot.px - 14 - this.tip.offsetWidth : spot.px + 14;
    this.tip.style.left = left + "px"; this.tip.style.top = spot.py + 10 + "px";
    return [r, c];
  }

  // To a square of whole cells, so that each is as large as the others.
  zoom(window) {
    const n = this.data.points;
    if (window) {
      const span = Math.max(4, Math.min(n, Math.round(Math.max(window[2] - window[0], window[3] - window[1]))));
      const at = (v) => Math.max(0, Math.min(n - span, Math.round(v)));
      const x = at((window[0] + window[2] - span) / 2), y = at((window[1] + window[3] - span) / 2);
      window = span >= n ? null : [x, y, x + span, y + span];
    }
    this.window = window;
    if (this.data.whole > this.data.limit) this.send("window", window);
    this.draw();
  }

  scaleBy(factor, about) {
    const [x0, y0, x1, y1] = this.view(), span = (x1 - x0) * factor;
    const [r, c] = about || [(y0 + y1) / 2, (x0 + x1) / 2];
    const fx = (c - x0) / (x1 - x0), fy = (r - y0) / (y1 - y0);
    this.zoom([c - fx * span, r - fy * span, c + (1 - fx) * span, r + (1 - fy) * span]);
  }

  choose(r, c) {
    if (this.data.choice && this.data.cell === 1 && r !== c) this.send("pair", [this.data.index[r], this.data.index[c]]);
  }

  // All points in the rows and columns of a block, whichever order they are shown in.
  select(rows, cols) {
    const found = new Set();
    for (const [a, b] of [rows, cols]) {
      for (let k = Math.max(0, a); k < Math.min(this.data.points, b); k++) found.add(this.data.index[k]);
    }
    this.draw();
    this.send("block", [...found]);
  }

  listen() {
    let from = null;
    const { canvas } = this, clicks = new Clicks();
    const low = (a, b) => Math.floor(Math.min(a, b)), high = (a, b) => Math.ceil(Math.max(a, b));
    canvas.addEventListener("mousedown", (e) => { from = this.cellAt(e); });
    canvas.addEventListener("mousemove", (e) => {
      const spot = this.cellAt(e);
      canvas.style.cursor = spot ? "crosshair" : "default";
      if (from && spot && e.buttons && spot.panel === from.panel) {
        this.draw();
        const g = canvas.getContext("2d");
        g.strokeStyle = this.ink; g.lineWidth = 1.5; g.setLineDash([4, 3]);
        g.strokeRect(from.px, from.py, spot.px - from.px, spot.py - from.py); g.setLineDash([]);
        this.tip.style.display = "none";
      } else if (spot) this.hint(spot);
      else this.tip.style.display = "none";
    });
    canvas.addEventListener("mouseup", (e) => {
      const to = this.cellAt(e);
      if (from && to && from.panel === to.panel) {
        const dx = Math.abs(to.px - from.px), dy = Math.abs(to.py - from.py);
        if (dx > 6 && dy > 6 && this.selecting) {
          this.select([low(from.row, to.row), high(from.row, to.row)], [low(from.col, to.col), high(from.col, to.col)]);
        } else if (dx > 6 && dy > 6) {
          this.zoom([low(from.col, to.col), low(from.row, to.row), high(from.col, to.col), high(from.row, to.row)]);
        } else {
          const cell = this.hint(to);
          clicks.single(e, this.window, () => this.choose(...cell));
        }
      }
      from = null;
    });
    canvas.addEventListener("mouseleave", () => { this.tip.style.display = "none"; });
    canvas.addEventListener("dblclick", () => this.zoom(null));
    canvas.addEventListener("wheel", (e) => {
      if (!e.ctrlKey) return; // plain wheel scrolls the page
      e.preventDefault();
      const spot = this.cellAt(e);
      if (spot) this.scaleBy(e.deltaY > 0 ? 1.25 : 0.8, [spot.row, spot.col]);
    }, { passive: false });
    canvas.addEventListener("keydown", (e) => this.key(e));
    canvas.addEventListener("blur", () => { this.cursor = null; if (this.data) this.draw(); });
    this.root.querySelector(".in").addEventListener("click", () => this.scaleBy(0.5));
    this.root.querySelector(".out").addEventListener("click", () => this.scaleBy(2));
    this.root.querySelector(".all").addEventListener("click", () => this.zoom(null));
    const box = this.root.querySelector(".box");
    box.addEventListener("click", () => {
      this.selecting = !this.selecting;
      box.setAttribute("aria-pressed", String(this.selecting));
    });
    this.root.querySelector(".save").addEventListener("click", () => {
      const link = document.createElement("a");
      link.download = "affinity.png"; link.href = canvas.toDataURL("image/png"); link.click();
    });
  }

  key(e) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const [x0, y0, x1, y1] = this.view(), n = this.data.points;
    if (moves[e.key]) {
      const step = Math.max(1, Math.round(((x1 - x0) / this.side) * (e.shiftKey ? 20 : 1)));
      const [r, c] = this.cursor || [Math.floor((y0 + y1) / 2), Math.floor((x0 + x1) / 2)];
      this.cursor = [Math.max(0, Math.min(n - 1, r + step * moves[e.key][0])), Math.max(0, Math.min(n - 1, c + step * moves[e.key][1]))];
      this.draw();
      const f = this.side / (x1 - x0), [left, top] = this.origin(0), [row, col] = this.cursor.map((k) => k + 0.5);
      this.hint({ row, col, px: left + (col - x0) * f, py: top + (row - y0) * f });
    } else if (e.key === "Enter" && this.cursor) this.choose(...this.cursor);
    else if (e.key === "+" || e.key === "=") this.scaleBy(0.5, this.cursor);
    else if (e.key === "-") this.scaleBy(2, this.cursor);
    else if (e.key === "0" || e.key === "Escape") this.zoom(null);
    else return;
    e.preventDefault();
  }
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  if (!data) return;
  let view = states.get(parentElement);
  if (!view) {
    view = new MatrixView(parentElement);
    states.set(parentElement, view);
  }
  const send = (name, value) => (name === "window" ? setStateValue(name, value) : setTriggerValue(name, value));
  view.update(unpack(data), send);
}
