// Embeddings side by side, drawn on a canvas: thousands of points, and nothing is built anew when
// a slider moves. Zooming, turning, hovering and hiding groups never ask the server.

const MARK = "#d55e00"; // misplaced, or chosen
const BIG = 3000; // points, from here on drawn as squares
const MANY = 300; // misplaced points, beyond which their crosses are small and light
const states = new WeakMap();

// Some three to five round numbers inside a range.
function ticks(low, high) {
  const rough = (high - low) / 4, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough);
  const out = [];
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) out.push(Math.abs(v) < step / 9 ? 0 : v);
  return out.map((v) => [v, String(+v.toPrecision(3))]);
}

class PointsView {
  constructor(root) {
    this.root = root;
    this.canvas = root.querySelector("canvas");
    this.tip = root.querySelector(".tip");
    this.legend = root.querySelector(".legend");
    this.hidden = new Set();
    this.cursor = null; // [panel, point]
    this.selecting = ""; // "box" or "lasso" while a drag selects
    this.whole();
    this.listen();
    new ResizeObserver(() => this.data && this.layout()).observe(this.canvas.parentElement);
  }

  whole() { this.windows = []; this.yaw = 0.6; this.pitch = 0.4; this.closer = 1; }

  zoomed() { return this.windows.length > 0 || this.yaw !== 0.6 || this.pitch !== 0.4 || this.closer !== 1; }

  update(data, send) {
    const before = this.data;
    data.at = data.titles.map((_, p) => data[`at${p}`]);
    data.wrong = data.titles.map((_, p) => data[`wrong${p}`]);
    data.groups = data.titles.map((_, p) => data[`group${p}`]);
    this.data = data;
    this.send = send;
    if (!before || before.at0.length !== data.at0.length || before.dims !== data.dims) this.whole();
    Object.assign(this, theme(this.canvas));
    this.canvas.setAttribute("aria-label", data.alt);
    for (const name of ["box", "lasso"]) this.root.querySelector(`.${name}`).hidden = !data.selectable;
    const look = JSON.stringify([data.names, data.colours]);
    if (look !== this.look) { this.look = look; this.list(); }
    this.layout();
  }

  // The legend; a press hides a group, another brings it back.
  list() {
    this.hidden.clear();
    const { names, colours } = this.data;
    this.legend.replaceChildren(...names.map((name, k) => {
      const button = document.createElement("button"), dot = document.createElement("i");
      dot.style.background = colours[k];
      button.append(dot, name);
      button.title = "Show or hide";
      button.setAttribute("aria-pressed", "true");
      button.addEventListener("click", () => {
        if (!this.hidden.delete(k)) this.hidden.add(k);
        button.setAttribute("aria-pressed", String(!this.hidden.has(k)));
        this.draw();
      });
      return button;
    }));
  }

  layout() {
    const width = this.canvas.parentElement.clientWidth || 700, count = this.data.titles.length;
    this.scale = window.devicePixelRatio || 1;
    const { em } = this;
    this.left = 44 * em; this.top = 26 * em; this.gap = 52 * em;
    this.across = width < 480 * em ? 1 : count; // below each other on a narrow page
    this.wide = Math.max(40, (width - this.left - 6 - this.gap * (this.across - 1)) / this.across);
    this.high = (this.data.height - 66) * em;
    sized(this.canvas, width, Math.ceil(count / this.across) * this.data.height * em);
    this.draw();
  }

  // Upper left corner of a panel.
  origin(p) {
    return [this.left + (p % this.across) * (this.wide + this.gap), this.top + Math.floor(p / this.across) * this.data.height * this.em];
  }

  // What a panel shows of its plane: [x0, y0, x1, y1].
  view(p) {
    if (this.windows[p]) return this.windows[p];
    const at = this.data.at[p], box = [Infinity, Infinity, -Infinity, -Infinity];
    for (let k = 0; k < at.length; k += 2) {
      box[0] = Math.min(box[0], at[k]); box[2] = Math.max(box[2], at[k]);
      box[1] = Math.min(box[1], at[k + 1]); box[3] = Math.max(box[3], at[k + 1]);
    }
    const x = Math.max(1e-3, 0.06 * (box[2] - box[0])), y = Math.max(1e-3, 0.06 * (box[3] - box[1]));
    return [box[0] - x, box[1] - y, box[2] + x, box[3] + y];
  }

