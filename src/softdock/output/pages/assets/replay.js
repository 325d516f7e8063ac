"use strict";
// The player of a replay: one time for canvas, controls and charts. A poster stands there first; a
// page without WebGL, or on paper, keeps it.
(function () {
  const CONTACT_S = 3; // a contact takes at least this long on the screen when the speed is "auto"
  const FLIGHT_S = 20; // and the rest of a run at most this long
  const root = document.documentElement;
  const within = (x, low, high) => Math.min(Math.max(x, low), high);
  const players = [];
  const { whenDrawn, link } = SoftdockCharts;

  // Contacts of all panels with some room around them, each with the speed at which it is shown.
  function slowWindows(panels) {
    const found = panels
      .flatMap((panel) => panel.contacts)
      .map(([a, b]) => [a - 0.15 * (b - a) - 0.01, b + 0.15 * (b - a) + 0.01])
      .sort((x, y) => x[0] - y[0]);
    const joined = [];
    for (const [a, b] of found) {
      const before = joined[joined.length - 1];
      if (before && a <= before.b) before.b = Math.max(before.b, b);
      else joined.push({ a, b });
    }
    for (const one of joined) one.speed = within((one.b - one.a) / CONTACT_S, 1 / 200, 1);
    return joined;
  }

  class Player extends SoftdockStage {
    constructor(figure) {
      super(figure);
      const find = (name) => figure.querySelector(name);
      Object.assign(this, {
        bar: find(".replay-bar"),
        more: find(".replay-more"),
        range: find("input[type=range]"),
        said: find(".replay-time"),
        toggle: find(".replay-play"),
        start: find(".replay-start"),
        speed: find("select"),
      });
      this.from = Number(figure.dataset.from);
      this.to = Number(figure.dataset.to);
      this.time = Number(figure.dataset.at);
      this.slow = slowWindows(this.data.panels);
      const busy = this.slow.reduce((sum, one) => sum + one.b - one.a, 0);
      this.flight = Math.max(1, (this.to - this.from - busy) / FLIGHT_S);
      this.playing = false;
      this.cursors = [];
      this.labels = [...figure.querySelectorAll(".replay-panel")];
      this.listen();
      this.layersOfView();
      this.tell();
    }

    listen() {
      for (const part of [this.bar, this.more, this.start]) part.hidden = false;
      this.range.min = this.from;
      this.range.max = this.to;
      this.range.step = "any";
      this.start.addEventListener("click", () => {
        this.play();
        this.stage.focus({ preventScroll: true });
      });
      this.toggle.addEventListener("click", () => (this.playing ? this.pause() : this.play()));
      this.range.addEventListener("input", () => {
        this.pause();
        this.seek(Number(this.range.value));
      });
      for (const button of this.figure.querySelectorAll("button[data-view]"))
        button.addEventListener("click", () => this.look(button.dataset.view));
      for (const box of this.figure.querySelectorAll("input[data-layer]"))
        box.addEventListener("change", () => {
          this.build().then(() => this.draw());
        });
      this.figure.querySelector("[data-do=picture]").addEventListener("click", () => this.save());
      this.figure.querySelector("[data-do=full]").addEventListener("click", () => this.full());
      this.figure.addEventListener("keydown", (event) => this.key(event));
      if (this.figure.dataset.start === "sight") this.onSight();
    }
    // After the charts, when seen, and only for readers who do not mind motion.
    onSight() {
      if (matchMedia("(prefers-reduced-motion: reduce)").matches || !window.IntersectionObserver)
        return;
      const watch = new IntersectionObserver(
        (entries) => {
          if (!entries.some((entry) => entry.isIntersecting)) return;
          watch.disconnect();
          whenDrawn(() => {
            if (!this.playing && !this.asked) this.play();
          });
        },
        { threshold: 0.4 },
      );
      watch.observe(this.stage);
    }
    speedNow() {
      if (this.speed.value !== "auto") return Number(this.speed.value);
      const here = this.slow.find((one) => this.time >= one.a && this.time < one.b);
      return here ? here.speed : this.flight;
    }
    play() {
      for (const other of players) if (other !== this) other.pause();
      this.build().then(() => {
        if (!this.panels || this.playing) return;
        // the poster's instant is not where it begins
        if (this.time >= this.to - 1e-9 || !this.touched) this.time = this.from;
        this.touched = true;
        this.playing = true;
        this.figure.classList.add("playing");
        let before = performance.now();
        const step = (now) => {
          if (!this.playing) return;
          const seconds = Math.min((now - before) / 1000, 0.25);
          before = now;
          this.time = this.advance(seconds);
          if (this.time >= this.to) {
            this.time = this.to;
            this.pause();
          }
          this.draw();
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
        this.tell();
      });
    }
    // A step of the clock never jumps over the beginning of a contact.
    advance(seconds) {
      let left = seconds,
        t = this.time;
      for (let i = 0; i < 8 && left > 0; i++) {
        const kept = this.time;
        this.time = t;
        const speed = this.speedNow();
        this.time = kept;
        const ends = this.slow.flatMap((one) => [one.a, one.b]).filter((edge) => edge > t + 1e-9);
        const next = Math.min(t + left * speed, ...ends);
        left -= (next - t) / speed;
        t = next;
      }
      return t;
    }
    pause() {
      this.playing = false;
      this.figure.classList.remove("playing");
      this.tell();
    }
    seek(time) {
      this.time = within(time, this.from, this.to);
      this.touched = true;
      this.draw();
      this.build();
    }
    // Frame by frame, along the frames of the first panel.
    step(count) {
      this.pause();
      this.build().then(() => {
        if (!this.panels) return;
        const { time } = this.panels[0],
          { low, part } = this.panels[0].place(this.time);
        const at =
          count > 0 ? low + (part > 1 - 1e-9 ? 1 : 0) + count : low + (part > 1e-9 ? 1 : 0) + count;
        this.seek(time[within(at, 0, time.length - 1)]);
      });
    }
    key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === "SELECT")
        return;
      const onButton = event.target.tagName === "BUTTON" || event.target.type === "checkbox";
      const many = event.shiftKey ? 10 : 1,
        views = Object.keys(this.data.panels[0].views);
      const does = {
        ArrowRight: () => this.step(many),
        ArrowLeft: () => this.step(-many),
        Home: () => this.seek(this.from),
        End: () => {
          this.pause();
          this.seek(this.to);
        },
      };
      if (!onButton) does[" "] = () => (this.playing ? this.pause() : this.play());
      if (/^[1-4]$/.test(event.key) && views[event.key - 1])
        does[event.key] = () => this.look(views[event.key - 1]);
      if (!does[event.key]) return;
      event.preventDefault();
      does[event.key]();
    }
    // Everything that shows the time: the controls, and a line in each chart.
    tell() {
      const speed = this.speedNow(),
        slow =
          speed > 1.05
            ? `${speed.toFixed(1)} x`
            : speed > 0.7
              ? "1 x"
              : `1/${Math.round(1 / speed)} x`;
      this.said.textContent = `${this.time.toFixed(3)} s  ${slow}`;
      this.range.value = this.time;
      this.range.style.setProperty(
        "--done",
        `${(100 * (this.time - this.from)) / (this.to - this.from || 1)}%`,
      );
      this.range.setAttribute("aria-valuetext", `${this.time.toFixed(3)} seconds`);
      this.toggle.textContent = this.playing ? "Pause" : "Play";
      this.labels.forEach((label, i) => {
        label.classList.toggle(
          "over",
          this.panels !== null && this.time > this.panels[i].last + 1e-9,
        );
        if (this.panels) this.panels[i].tell(this.time, label.querySelector(".replay-readings"));
      });
      for (const cursor of this.cursors) cursor.place(this.time);
    }
  }

  for (const figure of document.querySelectorAll("figure[data-replay]")) {
    const player = new Player(figure);
    figure.player = player;
    players.push(player);
    whenDrawn(() => link(player));
  }
  const recolour = () => players.forEach((player) => player.paint());
  new MutationObserver(recolour).observe(root, {
    attributes: true,
    attributeFilter: ["data-theme"],
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
})();
