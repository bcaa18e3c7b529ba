// One point's way through IMC: what is left of it, the correlations, the pick. All numbers come
// from the server once; going from step to step asks it nothing.

const WRONG = "#d55e00";
const views = new WeakMap();
const small = (v) => v !== 0 && Math.abs(v) < 5e-5;
const digits = (v) => (small(v) ? v.toExponential(0) : v.toFixed(4)).replaceAll("-", "−");
const percent = (v) => (v > 0 && v < 5e-6 ? "< 0.001 %" : (100 * v).toFixed(v < 0.001 && v > 0 ? 3 : 1) + " %");
const under = (n) => String(n).replace(/\d/g, (d) => "₀₁₂₃₄₅₆₇₈₉"[d]);

class Panel {
  constructor(into, view) {
    this.view = view;
    this.root = make("section", "reading", "", into);
    this.title = make("h4", "", "", this.root);
    this.frames = ["self", "before", "pick", "after"].map((name) => {
      const figure = make("figure", name, "", make("div", "cell", "", this.strip()));
      const canvas = make("canvas", "", "", figure);
      canvas.setAttribute("role", "img");
      return { figure, canvas, caption: make("figcaption", "", "", figure) };
    });
    this.words = make("p", "words", "", this.root);
    this.words.setAttribute("role", "status");
    make("h5", "", "Correlation ρ of what is left with every other point", this.root);
    const stage = make("div", "stage", "", this.root);
    this.bars = make("canvas", "bars", "", stage);
    this.bars.setAttribute("role", "img");
    this.tip = make("div", "tip", "", stage);
    this.bars.addEventListener("mousemove", (e) => this.hint(e));
    this.bars.addEventListener("mouseleave", () => { this.tip.style.display = "none"; });
    make("h5", "", "Energy of the point, and which step removed it", this.root);
    this.energy = make("div", "energy", "", this.root);
    this.table = make("table", "steps", "", make("div", "scroll", "", this.root));
  }

  strip() {
    this.line = this.line || make("div", "strip", "", this.root);
    return this.line;
  }

  update(data, reading, r) {
    Object.assign(this, { data, reading, residuals: data["residual" + r], rho: data["rho" + r] });
    this.title.textContent = reading.title;
    this.features = this.residuals.length / reading.steps.length;
    const strongest = (a) => a.reduce((m, v) => Math.max(m, Math.abs(v)), 0) || 1;
    this.most = strongest(this.residual(0));
    this.signed = this.rho.some((v) => v < -0.02);
    this.position = new Map(Array.from(data.order, (p, k) => [p, k]));
    this.writeTable();
  }

  residual(at) { return this.residuals.subarray(at * this.features, (at + 1) * this.features); }
  last() { return this.reading.steps.length - 1; }

  show(gamma) {
    this.at = Math.min(gamma, this.last());
    const { data, at } = this, step = this.reading.steps[at], picked = step.pick >= 0;
    this.root.dataset.step = at;
    this.words.textContent = step.words;
    const room = this.root.clientWidth, across = room < 400 * this.view.em ? 2 : 4; // two rows on a phone
    const side = Math.max(60, Math.min(190 * this.view.em, Math.floor((room - 12 * (across - 1)) / across - 6)));
    this.line.style.gridTemplateColumns = `repeat(${across}, minmax(0, 1fr))`;
    const [self, before, pick, after] = this.frames;
    this.sample(self, data.point, side);
    self.caption.textContent = `Point i = ${data.point}, ${data.name}`;
    this.left(before, at, side, picked);
    before.caption.textContent = `Left before step ${at}: ‖ψ${under(at)}‖ = ${digits(step.norm)}, centred ${digits(step.centred)}`;
    pick.figure.className = "pick " + (picked ? (step.right ? "right" : "wrong") : "none");
    after.figure.style.visibility = picked ? "visible" : "hidden";
    if (picked) {
      this.sample(pick, step.pick, side);
      const next = this.reading.steps[at + 1];
      pick.caption.textContent = `Pick j = ${step.pick}, ${step.name} ${step.right ? "✓ same" : "✗ other"} ${data.one}${step.again ? ", picked again" : ""}`;
      this.left(after, at + 1, side, false);
      after.caption.textContent = `Left after it: ‖ψ${under(at + 1)}‖ = ${digits(next.norm)}, centred ${digits(next.centred)}`;
    } else {
      sized(pick.canvas, side, side);
      pick.canvas.setAttribute("aria-label", "No pick");
      pick.caption.textContent = this.reading.ended === "gamma" ? "No further pick" : "No pick: early stop";
    }
    this.drawBars();
    this.drawEnergy();
    for (const [k, row] of [...this.table.tBodies[0].rows].entries()) row.classList.toggle("now", k === at);
  }