  reach(p) { return this.data.at[p].reduce((most, v) => Math.max(most, Math.abs(v)), 1e-6); }

  // From a panel's coordinates to places on the canvas.
  plane(p) {
    const [x, top] = this.origin(p), { wide, high } = this;
    if (this.data.dims === 2) {
      const [x0, y0, x1, y1] = this.view(p);
      return (a, b) => [x + ((a - x0) / (x1 - x0)) * wide, top + high - ((b - y0) / (y1 - y0)) * high];
    }
    const f = (0.36 * Math.min(wide, high) * this.closer) / this.reach(p);
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    return (a, b, c) => {
      const across = cy * a + sy * b, away = cy * b - sy * a;
      return [x + wide / 2 + f * across, top + high / 2 - f * (cp * c + sp * away)];
    };
  }

  draw() {
    const g = this.canvas.getContext("2d"), d = this.data;
    g.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    g.fillStyle = this.paper;
    g.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.places = d.titles.map((title, p) => {
      const [x, y] = this.origin(p), plane = this.plane(p), room = this.wide + (this.across > 1 ? this.gap - 8 : 0);
      g.fillStyle = this.ink; g.textAlign = "left"; g.textBaseline = "alphabetic";
      g.font = this.type(15, 600);
      g.fillText(fit(g, title, room), x, y - 9 * this.em);
      g.font = this.type(12); g.strokeStyle = this.ink; g.lineWidth = 1;
      if (d.dims === 2) this.drawAxes(g, p, x, y); else this.drawSpace(g, p, plane);
      return this.drawPoints(g, p, plane);
    });
    this.canvas.dataset.drawn = d.stamp;
  }

  drawAxes(g, p, x, top) {
    const [x0, y0, x1, y1] = this.view(p), { wide, high, em } = this;
    g.globalAlpha = 0.4; g.strokeRect(x + 0.5, top + 0.5, wide - 1, high - 1); g.globalAlpha = 0.75;
    g.textAlign = "center"; g.textBaseline = "top";
    for (const [v, text] of ticks(x0, x1)) g.fillText(text, x + ((v - x0) / (x1 - x0)) * wide, top + high + 4);
    g.fillText("axis 1", x + wide / 2, top + high + 20 * em);
    g.textAlign = "right"; g.textBaseline = "middle";
    for (const [v, text] of ticks(y0, y1)) g.fillText(text, x - 4, top + high - ((v - y0) / (y1 - y0)) * high);
    g.save(); g.translate(x - 36 * em, top + high / 2); g.rotate(-Math.PI / 2); g.textAlign = "center";
    g.fillText("axis 2", 0, 0); g.restore();
    g.globalAlpha = 1;
  }

  drawSpace(g, p, plane) {
    const reach = this.reach(p), [x, y] = plane(0, 0, 0);
    g.globalAlpha = 0.55; g.textAlign = "center"; g.textBaseline = "middle";
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((end, k) => {
      const [a, b] = plane(...end.map((v) => 1.15 * v * reach));
      g.beginPath(); g.moveTo(x, y); g.lineTo(a, b); g.stroke();
      g.fillText(`axis ${k + 1}`, a + 0.12 * (a - x), b + 0.12 * (b - y));
    });
    g.globalAlpha = 1;
  }

  drawPoints(g, p, plane) {
    const d = this.data, { at, group, wrong } = { at: d.at[p], group: d.groups[p], wrong: d.wrong[p] };
    const n = group.length, places = new Float32Array(2 * n);
    for (let i = 0, k = 0; i < n; i++, k += d.dims) [places[2 * i], places[2 * i + 1]] = plane(at[k], at[k + 1], at[k + 2]);
    g.save(); g.beginPath(); g.rect(...this.origin(p), this.wide, this.high); g.clip();
    if (n > BIG) this.drawMany(g, p, places, group, wrong); else this.drawFew(g, places, group, wrong);
    g.globalAlpha = 1;
    this.outline(g, places, group, n > BIG ? 1.5 : 3);
    this.ring(g, places, d.chosen, MARK);
    if (this.cursor?.[0] === p) this.ring(g, places, this.cursor[1], this.ink);
    g.restore();
    return places;
  }

