// A sheet of small pictures, one block of rows for each class.

const views = new WeakMap();
const SIDE = 30, TITLE = 20;

class Sheet {
  constructor(root) {
    this.box = root.querySelector(".box");
    this.canvas = root.querySelector("canvas");
    this.status = root.querySelector("p");
    this.cursor = null;
    this.canvas.addEventListener("click", (e) => { const k = this.under(e); if (k >= 0) this.send(this.data.points[k]); });
    this.canvas.addEventListener("mousemove", (e) => this.say(this.under(e)));
    this.canvas.addEventListener("mouseleave", () => this.say(-1));
    this.canvas.addEventListener("keydown", (e) => this.key(e));
    new ResizeObserver(() => this.data && this.draw()).observe(this.box);
  }

  update(data, send) {
    Object.assign(this, { data, send }, theme(this.box));
    this.draw();
    this.say(-1);
  }

  // Where each picture stands: left, top; class names stand above their block.
  places(width) {
    const { groups } = this.data, columns = Math.max(1, Math.floor((width - 8) / SIDE));
    const at = [], titles = [];
    let top = 0, column = columns;
    groups.forEach((group, k) => {
      if (k === 0 || group !== groups[k - 1]) {
        top += (k ? SIDE : 0) + (k ? 4 : 0);
        titles.push([group, top]);
        top += TITLE; column = 0;
      } else if (column >= columns) { top += SIDE; column = 0; }
      at.push([4 + SIDE * column++, top]);
    });
    return { at, titles, height: top + SIDE + 4, columns };
  }

  draw() {
    const { data } = this, [h, w] = data.size, width = this.box.clientWidth - 2;
    this.layout = this.places(width);
    const { layout } = this, g = sized(this.canvas, width, layout.height);
    g.fillStyle = this.ink; g.font = this.type(12, 600); g.textBaseline = "middle";
    for (const [group, top] of layout.titles) g.fillText(data.names[group], 4, top + TITLE / 2);
    const small = new OffscreenCanvas(w, h), s = small.getContext("2d"), image = s.createImageData(w, h);
    const room = SIDE - 2, f = room / Math.max(h, w);
    layout.at.forEach(([x, y], k) => {
      for (let p = 0; p < h * w; p++) {
        const v = data.pictures[k * h * w + p];
        image.data.set([v, v, v, 255], 4 * p);
      }
      s.putImageData(image, 0, 0);
      g.drawImage(small, x, y, w * f, h * f);
      if (data.points[k] === data.chosen) this.ring(g, x, y, "#d55e00");
      if (k === this.cursor) this.ring(g, x, y, this.ink);
    });
    this.canvas.setAttribute("aria-label", `${data.points.length} pictures by class; arrow keys move, Enter chooses.`);
    this.canvas.dataset.chosen = data.chosen;
    // The middle of each picture, for whoever points at one from outside.
    this.canvas.dataset.places = layout.at.map(([x, y]) => `${x + SIDE / 2},${y + SIDE / 2}`).join(" ");
  }

  ring(g, x, y, colour) {
    g.strokeStyle = colour; g.lineWidth = 3;
    g.strokeRect(x, y, SIDE - 3, SIDE - 3);
  }

  under(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    return this.layout.at.findIndex(([a, b]) => x >= a && x < a + SIDE && y >= b && y < b + SIDE);
  }

  say(k) {
    const { data } = this, left = data.left_out ? ` ${data.left_out} more are not shown.` : "";
    this.status.textContent = k >= 0 ? `Point ${data.points[k]}, ${data.names[data.groups[k]]}` : `Click a picture to step through it.${left}`;
  }

  key(e) {
    const n = this.data.points.length, { columns } = this.layout;
    const move = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[e.key];
    if (move) {
      const from = this.cursor ?? Math.max(0, this.data.points.indexOf(this.data.chosen));
      this.cursor = Math.max(0, Math.min(n - 1, from + move));
      this.draw(); this.say(this.cursor);
    } else if (e.key === "Enter" && this.cursor !== null) this.send(this.data.points[this.cursor]);
    else return;
    e.preventDefault();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  if (!data) return;
  if (!views.has(parentElement)) views.set(parentElement, new Sheet(parentElement));
  views.get(parentElement).update(unpack(data), (point) => setTriggerValue("point", point));
}
