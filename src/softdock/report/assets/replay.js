"use strict";
// The player of a replay: one time for canvas, controls and charts. A poster stands there first; the canvas is built when
// it is asked for, and a page without WebGL, or on paper, keeps the poster.
(function () {
  const CONTACT_S = 3; // a contact takes at least this long on the screen when the speed is "auto"
  const FLIGHT_S = 20; // and the rest of a run at most this long
  const FLY_S = 2.4; // of the way of the camera from the whole facility to the touch
  const root = document.documentElement;
  const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
  const within = (x, low, high) => Math.min(Math.max(x, low), high);
  const players = [];

  // Contacts of all panels with some room around them, each with the speed at which it is shown.
  function slowWindows(panels) {
    const found = panels.flatMap((panel) => panel.contacts).map(([a, b]) => [a - 0.15 * (b - a) - 0.01, b + 0.15 * (b - a) + 0.01]).sort((x, y) => x[0] - y[0]);
    const joined = [];
    for (const [a, b] of found) {
      const before = joined[joined.length - 1];
      if (before && a <= before.b) before.b = Math.max(before.b, b);
      else joined.push({ a, b });
    }
    for (const one of joined) one.speed = within((one.b - one.a) / CONTACT_S, 1 / 200, 1);
    return joined;
  }

  class Player {
    constructor(figure) {
      this.figure = figure;
      this.data = JSON.parse(figure.querySelector("script[data-replay-data]").textContent);
      this.stage = figure.querySelector(".replay-stage");
      const find = (name) => figure.querySelector(name);
      Object.assign(this, { bar: find(".replay-bar"), more: find(".replay-more"), range: find("input[type=range]"), said: find(".replay-time"), toggle: find(".replay-play"), start: find(".replay-start"), speed: find("select") });
      this.from = Number(figure.dataset.from);
      this.to = Number(figure.dataset.to);
      this.time = Number(figure.dataset.at);
      this.view = this.data.panels[0].firstView;
      this.slow = slowWindows(this.data.panels);
      const busy = this.slow.reduce((sum, one) => sum + one.b - one.a, 0);
      this.flight = Math.max(1, (this.to - this.from - busy) / FLIGHT_S);
      this.playing = false;
      this.panels = null;
      this.cursors = [];
      this.shot = figure.dataset.fly ? { to: figure.dataset.fly, done: 0 } : null; // from afar to where it happens, once
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
      this.start.addEventListener("click", () => { this.play(); this.stage.focus({ preventScroll: true }); });
      this.toggle.addEventListener("click", () => (this.playing ? this.pause() : this.play()));
      this.range.addEventListener("input", () => { this.pause(); this.seek(Number(this.range.value)); });
      for (const button of this.figure.querySelectorAll("button[data-view]")) button.addEventListener("click", () => this.look(button.dataset.view));
      for (const box of this.figure.querySelectorAll("input[data-layer]")) box.addEventListener("change", () => { this.build().then(() => this.draw()); });
      this.figure.querySelector("[data-do=picture]").addEventListener("click", () => this.save());
      this.figure.querySelector("[data-do=full]").addEventListener("click", () => this.full());
      this.figure.addEventListener("keydown", (event) => this.key(event));
      if (this.figure.dataset.start === "sight") this.onSight();
    }
    // After the charts, when seen, and only for readers who do not mind motion.
    onSight() {
      if (matchMedia("(prefers-reduced-motion: reduce)").matches || !window.IntersectionObserver) return;
      const watch = new IntersectionObserver((entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        watch.disconnect();
        whenDrawn(() => { if (!this.playing && !this.asked) this.play(); });
      }, { threshold: 0.4 });
      watch.observe(this.stage);
    }

    build() { return (this.asked = this.asked || this.make().catch((error) => this.giveUp(error))); }
    async make() {
      if (!document.createElement("canvas").getContext("webgl2")) throw new Error("no WebGL");
      this.figure.classList.add("loading");
      await SoftdockScene.loadThree();
      const read = await SoftdockScene.unpack(this.data);
      this.canvas = document.createElement("canvas");
      this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true, preserveDrawingBuffer: false });
      this.panels = this.data.panels.map((panel) => new SoftdockScene.Panel(panel, read));
      this.camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
      this.eye = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
      this.camera.up.set(...this.data.panels[0].up);
      this.controls = new THREE.OrbitControls(this.camera, this.canvas);
      this.controls.enableZoom = false; // the wheel scrolls the page until the stage is chosen
      this.canvas.style.touchAction = "pan-y";
      this.stage.addEventListener("focusin", () => { this.controls.enableZoom = true; });
      this.stage.addEventListener("focusout", () => { this.controls.enableZoom = false; });
      this.canvas.addEventListener("pointerdown", () => this.stage.focus({ preventScroll: true }));
      this.canvas.addEventListener("webglcontextlost", () => this.giveUp(new Error("context lost")));
      this.controls.addEventListener("change", () => this.draw());
      new ResizeObserver(() => this.draw()).observe(this.stage);
      this.stage.prepend(this.canvas);
      this.aim();
      this.paint();
      this.draw();
      this.figure.classList.remove("loading");
      this.figure.classList.add("live");
      this.figure.dataset.ready = "yes";
      performance.mark("replay-ready");
    }
    giveUp() {
      this.pause();
      this.panels = null;
      this.figure.classList.remove("loading", "live");
      this.figure.classList.add("still");
      this.figure.querySelector(".replay-note").hidden = false;
    }

    columns() { const n = this.data.panels.length; return n < 2 ? 1 : this.stage.clientWidth < 560 ? 1 : 2; }
    draw() {
      this.tell();
      if (!this.panels || this.waiting) return;
      this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.render(); });
    }
    render() {
      const width = this.stage.clientWidth, height = this.stage.clientHeight;
      if (!this.panels || !width || !height) return;
      const columns = this.columns(), rows = Math.ceil(this.panels.length / columns);
      const w = width / columns, h = height / rows, view = this.data.panels[0].views[this.view];
      this.renderer.setPixelRatio(window.devicePixelRatio);
      if (this.canvas.clientWidth !== width || this.canvas.clientHeight !== height || this.canvas.width !== Math.floor(width * window.devicePixelRatio)) this.renderer.setSize(width, height);
      this.renderer.setScissorTest(true);
      const on = (layer) => { const box = this.figure.querySelector(`input[data-layer=${layer}]`); return !box || box.checked; };
      this.panels.forEach((panel, i) => {
        panel.set(this.time);
        for (const layer of Object.keys(this.data.layers)) panel.show(layer, on(layer));
        panel.grid.visible = view.floor && panel.data.grounded;
        const distance = this.camera.position.distanceTo(this.controls.target);
        this.eye.copy(this.camera);
        this.eye.position.add(panel.gone(view.follows));
        Object.assign(this.eye, { fov: SoftdockScene.Panel.angle(view.angle, w / h), aspect: w / h, near: distance / 200, far: distance * 40 });
        this.eye.updateProjectionMatrix();
        this.eye.updateMatrixWorld();
        panel.lamp.position.set(-0.45, 0.75, 0.7).applyMatrix4(this.eye.matrixWorld);
        panel.lamp.target.position.set(0, 0, 0).applyMatrix4(this.eye.matrixWorld);
        const left = (i % columns) * w, bottom = height - (Math.floor(i / columns) + 1) * h;
        this.renderer.setViewport(left, bottom, w, h);
        this.renderer.setScissor(left, bottom, w, h);
        this.renderer.render(panel.scene, this.eye);
      });
      this.figure.dataset.frame = String(this.time);
    }
    paint() { if (this.panels) { for (const panel of this.panels) panel.paint(colour); this.draw(); } }
    aim() {
      const { eye, centre } = this.data.panels[0].views[this.view];
      this.camera.position.set(...eye);
      this.controls.target.set(...centre);
      this.controls.update();
    }
    layersOfView() {
      const shown = this.data.panels[0].views[this.view].layers;
      for (const box of this.figure.querySelectorAll("input[data-layer]")) box.checked = shown.includes(box.dataset.layer);
      for (const button of this.figure.querySelectorAll("button[data-view]")) button.setAttribute("aria-pressed", String(button.dataset.view === this.view));
    }
    look(view) {
      if (!this.data.panels[0].views[view]) return;
      this.view = view;
      this.shot = null;
      this.layersOfView();
      this.build().then(() => { if (this.panels) { this.aim(); this.draw(); } });
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
        if (this.time >= this.to - 1e-9 || !this.touched) this.time = this.from; // the poster's instant is not where it begins
        this.touched = true;
        this.playing = true;
        this.figure.classList.add("playing");
        let before = performance.now();
        const step = (now) => {
          if (!this.playing) return;
          const seconds = Math.min((now - before) / 1000, 0.25);
          before = now;
          if (!this.fly(seconds)) this.time = this.advance(seconds);
          if (this.time >= this.to) { this.time = this.to; this.pause(); }
          this.draw();
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
        this.tell();
      });
    }
    // The establishing shot: the clock waits while the camera goes from the whole facility to the touch. Whoever takes
    // the camera, chooses a view or minds motion ends it.
    fly(seconds) {
      const shot = this.shot, views = this.data.panels[0].views;
      if (!shot || !views[shot.to] || shot.to === this.view && !shot.done) return false;
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      shot.done = calm ? 1 : Math.min(shot.done + seconds / FLY_S, 1);
      if (!shot.from) {
        shot.from = { eye: this.camera.position.clone(), centre: this.controls.target.clone() };
        this.controls.addEventListener("start", () => { this.shot = null; });
      }
      const s = shot.done * shot.done * (3 - 2 * shot.done), goal = views[shot.to];
      const centre = shot.from.centre.clone().lerp(new THREE.Vector3(...goal.centre), s);
      const start = shot.from.eye.clone().sub(shot.from.centre), end = new THREE.Vector3(...goal.eye).sub(new THREE.Vector3(...goal.centre));
      const away = start.clone().normalize().lerp(end.clone().normalize(), s).normalize().multiplyScalar(start.length() * Math.pow(end.length() / start.length(), s));
      if (shot.done >= 1) { this.shot = null; this.view = shot.to; this.layersOfView(); this.aim(); return true; }
      this.camera.position.copy(centre).add(away);
      this.controls.target.copy(centre);
      this.controls.update();
      return true;
    }
    // A step of the clock never jumps over the beginning of a contact.
    advance(seconds) {
      let left = seconds, t = this.time;
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
    pause() { this.playing = false; this.figure.classList.remove("playing"); this.tell(); }
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
        const { time } = this.panels[0], { low, part } = this.panels[0].place(this.time);
        const at = count > 0 ? low + (part > 1 - 1e-9 ? 1 : 0) + count : low + (part > 1e-9 ? 1 : 0) + count;
        this.seek(time[within(at, 0, time.length - 1)]);
      });
    }
    key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === "SELECT") return;
      const onButton = event.target.tagName === "BUTTON" || event.target.type === "checkbox";
      const many = event.shiftKey ? 10 : 1, views = Object.keys(this.data.panels[0].views);
      const does = {
        ArrowRight: () => this.step(many), ArrowLeft: () => this.step(-many),
        Home: () => this.seek(this.from), End: () => { this.pause(); this.seek(this.to); },
      };
      if (!onButton) does[" "] = () => (this.playing ? this.pause() : this.play());
      if (/^[1-3]$/.test(event.key) && views[event.key - 1]) does[event.key] = () => this.look(views[event.key - 1]);
      if (!does[event.key]) return;
      event.preventDefault();
      does[event.key]();
    }

    // Everything that shows the time: the controls, and a line in each chart.
    tell() {
      const speed = this.speedNow(), slow = speed > 1.05 ? `${speed.toFixed(1)} x` : speed > 0.7 ? "1 x" : `1/${Math.round(1 / speed)} x`;
      this.said.textContent = `${this.time.toFixed(3)} s  ${slow}${this.forces()}`;
      this.range.value = this.time;
      this.range.style.setProperty("--done", `${(100 * (this.time - this.from)) / (this.to - this.from || 1)}%`);
      this.range.setAttribute("aria-valuetext", `${this.time.toFixed(3)} seconds`);
      this.toggle.textContent = this.playing ? "Pause" : "Play";
      this.labels.forEach((label, i) => {
        label.classList.toggle("over", this.panels !== null && this.time > this.panels[i].last + 1e-9);
        const caption = label.querySelector(".replay-caption");
        if (caption) caption.textContent = (this.data.panels[i].captions.filter(([from]) => from <= this.time + 1e-9).pop() || ["", ""])[1];
      });
      for (const cursor of this.cursors) cursor.place(this.time);
    }
    forces() {
      if (!this.panels || this.panels.length > 1) return "";
      this.panels[0].set(this.time);
      return this.panels[0].arrows.filter((arrow) => arrow.about.kind === "force").map((arrow) => `  ${arrow.about.role === "orbit" ? "orbit " : ""}${arrow.value.toFixed(1)} ${arrow.about.unit}`).reverse().join("");
    }
    save() {
      this.build().then(() => {
        if (!this.panels) return;
        this.render();
        this.canvas.toBlob(function (blob) {
          const link = document.createElement("a");
          link.href = URL.createObjectURL(blob);
          link.download = "softdock.png";
          link.click();
          setTimeout(() => URL.revokeObjectURL(link.href), 1000);
        });
      });
    }
    full() { if (document.fullscreenElement) document.exitFullscreen(); else if (this.figure.requestFullscreen) this.figure.requestFullscreen(); }
  }

  // A thin line over a chart; the chart itself is not drawn again.
  function cursorOf(chart) {
    const line = document.createElement("div");
    line.className = "replay-cursor";
    chart.style.position = "relative";
    chart.append(line);
    let last = NaN;
    const place = function (time) {
      last = time;
      const layout = chart._fullLayout;
      if (!layout || !layout.xaxis || !layout.xaxis.d2p) return;
      const [a, b] = layout.xaxis.range.map(Number), inside = time >= Math.min(a, b) && time <= Math.max(a, b);
      line.style.display = inside ? "block" : "none";
      line.dataset.time = String(time);
      line.style.transform = `translateX(${layout.xaxis._offset + layout.xaxis.d2p(time)}px)`;
      line.style.top = `${layout._size.t}px`;
      line.style.height = `${layout._size.h}px`;
    };
    chart.on("plotly_afterplot", () => place(last));
    return { place };
  }
  function whenDrawn(action) {
    if (root.dataset.drawn === "yes") { setTimeout(action, 0); return; }
    new MutationObserver(function (_, watch) { if (root.dataset.drawn === "yes") { watch.disconnect(); action(); } }).observe(root, { attributes: true, attributeFilter: ["data-drawn"] });
  }
  function link(player) {
    if (player.figure.dataset.charts !== "yes") return;
    for (const chart of document.querySelectorAll(".chart[data-time=yes]")) {
      player.cursors.push(cursorOf(chart));
      chart.on("plotly_click", (event) => { player.pause(); player.seek(Number(event.points[0].x)); });
    }
    player.tell();
  }

  for (const figure of document.querySelectorAll("figure[data-replay]")) {
    const player = new Player(figure);
    figure.player = player;
    players.push(player);
    whenDrawn(() => link(player));
  }
  const recolour = () => players.forEach((player) => player.paint());
  new MutationObserver(recolour).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
})();