  drawFew(g, places, group, wrong) {
    const d = this.data, r = 3, paths = d.names.map(() => new Path2D()), crosses = new Path2D();
    const many = wrong.reduce((sum, v) => sum + v, 0) > MANY, s = many ? 2 : 4;
    for (let i = 0; i < group.length; i++) {
      const x = places[2 * i], y = places[2 * i + 1];
      paths[group[i]].moveTo(x + r, y); paths[group[i]].arc(x, y, r, 0, 7);
      if (wrong[i] && !this.hidden.has(group[i])) {
        crosses.moveTo(x - s, y - s); crosses.lineTo(x + s, y + s); crosses.moveTo(x + s, y - s); crosses.lineTo(x - s, y + s);
      }
    }
    g.globalAlpha = 0.8;
    paths.forEach((path, k) => { g.fillStyle = d.colours[k]; if (!this.hidden.has(k)) g.fill(path); });
    g.globalAlpha = many ? 0.45 : 1; g.strokeStyle = MARK; g.lineWidth = many ? 0.8 : 2; g.stroke(crosses);
  }

  // Squares and crosses set as pixels: a path of so many takes seconds to fill.
  drawMany(g, p, places, group, wrong) {
    const { scale, wide, high } = this, [x0, top] = this.origin(p);
    const w = Math.ceil(wide * scale), h = Math.ceil(high * scale), size = Math.max(1, Math.round(3 * scale));
    const picture = new OffscreenCanvas(w, h), small = picture.getContext("2d"), image = small.createImageData(w, h);
    const pixels = new Uint32Array(image.data.buffer), back = (size - 1) >> 1;
    const colours = this.data.colours.map((c) => rgba(hex(c), 204)), mark = rgba(hex(MARK), 200);
    const put = (x, y, colour) => { if (x >= 0 && y >= 0 && x < w && y < h) pixels[y * w + x] = colour; };
    const each = (act) => {
      for (const i of this.byGroup(p)) {
        if (!this.hidden.has(group[i])) act(i, Math.floor((places[2 * i] - x0) * scale), Math.floor((places[2 * i + 1] - top) * scale));
      }
    };
    each((i, x, y) => {
      if (x < -size || y < -size || x > w + size || y > h + size) return;
      for (let b = -back; b < size - back; b++) for (let a = -back; a < size - back; a++) put(x + a, y + b, colours[group[i]]);
    });
    const arm = Math.round(2 * scale);
    each((i, x, y) => {
      if (wrong[i]) for (let t = -arm; t <= arm; t++) { put(x + t, y + t, mark); put(x + t, y - t, mark); }
    });
    small.putImageData(image, 0, 0);
    g.drawImage(picture, x0, top, w / scale, h / scale);
  }

  // The points of a panel, those of a group together, so that a later group lies on top.
  byGroup(p) {
    const d = this.data, group = d.groups[p];
    d.sorted ??= [];
    if (!d.sorted[p]) {
      const next = new Uint32Array(d.names.length + 1), order = new Uint32Array(group.length);
      for (const k of group) next[k + 1]++;
      for (let k = 1; k < next.length; k++) next[k] += next[k - 1];
      for (let i = 0; i < group.length; i++) order[next[group[i]]++] = i;
      d.sorted[p] = order;
    }
    return d.sorted[p];
  }

  // Selected points have a dark edge.
  outline(g, places, group, r) {
    const path = new Path2D();
    for (const i of this.data.selected || []) {
      if (this.hidden.has(group[i])) continue;
      path.moveTo(places[2 * i] + r + 1, places[2 * i + 1]);
      path.arc(places[2 * i], places[2 * i + 1], r + 1, 0, 7);
    }
    g.strokeStyle = this.ink; g.lineWidth = 1.5; g.stroke(path);
  }

  ring(g, places, i, colour) {
    if (!(i >= 0)) return;
    g.strokeStyle = colour; g.lineWidth = 2;
    g.beginPath(); g.arc(places[2 * i], places[2 * i + 1], 8, 0, 7); g.stroke();
  }