  // A sample as it is: its picture, or its curve.
  sample(frame, point, side) {
    const k = this.data.shown.indexOf(point);
    if (this.data.photo) {
      const [h, w] = this.data.photo;
      this.grey(frame.canvas, this.data.photos.subarray(k * h * w, (k + 1) * h * w), [h, w], side, (v) => v);
    } else {
      const curve = this.data.samples.subarray(k * this.features, (k + 1) * this.features);
      this.curve(frame.canvas, [curve], side, curve.reduce((m, v) => Math.max(m, Math.abs(v)), 0) || 1);
    }
    frame.canvas.setAttribute("aria-label", `Point ${point}`);
  }

  // A residual: grey around a middle grey of 0, or a curve with what the step removes beside it.
  left(frame, at, side, removing) {
    const psi = this.residual(at);
    let most = this.most;
    if (this.view.stretched) most = psi.reduce((m, v) => Math.max(m, Math.abs(v)), 0) || 1;
    if (this.data.picture) {
      this.grey(frame.canvas, psi, this.data.picture, side, (v) => 127.5 + (127.5 * v) / most);
    } else {
      const next = removing ? this.residual(at + 1) : null;
      this.curve(frame.canvas, next ? [psi, psi.map((v, k) => v - next[k])] : [psi], side, most);
    }
    frame.canvas.setAttribute("aria-label", `Residual before step ${at}`);
  }

  grey(canvas, values, [h, w], side, level) {
    const small = new OffscreenCanvas(w, h), g = small.getContext("2d"), image = g.createImageData(w, h);
    for (let k = 0; k < h * w; k++) image.data.set([level(values[k]), level(values[k]), level(values[k]), 255], 4 * k);
    g.putImageData(image, 0, 0);
    const f = side / Math.max(h, w), into = sized(canvas, Math.round(w * f), Math.round(h * f));
    into.imageSmoothingEnabled = false;
    into.drawImage(small, 0, 0, Math.round(w * f), Math.round(h * f));
  }

  curve(canvas, lines, side, most) {
    const { ink, accent } = this.view, g = sized(canvas, side, side), n = this.features;
    g.strokeStyle = ink; g.globalAlpha = 0.3; g.strokeRect(0.5, 0.5, side - 1, side - 1);
    g.beginPath(); g.moveTo(0, side / 2); g.lineTo(side, side / 2); g.stroke(); g.globalAlpha = 1;
    lines.forEach((line, k) => {
      g.strokeStyle = k ? accent : ink; g.lineWidth = k ? 2 : 1.5; g.setLineDash(k ? [3, 2] : []);
      g.beginPath();
      line.forEach((v, d) => {
        const y = side / 2 - (v / most) * (side / 2 - 4);
        g.lineTo(n > 1 ? 4 + (d / (n - 1)) * (side - 8) : side / 2, Math.max(1, Math.min(side - 1, y)));
      });
      g.stroke();
    });
    g.setLineDash([]);
  }

  plot() {
    const width = this.bars.parentElement.clientWidth || 400, { em } = this.view, height = 200 * em;
    const n = this.data.order.length, rho = this.rho.subarray(this.at * n, (this.at + 1) * n);
    let high = 1;
    if (this.view.stretched) high = rho.reduce((m, v, j) => (j === this.data.point ? m : Math.max(m, Math.abs(v))), 0) || 1;
    const low = this.signed ? -high : 0, left = 40 * em, right = width - 6, top = 22 * em, foot = height - 26 * em;
    return {
      width, height, rho, low, high, left, right, top, foot,
      x: (k) => left + ((k + 0.5) / this.data.order.length) * (right - left),
      y: (v) => foot - ((v - low) / (high - low)) * (foot - top),
    };
  }

