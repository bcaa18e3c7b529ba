// A toolbar that goes through numbered states: buttons, a slider, the keyboard, and play.

function make(tag, className = "", text = "", into = null) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  if (into) into.append(element);
  return element;
}

class Player {
  // show(at) draws a state; finish() runs when playing reaches the end.
  constructor(bar, what, show, finish = () => {}) {
    Object.assign(this, { bar, show, finish, timer: null, delay: 1500 });
    bar.setAttribute("role", "toolbar");
    bar.setAttribute("aria-label", `Go through ${what}`);
    this.buttons = {};
    const buttons = [
      ["first", "First", "Home", () => this.go(this.from)], ["back", "Back", "←", () => this.go(this.at - 1)],
      ["play", "Play", "space on the slider", () => this.toggle()], ["next", "Next", "→", () => this.go(this.at + 1)],
      ["last", "Last", "End", () => this.go(this.to)],
    ];
    for (const [name, text, key, act] of buttons) {
      const button = make("button", name, text, bar);
      button.title = `${text} (${key})`;
      button.addEventListener("click", () => { if (name !== "play") this.pause(); act(); });
      this.buttons[name] = button;
    }
    this.slider = make("input", "slider", "", bar);
    this.slider.type = "range";
    this.slider.setAttribute("aria-label", what);
    this.slider.addEventListener("input", () => { this.pause(); this.go(Number(this.slider.value)); });
    this.label = make("output", "label", "", bar);
    bar.addEventListener("keydown", (e) => this.key(e));
  }

  reset(from, to, at) {
    Object.assign(this, { from, to });
    this.slider.min = from; this.slider.max = to;
    this.go(Math.max(from, Math.min(to, at)));
  }

  go(at) {
    this.at = Math.max(this.from, Math.min(this.to, at));
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", this.show(this.at));
    for (const name of ["first", "back"]) this.buttons[name].disabled = this.at <= this.from;
    for (const name of ["next", "last"]) this.buttons[name].disabled = this.at >= this.to;
  }

  toggle() { if (this.timer) this.pause(); else this.play(); }

  play() {
    if (this.at >= this.to) this.go(this.from);
    this.buttons.play.textContent = "Pause";
    this.timer = setInterval(() => {
      if (!this.bar.isConnected) { this.pause(); return; }
      this.go(this.at + 1);
      if (this.at >= this.to) { this.pause(); this.finish(); }
    }, this.delay);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.buttons.play.textContent = "Play";
  }

  key(e) {
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: this.from, End: this.to }[e.key];
    if (to !== undefined) { this.pause(); this.go(to); }
    else if (e.key === " " && e.target === this.slider) this.toggle();
    else return;
    e.preventDefault();
  }
}