  spot(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const p = this.data.titles.findIndex((_, k) => {
      const [left, top] = this.origin(k);
      return x >= left && x <= left + this.wide && y >= top && y <= top + this.high;
    });
    return p < 0 ? null : { p, x, y };
  }

  nearest({ p, x, y }) {
    const places = this.places[p], group = this.data.groups[p];
    let best = -1, least = 81;
    for (let i = 0; i < group.length; i++) {
      const far = (places[2 * i] - x) ** 2 + (places[2 * i + 1] - y) ** 2;
      if (far < least && !this.hidden.has(group[i])) { least = far; best = i; }
    }
    return best;
  }

  hint(p, i) {
    this.tip.style.display = i < 0 ? "none" : "block";
    if (i < 0) return;
    const d = this.data, x = this.places[p][2 * i], y = this.places[p][2 * i + 1];
    this.tip.textContent = `point ${i}\n${d.names[d.groups[p][i]]}` + (d.wrong[p][i] ? "\nmisplaced" : "");
    const over = x + 14 + this.tip.offsetWidth > this.canvas.clientWidth;
    this.tip.style.left = (over ? x - 14 - this.tip.offsetWidth : x + 14) + "px"; this.tip.style.top = y + 10 + "px";
  }

  zoom(factor, spot) {
    if (this.data.dims === 3) this.closer = Math.max(0.2, Math.min(20, this.closer / factor));
    else this.data.titles.forEach((_, p) => {
      if (spot && spot.p !== p) return;
      const [x0, y0, x1, y1] = this.view(p), [left, top] = this.origin(p);
      const a = spot ? (spot.x - left) / this.wide : 0.5, b = spot ? 1 - (spot.y - top) / this.high : 0.5;
      const w = (x1 - x0) * factor, h = (y1 - y0) * factor, x = x0 + a * (x1 - x0 - w), y = y0 + b * (y1 - y0 - h);
      this.windows[p] = [x, y, x + w, y + h];
    });
    this.draw();
  }

  zoomBox(from, to) {
    const [x0, y0, x1, y1] = this.view(from.p), [left, top] = this.origin(from.p);
    const along = (x) => x0 + ((x - left) / this.wide) * (x1 - x0), up = (y) => y1 - ((y - top) / this.high) * (y1 - y0);
    const [a, b] = [along(from.x), along(to.x)].sort((u, v) => u - v), [c, e] = [up(from.y), up(to.y)].sort((u, v) => u - v);
    this.windows[from.p] = [a, c, b, e];
    this.draw();
  }

  // Send the points inside what was drawn: a box, or a lasso by the even-odd rule.
  select(p, line) {
    const shape = new Path2D(), g = this.canvas.getContext("2d"), places = this.places[p];
    line.forEach(([x, y], k) => (k ? shape.lineTo(x, y) : shape.moveTo(x, y)));
    shape.closePath();
    g.save(); g.setTransform(1, 0, 0, 1, 0, 0); // the shape is in the page's pixels, as the places are
    const found = [];
    this.data.groups[p].forEach((group, i) => {
      if (!this.hidden.has(group) && g.isPointInPath(shape, places[2 * i], places[2 * i + 1], "evenodd")) found.push(i);
    });
    g.restore();
    this.draw();
    if (found.length) this.send("points", found);
  }

  // The line that a drag draws around points.
  outlineOf(from, to) {
    return this.selecting === "box" ? [[from.x, from.y], [to.x, from.y], [to.x, to.y], [from.x, to.y]] : from.line;
  }

  drawAround(from, to) {
    this.tip.style.display = "none";
    from.line.push([to.x, to.y]);
    this.draw();
    const g = this.canvas.getContext("2d");
    g.strokeStyle = this.ink; g.lineWidth = 1.5; g.setLineDash([4, 3]); g.beginPath();
    this.outlineOf(from, to).forEach(([x, y]) => g.lineTo(x, y));
    g.closePath(); g.stroke(); g.setLineDash([]);
  }

  selectBy(way) {
    this.selecting = this.selecting === way ? "" : way;
    for (const name of ["box", "lasso"]) {
      this.root.querySelector(`.${name}`).setAttribute("aria-pressed", String(this.selecting === name));
    }
  }

