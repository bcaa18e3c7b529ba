// W as Γ grows, W* laid over it, and ACC and CONN as curves below. The frames come once, as changes
// from one Γ to the next; playing, scrubbing and fading ask the server nothing.

const RAISED = { true: [194, 65, 154], false: [80, 220, 225] }; // on a light page, on a dark one
const FADE = 1200; // ms
const views = new WeakMap();

class Stage {
  constructor(root) {
    this.root = root;
    const bar = root.querySelector(".bar");
    this.player = new Player(bar, "Γ", (at) => this.show(at), () => this.lay(true));
    this.player.delay = 700;
    const label = make("label", "over", "", bar);
    this.box = make("input", "", "", label);
    this.box.type = "checkbox";
    label.append("Lay W* over it");
    this.box.addEventListener("change", () => this.lay(this.box.checked));
    this.matrix = root.querySelector(".matrix");
    this.charts = root.querySelector(".charts");
    this.words = root.querySelector(".words");
    this.alpha = 0;
    new ResizeObserver(() => this.data && this.show(this.player.at)).observe(root.querySelector(".whole"));
  }

  update(data) {
    const same = this.data && this.data.stamp === data.stamp;
    Object.assign(this, { data }, theme(this.matrix));
    this.raised = RAISED[this.light];
    const strong = 3 * 200;
    this.root.querySelector(".link").style.background = `rgb(${this.table.slice(strong, strong + 3)})`;
    this.root.querySelector(".whole").style.setProperty("--raised", `rgb(${this.raised})`);
    this.root.querySelector(".what").textContent = data.instead ? "link of W*, in place of W" : "link that W* adds or raises";
    if (!same) {
      this.grid = { w: new Uint8Array(data.size ** 2), star: new Uint8Array(data.size ** 2), at: 0 };
      this.player.pause();
      this.alpha = 0; this.box.checked = false;
    }
    this.player.reset(1, data.most, same ? this.player.at : 1);
  }

  // The state of both grids after Γ: forwards the changes are added, backwards all begins anew.
  reach(gamma) {
    const { grid, data } = this;
    if (gamma < grid.at) { grid.w.fill(0); grid.star.fill(0); grid.at = 0; }
    for (; grid.at < gamma; grid.at++) {
      for (let e = data.wStarts[grid.at]; e < data.wStarts[grid.at + 1]; e++) grid.w[data.wAt[e]] = data.wValue[e];
      for (let e = data.starStarts[grid.at]; e < data.starStarts[grid.at + 1]; e++) grid.star[data.starAt[e]] = data.starValue[e];
    }
  }

