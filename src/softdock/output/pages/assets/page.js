"use strict";
// Draws the charts from their JSON blocks, in the colours of the style; light and dark; one time
// axis for all.
(function () {
  const root = document.documentElement;
  const charts = Array.from(document.querySelectorAll("script[data-chart]")).map(function (block) {
    return {
      at: document.getElementById(block.dataset.chart),
      figure: JSON.parse(block.textContent),
    };
  });
  const config = {
    displaylogo: false,
    responsive: true,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
  };
  const colour = (name) =>
    getComputedStyle(root)
      .getPropertyValue("--" + name)
      .trim();

  function paint(figure) {
    const layout = figure.layout;
    const text = colour("text"),
      grid = colour("grid"),
      axis = { gridcolor: grid, zerolinecolor: colour("axis"), linecolor: colour("axis") };
    layout.paper_bgcolor = "rgba(0,0,0,0)";
    layout.plot_bgcolor = "rgba(0,0,0,0)";
    layout.font = { color: text, family: "system-ui, sans-serif", size: 13 };
    layout.hoverlabel = { bgcolor: colour("card"), bordercolor: grid, font: { color: text } };
    layout.modebar = { bgcolor: "rgba(0,0,0,0)", color: colour("muted"), activecolor: text };
    for (const name of Object.keys(layout))
      if (/^[xy]axis\d*$/.test(name)) {
        Object.assign(layout[name], axis);
        layout[name].title.font = { size: 13 };
      }
    for (const shape of layout.shapes || []) {
      if (shape.name === "contact") shape.fillcolor = colour("contact");
      if (shape.name === "body") shape.line.color = colour("muted");
      if (shape.name === "bound") shape.line.color = colour("c4");
    }
    for (const note of layout.annotations || []) {
      note.arrowcolor = text;
      note.font = { size: 12, color: text };
    }
    for (const trace of figure.data) {
      const own = colour(trace.meta.role);
      if (trace.fill === "tozerox") trace.fillcolor = colour("stable");
      if (trace.type === "bar") {
        trace.marker = {
          color: (trace.meta.roles || trace.y.map(() => trace.meta.role)).map(colour),
        };
        trace.error_x.color = text;
        delete trace.line;
        continue;
      }
      trace.line.color = own;
      if (trace.marker || trace.mode.includes("markers"))
        trace.marker = Object.assign(trace.marker || {}, { color: own });
    }
  }

  function drawOne(chart) {
    paint(chart.figure);
    Plotly.react(chart.at, chart.figure.data, chart.figure.layout, config);
  }
  const draw = () => charts.forEach(drawOne);

  // One time axis: a zoom in one chart is a zoom in all.
  const timed = charts.filter((chart) => chart.at.dataset.time === "yes");
  let following = false;
  // From the lowest to the highest of what is drawn between two times, with some room.
  function span(figure, axis, from, to) {
    let low = Infinity,
      high = -Infinity;
    for (const trace of figure.data) {
      if ((trace.yaxis || "y") !== axis || trace.visible === "legendonly") continue;
      trace.x.forEach(function (t, i) {
        if (t < from || t > to || trace.y[i] === null) return;
        low = Math.min(low, trace.y[i]);
        high = Math.max(high, trace.y[i]);
      });
    }
    if (!(low < high)) return null;
    return [low - 0.06 * (high - low), high + 0.06 * (high - low)];
  }
  function showTimes(range, except) {
    following = true;
    mark(range);
    const done = timed
      .filter((chart) => chart !== except)
      .map(function (chart) {
        const change = range
          ? { "xaxis.range": range.slice(), "xaxis.autorange": false }
          : { "xaxis.autorange": true };
        for (const name of ["yaxis", "yaxis2"]) {
          if (!chart.figure.layout[name]) continue;
          const limits = range
            ? span(chart.figure, name.replace("axis", ""), range[0], range[1])
            : null;
          if (limits) change[name + ".range"] = limits;
          else change[name + ".autorange"] = true;
        }
        return Plotly.relayout(chart.at, change);
      });
    Promise.all(done).then(function () {
      following = false;
    });
  }
  // The whole run as a strip: where the charts look, and a way to look elsewhere.
  const strip = document.querySelector("svg.strip");
  function mark(range) {
    if (!strip) return;
    const whole = strip.viewBox.baseVal.width,
      shown = strip.querySelector(".window");
    const from = range ? Math.max(0, range[0] - Number(strip.dataset.begin)) : 0;
    const to = range ? Math.min(whole, range[1] - Number(strip.dataset.begin)) : whole;
    shown.setAttribute("x", from);
    shown.setAttribute("width", Math.max(0, to - from));
  }
  const press = (pressed) =>
    document
      .querySelectorAll("button[data-from]")
      .forEach((b) => b.setAttribute("aria-pressed", String(b === pressed)));
  const times = (b) =>
    b.dataset.from === "" ? null : [Number(b.dataset.from), Number(b.dataset.to)];
  function move(event) {
    const box = strip.getBoundingClientRect(),
      shown = strip.querySelector(".window"),
      whole = strip.viewBox.baseVal.width;
    const width = Math.min(Number(shown.getAttribute("width")), 0.25 * whole),
      begin = Number(strip.dataset.begin);
    const middle = begin + (whole * (event.clientX - box.left)) / box.width;
    press(null);
    showTimes([middle - 0.5 * width, middle + 0.5 * width]);
  }
  function link() {
    const first = document.querySelector('button[data-from][aria-pressed="true"]');
    if (first && times(first)) showTimes(times(first));
    if (strip) strip.addEventListener("click", move);
    for (const chart of timed) {
      chart.at.on("plotly_relayout", function (event) {
        if (following) return;
        if (event["xaxis.autorange"]) showTimes(null, chart);
        else if ("xaxis.range[0]" in event)
          showTimes([event["xaxis.range[0]"], event["xaxis.range[1]"]], chart);
      });
    }
    for (const button of document.querySelectorAll("button[data-from]")) {
      button.addEventListener("click", function () {
        press(button);
        showTimes(times(button));
      });
    }
  }

  // Light or dark: as the system says, until the reader chooses.
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const button = document.getElementById("theme");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  function label() {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(isDark()));
  }
  function remembered(value) {
    try {
      if (value) localStorage.setItem("softdock-theme", value);
      return localStorage.getItem("softdock-theme");
    } catch (error) {
      return null;
    } // a page opened from a file may have no storage
  }
  if (remembered()) root.dataset.theme = remembered();
  button.addEventListener("click", function () {
    root.dataset.theme = isDark() ? "light" : "dark";
    remembered(root.dataset.theme);
    label();
    draw();
  });
  system.addEventListener("change", function () {
    label();
    draw();
  });

  let before = null; // paper is white
  window.addEventListener("beforeprint", function () {
    before = root.dataset.theme || "";
    root.dataset.theme = "light";
    draw();
  });
  window.addEventListener("afterprint", function () {
    if (before) root.dataset.theme = before;
    else delete root.dataset.theme;
    draw();
  });

  // Drawn one by one, so that the page can be read and scrolled meanwhile.
  function drawNext(i) {
    if (i === charts.length) {
      link();
      root.dataset.drawn = "yes";
      performance.mark("drawn");
      return;
    }
    drawOne(charts[i]);
    setTimeout(drawNext, 0, i + 1);
  }
  label();
  drawNext(0);
})();