  // In two dimensions a drag spans a box to zoom to, in three it turns both panels.
  drag(from, to, event) {
    if (this.selecting) { this.drawAround(from, to); return; }
    this.tip.style.display = "none";
    if (this.data.dims === 3) {
      this.yaw += event.movementX / 120;
      this.pitch = Math.max(-1.5, Math.min(1.5, this.pitch + event.movementY / 120));
    }
    this.draw();
    if (this.data.dims === 2) {
      const g = this.canvas.getContext("2d");
      g.strokeStyle = this.ink; g.lineWidth = 1.5; g.setLineDash([4, 3]);
      g.strokeRect(from.x, from.y, to.x - from.x, to.y - from.y); g.setLineDash([]);
    }
  }

  listen() {
    let from = null;
    const { canvas } = this, clicks = new Clicks(), press = (name, act) => this.root.querySelector(name).addEventListener("click", act);
    canvas.addEventListener("mousedown", (e) => { from = this.spot(e); if (from) from.line = [[from.x, from.y]]; });
    canvas.addEventListener("mousemove", (e) => {
      const to = this.spot(e);
      if (from && to && e.buttons && to.p === from.p) this.drag(from, to, e);
      else if (!e.buttons) this.hint(to?.p, to ? this.nearest(to) : -1);
    });
    canvas.addEventListener("mouseup", (e) => {
      const to = this.spot(e);
      if (from && to && to.p === from.p) {
        const moved = Math.abs(to.x - from.x) > 6 && Math.abs(to.y - from.y) > 6;
        const near = this.nearest(to);
        if (Math.hypot(to.x - from.x, to.y - from.y) < 4) clicks.single(e, this.zoomed(), () => this.choose(near));
        else if (this.selecting) this.select(from.p, this.outlineOf(from, to));
        else if (moved && this.data.dims === 2) this.zoomBox(from, to);
        else this.draw();
      } else if (from && this.selecting) { // released beside the panel: what was drawn inside counts
        const [x, y] = from.line.at(-1);
        this.select(from.p, this.outlineOf(from, { x, y }));
      }
      from = null;
    });
    canvas.addEventListener("mouseleave", () => this.hint(0, -1));
    canvas.addEventListener("dblclick", () => { this.whole(); this.draw(); });
    canvas.addEventListener("wheel", (e) => {
      const at = e.ctrlKey && this.spot(e); // plain wheel scrolls the page
      if (at) { e.preventDefault(); this.zoom(e.deltaY > 0 ? 1.25 : 0.8, at); }
    }, { passive: false });
    canvas.addEventListener("keydown", (e) => this.key(e));
    canvas.addEventListener("blur", () => { this.cursor = null; this.hint(0, -1); this.draw(); });
    press(".in", () => this.zoom(0.5));
    press(".out", () => this.zoom(2));
    press(".all", () => { this.whole(); this.draw(); });
    press(".box", () => this.selectBy("box"));
    press(".lasso", () => this.selectBy("lasso"));
    press(".save", () => {
      const link = document.createElement("a");
      link.download = "embedding.png"; link.href = canvas.toDataURL("image/png"); link.click();
    });
  }

  choose(i) { if (i >= 0) this.send("point", i); }

  key(e) {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[e.key], last = this.data.titles.length - 1;
    if (step && e.shiftKey && this.data.dims === 3) {
      if (e.key === "ArrowLeft" || e.key === "ArrowRight") this.yaw += 0.1 * step; else this.pitch += 0.1 * step;
    } else if (step) {
      const n = this.data.group0.length, at = this.cursor ? this.cursor[1] + step : Math.max(0, this.data.chosen);
      this.cursor = [last, (at + n) % n];
    } else if (e.key === "Enter" && this.cursor) this.choose(this.cursor[1]);
    else if (e.key === "+" || e.key === "=") this.zoom(0.5);
    else if (e.key === "-") this.zoom(2);
    else if (e.key === "Escape" && this.selecting) this.selectBy(this.selecting);
    else if (e.key === "0" || e.key === "Escape") this.whole();
    else return;
    e.preventDefault();
    this.draw();
    if (this.cursor) this.hint(...this.cursor);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  if (!data) return;
  let view = states.get(parentElement);
  if (!view) {
    view = new PointsView(parentElement);
    states.set(parentElement, view);
  }
  view.update(unpack(data), setTriggerValue);
}