  lay(on) {
    this.box.checked = on;
    const from = this.alpha, to = on ? 1 : 0, begun = performance.now();
    const frame = (now) => {
      const share = Math.min(1, (now - begun) / FADE);
      this.alpha = from + (to - from) * share;
      this.draw();
      if (share < 1 && this.box.checked === on && this.matrix.isConnected) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    this.say();
  }

  show(gamma) {
    this.gamma = gamma;
    this.reach(gamma);
    this.draw();
    this.drawCharts();
    this.say();
    const text = `Γ = ${gamma} of ${this.data.most}`;
    this.player.label.textContent = text;
    return text;
  }

  say() {
    const words = this.data.words[this.gamma - 1];
    this.words.replaceChildren();
    for (const text of this.box.checked ? words : words.slice(0, 1)) make("p", "", text, this.words);
    this.matrix.setAttribute("aria-label", words.join(" "));
  }

  draw() {
    const { data, grid, table, alpha } = this, n = data.size;
    const picture = new OffscreenCanvas(n, n), p = picture.getContext("2d"), image = p.createImageData(n, n);
    const paper = hex(this.paper.length === 7 ? this.paper : "#ffffff");
    const put = (k, c) => { image.data[4 * k] = c[0]; image.data[4 * k + 1] = c[1]; image.data[4 * k + 2] = c[2]; image.data[4 * k + 3] = 255; };
    const colour = (k) => {
      let c = paper;
      if (grid.w[k]) { const v = 3 * Math.round(255 * (0.08 + (0.92 * grid.w[k]) / 255)); c = [table[v], table[v + 1], table[v + 2]]; }
      if (!alpha || (!grid.star[k] && !data.instead)) return c;
      if (data.instead) c = c.map((v, m) => v + (paper[m] - v) * alpha); // W goes, W* comes
      if (!grid.star[k]) return c;
      const a = alpha * (0.35 + (0.65 * grid.star[k]) / 255);
      return [0, 1, 2].map((m) => c[m] + (this.raised[m] - c[m]) * a);
    };
    for (let r = 0; r < n; r++) {
      for (let c = r; c < n; c++) {
        const k = r * n + c, shade = grid.w[k] || grid.star[k] ? colour(k) : paper;
        put(k, shade);
        if (c !== r) put(c * n + r, shade);
      }
    }
    p.putImageData(image, 0, 0);
    const side = this.side(), left = 64 * this.em, top = 24 * this.em;
    const g = sized(this.matrix, left + side + 6, top + side + (data.cell > 1 ? 44 : 24) * this.em);
    g.imageSmoothingEnabled = false;
    g.drawImage(picture, left, top, side, side);
    this.blocks(g, left, top, side);
    this.matrix.dataset.drawn = `${data.stamp} ${this.gamma} ${alpha.toFixed(2)}`;
  }

  side() {
    const width = this.root.querySelector(".whole").clientWidth;
    return Math.max(160, Math.min(520 * this.em, Math.floor(width < 640 * this.em ? width : width * 0.55) - 12 - 64 * this.em));
  }

  blocks(g, left, top, side) {
    const f = side / this.data.points;
    g.strokeStyle = this.ink; g.fillStyle = this.ink; g.font = this.type(12);
    g.globalAlpha = 0.55; g.strokeRect(left - 0.5, top - 0.5, side + 1, side + 1);
    g.globalAlpha = 0.35; g.beginPath();
    for (const { stop } of this.data.blocks) {
      const b = stop * f;
      g.moveTo(left + b, top); g.lineTo(left + b, top + side); g.moveTo(left, top + b); g.lineTo(left + side, top + b);
    }
    g.stroke(); g.globalAlpha = 1;
    const { blocks } = this.data, place = ({ start, stop }) => ({ from: start * f, to: stop * f });
    g.textAlign = "center"; g.textBaseline = "bottom";
    for (const { text, at } of titles(g, blocks, place, numberWidth(g, blocks), (wide) => wide - 2)) g.fillText(text, left + at, top - 4);
    g.textAlign = "right"; g.textBaseline = "middle";
    for (const { text, at } of titles(g, blocks, place, 12 * this.em, () => left - 6)) g.fillText(text, left - 5, top + at);
    g.globalAlpha = 0.8; g.textAlign = "center"; g.textBaseline = "top";
    g.fillText(`point j (${this.data.axis})`, left + side / 2, top + side + 6);
    if (this.data.cell > 1) {
      g.fillText(fit(g, `each dot is the largest of ${this.data.cell}×${this.data.cell} entries`, left + side), (left + side) / 2, top + side + 6 + 16 * this.em);
    }
    g.globalAlpha = 1;
  }

  drawCharts() {
    const { data, em } = this, width = this.root.querySelector(".whole").clientWidth, height = 210 * em;
    const across = width < 560 * em ? 1 : data.charts.length, rows = Math.ceil(data.charts.length / across);
    const g = sized(this.charts, width, rows * height), each = (width - 30 * (across - 1)) / across;
    data.charts.forEach((chart, c) => {
      g.save(); g.translate((c % across) * (each + 30), Math.floor(c / across) * height);
      this.chart(g, chart, each, height);
      g.restore();
    });
    this.charts.setAttribute("aria-label", data.charts.map((chart) => chart.title).join("; "));
    this.charts.dataset.computed = data.computed;
  }

  chart(g, chart, width, height) {
    const { em } = this, left = 46 * em, right = width - 12, top = 42 * em, foot = height - 38 * em, { most } = this.data;
    const x = (gamma) => left + ((gamma - 1) / Math.max(1, most - 1)) * (right - left);
    const y = (v) => foot - (v / chart.high) * (foot - top);
    g.font = this.type(13, 600); g.fillStyle = this.ink; g.textAlign = "left"; g.textBaseline = "top";
    g.fillText(chart.title, 4, 2);
    g.font = this.type(12); g.strokeStyle = this.ink; g.lineWidth = 1;
    [0, 0.5, 1].forEach((share, t) => {
      g.globalAlpha = share ? 0.15 : 0.5; g.beginPath(); g.moveTo(left, y(share * chart.high)); g.lineTo(right, y(share * chart.high)); g.stroke();
      g.globalAlpha = 1; g.textAlign = "right"; g.textBaseline = "middle";
      g.fillText(chart.ticks[t], left - 6, y(share * chart.high));
    });
    g.textAlign = "center"; g.textBaseline = "top";
    for (let gamma = 1; gamma <= most; gamma += most > 12 ? 2 : 1) g.fillText(gamma, x(gamma), foot + 5);
    g.fillText("Γ", (left + right) / 2, foot + 20 * em);
    g.fillText("▲", x(this.data.set), foot + 17 * em);
    g.strokeStyle = this.accent; g.globalAlpha = 0.8; g.setLineDash([4, 3]);
    g.beginPath(); g.moveTo(x(this.gamma), top); g.lineTo(x(this.gamma), foot); g.stroke();
    g.setLineDash([]); g.globalAlpha = 1;
    const tones = [this.ink, `rgb(${this.raised})`];
    chart.series.forEach((values, s) => this.line(g, values, tones[s], x, y, s));
    chart.texts.forEach((texts, s) => {
      g.fillStyle = tones[s]; g.textAlign = "left"; g.textBaseline = "top"; g.font = this.type(12, 600);
      g.fillText(`${["W", "W*"][s]} ${texts[this.gamma - 1] ?? "…"}`, left + s * 100 * em, 20 * em);
    });
  }

  line(g, values, tone, x, y, s) {
    g.strokeStyle = tone; g.fillStyle = tone; g.lineWidth = 2; g.setLineDash(s ? [] : [6, 3]);
    g.beginPath();
    values.forEach((v, k) => g.lineTo(x(k + 1), y(v)));
    g.stroke(); g.setLineDash([]);
    const now = values[this.gamma - 1];
    if (now === undefined) return;
    g.beginPath();
    if (s) g.rect(x(this.gamma) - 4.5, y(now) - 4.5, 9, 9); else g.arc(x(this.gamma), y(now), 5, 0, 7);
    g.fill();
  }
}

export default function ({ data, parentElement }) {
  if (!data) return;
  if (!views.has(parentElement)) views.set(parentElement, new Stage(parentElement));
  views.get(parentElement).update(unpack(data));
}