  drawBars() {
    const p = this.plot(), { data, view } = this, n = data.order.length;
    const g = sized(this.bars, p.width, p.height), step = this.reading.steps[this.at];
    g.font = view.type(12); g.fillStyle = view.ink; g.strokeStyle = view.ink;
    g.textAlign = "right"; g.textBaseline = "middle";
    for (const share of this.signed ? [-1, -0.5, 0, 0.5, 1] : [0, 0.5, 1]) {
      const v = share * p.high;
      g.globalAlpha = v === 0 ? 0.6 : 0.15;
      g.beginPath(); g.moveTo(p.left, p.y(v)); g.lineTo(p.right, p.y(v)); g.stroke();
      g.globalAlpha = 1;
      g.fillText(String(Number(v.toFixed(2))).replace("-", "−"), p.left - 6, p.y(v));
    }
    const wide = Math.max(0.75, ((p.right - p.left) / n) * 0.8);
    this.groupNames(g, p);
    for (const group of data.groups) {
      g.fillStyle = group.colour;
      for (let k = group.start; k < group.stop; k++) {
        const j = data.order[k], v = p.rho[j];
        if (j !== data.point) g.fillRect(p.x(k) - wide / 2, Math.min(p.y(v), p.y(0)), wide, Math.abs(p.y(v) - p.y(0)));
      }
    }
    if (step.pick >= 0) this.winner(g, p, step);
    this.bars.setAttribute("aria-label", `Correlations with ${n - 1} points by ${data.one}. ` +
      (step.pick >= 0 ? `The largest is with point ${step.pick}: ${digits(step.rho)}.` : "No pick."));
  }

  // The names of the groups below their bars; the point's own is bold.
  groupNames(g, p) {
    const { groups, point } = this.data, at = this.position.get(point), { ink } = this.view;
    const place = ({ start, stop }) => ({ from: p.x(start - 0.5), to: p.x(stop - 0.5) });
    const own = groups.find(({ start, stop }) => start <= at && at < stop);
    g.fillStyle = ink; g.textAlign = "center"; g.textBaseline = "top"; g.font = this.view.type(12, 700);
    const written = titles(g, groups, place, numberWidth(g, groups), (wide) => wide - 2);
    for (const { text, at: x } of written) {
      const { from, to } = place(own);
      g.font = this.view.type(12, from <= x && x < to ? 700 : 400);
      g.fillText(text, x, p.foot + 6);
    }
    for (const group of groups) {
      const { from, to } = place(group);
      g.globalAlpha = group === own ? 1 : 0.25;
      g.fillRect(from + 1, p.foot + 2, Math.max(1, to - from - 2), group === own ? 3 : 1);
    }
    g.globalAlpha = 1;
  }

  // The winner stands out, and a wrong one otherwise than a right one.
  winner(g, p, step) {
    const x = p.x(this.position.get(step.pick)), y = p.y(step.rho), up = step.rho >= 0 ? -1 : 1;
    const tone = step.right ? this.view.ink : WRONG;
    g.strokeStyle = tone; g.fillStyle = tone; g.lineWidth = 3;
    g.beginPath(); g.moveTo(x, p.y(0)); g.lineTo(x, y); g.stroke();
    g.lineWidth = 2; g.beginPath();
    if (step.right) { g.arc(x, y, 5, 0, 7); g.fill(); }
    else { g.moveTo(x - 5, y - 5); g.lineTo(x + 5, y + 5); g.moveTo(x + 5, y - 5); g.lineTo(x - 5, y + 5); g.stroke(); }
    g.font = this.view.type(12, 600); g.textBaseline = "middle";
    const text = `j = ${step.pick}, ρ = ${digits(step.rho)}`, room = g.measureText(text).width;
    g.textAlign = "left";
    const at = Math.max(p.left, Math.min(p.right - room, x - room / 2));
    const high = Math.max(8, Math.min(p.foot - 8, y + 13 * up));
    g.strokeStyle = this.view.paper; g.lineWidth = 4; g.strokeText(text, at, high); g.lineWidth = 1;
    g.fillText(text, at, high);
  }

  hint(event) {
    const p = this.plot(), { data } = this, n = data.order.length;
    const x = event.clientX - this.bars.getBoundingClientRect().left;
    const k = Math.floor(((x - p.left) / (p.right - p.left)) * n);
    if (k < 0 || k >= n) { this.tip.style.display = "none"; return; }
    const j = data.order[k], group = data.groups.find((q) => k < q.stop);
    this.tip.textContent = j === data.point ? `point ${j}: the point itself, no candidate`
      : `point ${j}, ${group.name}: ρ = ${digits(p.rho[j])}`;
    this.tip.style.display = "block";
    this.tip.style.left = Math.min(x + 12, p.width - this.tip.offsetWidth) + "px";
    this.tip.style.top = "0px";
  }

