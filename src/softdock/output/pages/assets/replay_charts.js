"use strict";
// A replay's time in the charts of its page: a line over each, and a click on one is a time.
const SoftdockCharts = (function () {
  const root = document.documentElement;

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
      const [a, b] = layout.xaxis.range.map(Number),
        inside = time >= Math.min(a, b) && time <= Math.max(a, b);
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
    if (root.dataset.drawn === "yes") {
      setTimeout(action, 0);
      return;
    }
    new MutationObserver(function (_, watch) {
      if (root.dataset.drawn === "yes") {
        watch.disconnect();
        action();
      }
    }).observe(root, { attributes: true, attributeFilter: ["data-drawn"] });
  }
  function link(player) {
    if (player.figure.dataset.charts !== "yes") return;
    for (const chart of document.querySelectorAll(".chart[data-time=yes]")) {
      player.cursors.push(cursorOf(chart));
      chart.on("plotly_click", (event) => {
        player.pause();
        player.seek(Number(event.points[0].x));
      });
    }
    player.tell();
  }
  return { whenDrawn, link };
})();
