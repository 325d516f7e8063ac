"use strict";
// The stage of a replay: canvas, cameras and layers of what replay_scene.js makes of the numbers.
// It is built when it is asked for; without WebGL the poster stays. The player (replay.js) has the
// time, says it (`tell`) and can `pause`.
const SoftdockStage = (function () {
  const root = document.documentElement;
  const colour = (name) =>
    getComputedStyle(root)
      .getPropertyValue("--" + name)
      .trim();

  class Stage {
    constructor(figure) {
      this.figure = figure;
      this.data = JSON.parse(figure.querySelector("script[data-replay-data]").textContent);
      this.stage = figure.querySelector(".replay-stage");
      this.view = this.data.panels[0].firstView;
      this.panels = null;
    }

    build() {
      return (this.asked = this.asked || this.make().catch((error) => this.giveUp(error)));
    }
    async make() {
      if (!document.createElement("canvas").getContext("webgl2")) throw new Error("no WebGL");
      this.figure.classList.add("loading");
      await SoftdockScene.loadThree();
      const read = await SoftdockScene.unpack(this.data);
      this.canvas = document.createElement("canvas");
      this.renderer = new THREE.WebGLRenderer({
        canvas: this.canvas,
        antialias: true,
        alpha: true,
        preserveDrawingBuffer: false,
      });
      this.panels = this.data.panels.map((panel) => new SoftdockScene.Panel(panel, read));
      this.camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
      this.eye = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
      this.camera.up.set(...this.data.panels[0].up);
      this.controls = new THREE.OrbitControls(this.camera, this.canvas);
      this.controls.enableZoom = false; // the wheel scrolls the page until the stage is chosen
      this.canvas.style.touchAction = "pan-y";
      this.stage.addEventListener("focusin", () => {
        this.controls.enableZoom = true;
      });
      this.stage.addEventListener("focusout", () => {
        this.controls.enableZoom = false;
      });
      this.canvas.addEventListener("pointerdown", () => this.stage.focus({ preventScroll: true }));
      this.canvas.addEventListener("webglcontextlost", () =>
        this.giveUp(new Error("context lost")),
      );
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
    columns() {
      const n = this.data.panels.length;
      return n < 2 ? 1 : this.stage.clientWidth < 560 ? 1 : 2;
    }
    draw() {
      this.tell();
      if (!this.panels || this.waiting) return;
      this.waiting = requestAnimationFrame(() => {
        this.waiting = 0;
        this.render();
      });
    }
    render() {
      const width = this.stage.clientWidth,
        height = this.stage.clientHeight;
      if (!this.panels || !width || !height) return;
      const columns = this.columns(),
        rows = Math.ceil(this.panels.length / columns);
      const w = width / columns,
        h = height / rows,
        view = this.data.panels[0].views[this.view];
      this.renderer.setPixelRatio(window.devicePixelRatio);
      if (
        this.canvas.clientWidth !== width ||
        this.canvas.clientHeight !== height ||
        this.canvas.width !== Math.floor(width * window.devicePixelRatio)
      )
        this.renderer.setSize(width, height);
      this.renderer.setScissorTest(true);
      const on = (layer) => {
        const box = this.figure.querySelector(`input[data-layer=${layer}]`);
        return !box || box.checked;
      };
      this.panels.forEach((panel, i) => {
        panel.set(this.time);
        for (const layer of Object.keys(this.data.layers)) panel.show(layer, on(layer));
        panel.grid.visible = view.floor && panel.data.grounded;
        const distance = this.camera.position.distanceTo(this.controls.target);
        this.eye.copy(this.camera);
        this.eye.position.add(panel.gone(view.follows));
        Object.assign(this.eye, {
          fov: SoftdockScene.Panel.angle(view, w / h),
          aspect: w / h,
          near: distance / 200,
          far: distance * 40,
        });
        this.eye.updateProjectionMatrix();
        this.eye.updateMatrixWorld();
        panel.lamp.position.set(-0.45, 0.75, 0.7).applyMatrix4(this.eye.matrixWorld);
        panel.lamp.target.position.set(0, 0, 0).applyMatrix4(this.eye.matrixWorld);
        const left = (i % columns) * w,
          bottom = height - (Math.floor(i / columns) + 1) * h;
        this.renderer.setViewport(left, bottom, w, h);
        this.renderer.setScissor(left, bottom, w, h);
        this.renderer.render(panel.scene, this.eye);
      });
      this.figure.dataset.frame = String(this.time);
    }
    paint() {
      if (this.panels) {
        for (const panel of this.panels) panel.paint(colour);
        this.draw();
      }
    }
    aim() {
      const { eye, centre } = this.data.panels[0].views[this.view];
      this.camera.position.set(...eye);
      this.controls.target.set(...centre);
      this.controls.update();
    }
    layersOfView() {
      const shown = this.data.panels[0].views[this.view].layers;
      for (const box of this.figure.querySelectorAll("input[data-layer]"))
        box.checked = shown.includes(box.dataset.layer);
      for (const button of this.figure.querySelectorAll("button[data-view]"))
        button.setAttribute("aria-pressed", String(button.dataset.view === this.view));
    }
    look(view) {
      if (!this.data.panels[0].views[view]) return;
      this.view = view;
      this.layersOfView();
      this.build().then(() => {
        if (this.panels) {
          this.aim();
          this.draw();
        }
      });
    }
    save() {
      this.build().then(() => {
        if (!this.panels) return;
        this.render();
        this.withText().toBlob(function (blob) {
          const link = document.createElement("a");
          link.href = URL.createObjectURL(blob);
          link.download = "softdock.png";
          link.click();
          setTimeout(() => URL.revokeObjectURL(link.href), 1000);
        });
      });
    }
    // The canvas with its names and numbers: the page writes them over it.
    withText() {
      const flat = document.createElement("canvas"),
        paper = flat.getContext("2d"),
        ratio = this.canvas.width / this.stage.clientWidth,
        columns = this.columns(),
        rows = Math.ceil(this.panels.length / columns);
      flat.width = this.canvas.width;
      flat.height = this.canvas.height;
      const w = flat.width / columns,
        h = flat.height / rows,
        edge = 12 * ratio;
      this.panels.forEach((panel, i) => {
        const left = (i % columns) * w,
          top = Math.floor(i / columns) * h;
        paper.fillStyle = panel.data.grounded ? colour("card") : "#0d1626";
        paper.fillRect(left, top, w, h);
      });
      paper.drawImage(this.canvas, 0, 0);
      this.panels.forEach((panel, i) => {
        const left = (i % columns) * w + edge,
          top = Math.floor(i / columns) * h + edge;
        paper.fillStyle = panel.data.grounded ? colour("text") : "#ffffff";
        paper.textBaseline = "top";
        paper.font = `600 ${16 * ratio}px sans-serif`;
        paper.fillText(panel.data.name, left, top);
        paper.textBaseline = "bottom";
        paper.font = `${14 * ratio}px sans-serif`;
        paper.fillText(panel.describe(this.time).join("    "), left, top + h - 2 * edge);
      });
      return flat;
    }
    full() {
      if (document.fullscreenElement) document.exitFullscreen();
      else if (this.figure.requestFullscreen) this.figure.requestFullscreen();
    }
  }
  return Stage;
})();