  drawEnergy() {
    const { steps } = this.reading, whole = steps[0].norm ** 2 || 1;
    this.energy.replaceChildren();
    const part = (share, className, text, title) => {
      const fits = share * this.energy.clientWidth > 7.5 * this.view.em * text.length;
      const box = make("span", className, fits ? text : "", this.energy);
      box.style.flexGrow = Math.max(share, 1e-4);
      box.title = title;
    };
    steps.slice(0, this.at + 1).forEach((s, k) => {
      if (s.pick < 0) return;
      part(s.energy / whole, `${s.right ? "right" : "wrong"}${k === this.at ? " now" : ""}`, percent(s.energy / whole),
        `Step ${k}, point ${s.pick}: ${percent(s.energy / whole)}`);
    });
    const rest = steps[Math.min(this.at + 1, this.last())].norm ** 2 / whole;
    part(rest, "rest", `${percent(rest)} left`, `Left: ${percent(rest)}`);
  }

  writeTable() {
    const { steps } = this.reading, whole = steps[0].norm ** 2 || 1, { one } = this.data;
    this.table.replaceChildren();
    const head = this.table.createTHead().insertRow();
    for (const text of ["γ", "pick j", one, "", "ρ", "cᵢⱼ", "energy removed", "‖ψ‖ before"]) {
      const th = make("th", "", text, head);
      th.scope = "col";
    }
    const body = this.table.createTBody();
    steps.forEach((s, k) => {
      const row = body.insertRow(), picked = s.pick >= 0;
      row.className = picked ? (s.right ? "right" : "wrong") : "none";
      row.addEventListener("click", () => this.view.player.go(k));
      const cells = picked
        ? [k, s.pick, s.name, (s.right ? "✓" : "✗") + (s.again ? " again" : ""), digits(s.rho), digits(s.kept), percent(s.energy / whole), digits(s.norm)]
        : [k, "–", "", this.reading.ended === "gamma" ? "end" : "early stop", "–", "–", "–", digits(s.norm)];
      for (const text of cells) make("td", "", String(text), row);
    });
  }
}

class PointSteps {
  constructor(root) {
    this.root = root;
    this.stretched = false;
    const bar = root.querySelector(".bar");
    this.player = new Player(bar, "the steps γ", (at) => this.show(at));
    const contrast = make("button", "contrast", "Magnify", bar);
    contrast.title = "Faint residuals in full contrast, short bars in full length";
    contrast.setAttribute("aria-pressed", "false");
    contrast.addEventListener("click", () => {
      this.stretched = !this.stretched;
      contrast.setAttribute("aria-pressed", String(this.stretched));
      this.show(this.player.at);
    });
    this.panels = [];
    new ResizeObserver(() => this.data && this.show(this.player.at)).observe(root.querySelector(".readings"));
  }

  update(data) {
    const same = this.data && this.data.stamp === data.stamp;
    Object.assign(this, { data }, theme(this.root.querySelector(".readings")));
    const into = this.root.querySelector(".readings");
    while (this.panels.length > data.readings.length) this.panels.pop().root.remove();
    while (this.panels.length < data.readings.length) this.panels.push(new Panel(into, this));
    data.readings.forEach((reading, r) => this.panels[r].update(data, reading, r));
    const most = Math.max(...this.panels.map((p) => p.last()));
    if (!same) this.player.pause();
    this.player.reset(0, most, same ? this.player.at : 0);
  }

  show(gamma) {
    for (const panel of this.panels) panel.show(gamma);
    const text = `γ = ${gamma} of Γ = ${this.data.gamma}`;
    this.player.label.textContent = text;
    this.root.querySelector(".readings").dataset.drawn = `${this.data.stamp} ${gamma}`;
    return text;
  }
}

export default function ({ data, parentElement }) {
  if (!data) return;
  if (!views.has(parentElement)) views.set(parentElement, new PointSteps(parentElement));
  views.get(parentElement).update(unpack(data));
}
