"use strict";
// The 3-D part of a replay: numbers out of their packed form (scene/pack.py), bodies built with
// three.js, and every body where it is at a time. Colours are roles of the page's style.
const SoftdockScene = (function () {
  const CREASE = Math.cos((35 * Math.PI) / 180); // faces that meet more sharply keep their edge
  const SIDES = 20; // of a disc that shows a touch

  const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  async function inflated(text) {
    const stream = new Blob([bytesOf(text)])
      .stream()
      .pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  // three.js waits in the page as packed text; the page's policy knows its hash, so it may run once
  // it is asked for.
  let library = null;
  function loadThree() {
    library =
      library ||
      inflated(document.getElementById("three-code").textContent.trim()).then(function (bytes) {
        const element = document.createElement("script");
        element.textContent = new TextDecoder().decode(bytes);
        document.head.append(element);
        if (!window.THREE) throw new Error("three.js did not start");
      });
    return library;
  }

  async function unpack(data) {
    const planes = await inflated(data.numbers),
      n = data.length,
      row = new Int32Array(n);
    for (let i = 0; i < n; i++)
      row[i] =
        planes[i] | (planes[n + i] << 8) | (planes[2 * n + i] << 16) | (planes[3 * n + i] << 24);
    return function (slot) {
      const { at, rows, columns, step } = slot,
        out = new Float64Array(rows * columns);
      for (let c = 0; c < columns; c++) {
        for (let r = 0, sum = 0; r < rows; r++)
          out[r * columns + c] = (sum += row[at + c * rows + r]) * step;
      }
      return out;
    };
  }

  // Corners are shared by round neighbours and parted at edges.
  function geometry(vertices, faces) {
    const corner = (i) =>
      new THREE.Vector3(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]);
    const quads = [],
      around = new Map();
    for (let f = 0; f < faces.length; f += 4) {
      const quad = [0, 1, 2, 3].map((k) => faces[f + k]);
      const [a, b, c] = quad.map(corner);
      const normal = b.clone().sub(a).cross(c.clone().sub(a)).normalize();
      quads.push({ quad, normal });
      for (const i of new Set(quad)) around.set(i, [...(around.get(i) || []), normal]);
    }
    const positions = [],
      normals = [];
    for (const { quad, normal } of quads) {
      const order = quad[2] === quad[3] ? [0, 1, 2] : [0, 1, 2, 0, 2, 3];
      for (const k of order) {
        const sum = new THREE.Vector3();
        for (const other of around.get(quad[k])) if (other.dot(normal) > CREASE) sum.add(other);
        positions.push(...corner(quad[k]).toArray());
        normals.push(...sum.normalize().toArray());
      }
    }
    const made = new THREE.BufferGeometry();
    made.setAttribute("position", new THREE.BufferAttribute(new Float32Array(positions), 3));
    made.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(normals), 3));
    return made;
  }

  function material(part) {
    const through = part.opacity < 1;
    return new THREE.MeshStandardMaterial({
      roughness: 0.62,
      metalness: 0.08,
      transparent: through,
      opacity: part.opacity,
      depthWrite: !through,
      side: through ? THREE.DoubleSide : THREE.FrontSide,
    });
  }

  // Over everything: a force inside a probe must be seen.
  function arrowGroup(kind, thick) {
    const paint = new THREE.MeshBasicMaterial({
      depthTest: false,
      depthWrite: false,
      transparent: true,
    });
    const group = new THREE.Group();
    const shaft = new THREE.Mesh(
      new THREE.CylinderGeometry(thick, thick, 1, 12).translate(0, 0.5, 0),
      paint,
    );
    const heads = (kind === "torque" ? [0, 1] : [0]).map(
      () =>
        new THREE.Mesh(
          new THREE.ConeGeometry(3.2 * thick, 9 * thick, 16).translate(0, -4.5 * thick, 0),
          paint,
        ),
    );
    group.add(shaft, ...heads);
    for (const one of group.children) one.renderOrder = 10;
    return { group, shaft, heads, paint, head: 9 * thick };
  }

  class Panel {
    constructor(data, read) {
      this.data = data;
      this.time = read(data.time);
      this.last = this.time[this.time.length - 1];
      this.scene = new THREE.Scene();
      this.painted = []; // [material, role]
      this.layers = {};
      this.tracks = {};
      for (const [key, track] of Object.entries(data.tracks))
        this.tracks[key] = { p: read(track.p), q: read(track.q), group: new THREE.Group() };
      for (const track of Object.values(this.tracks)) this.scene.add(track.group);
      const shapes = {};
      for (const [key, mesh] of Object.entries(data.meshes))
        shapes[key] = geometry(read(mesh.v), read(mesh.f));
      for (const part of data.parts) this.addPart(part, shapes[part.mesh]);
      this.arrows = data.arrows.map((arrow) => this.addArrow(arrow, read));
      this.trails = data.trails.map((trail) => this.addTrail(trail, read));
      this.patches = data.patches.map((patch) => this.addPatch(patch, read));
      this.readings = data.readings.map((one) => ({ ...one, values: read(one.values) }));
      this.addFloor();
      this.light = new THREE.HemisphereLight(0xffffff, 0xb8c4d4, 2.3);
      this.light.position.set(...data.up);
      this.lamp = new THREE.DirectionalLight(0xffffff, 1.9);
      this.scene.add(this.light, this.lamp, this.lamp.target);
    }
    held(layer, thing) {
      (this.layers[layer] = this.layers[layer] || []).push(thing);
    }
    painting(paint, role) {
      this.painted.push([paint, role]);
      return paint;
    }
    addPart(part, shape) {
      const mesh = new THREE.Mesh(shape, this.painting(material(part), part.role));
      if (part.layer.startsWith("orbit"))
        Object.assign(mesh.material, {
          polygonOffset: true,
          polygonOffsetFactor: 2,
          polygonOffsetUnits: 8,
        }); // a ghost where the body is stays behind it
      mesh.renderOrder = part.opacity < 1 ? (part.layer === "satellites" ? 3 : 2) : 0;
      if (part.layer === "satellites")
        mesh.add(
          new THREE.LineSegments(
            new THREE.EdgesGeometry(shape, 30),
            this.painting(
              new THREE.LineBasicMaterial({ transparent: true, opacity: 0.7 }),
              part.role,
            ),
          ),
        );
      this.tracks[part.track].group.add(mesh);
      this.held(part.layer, mesh);
    }
    addArrow(arrow, read) {
      const made = arrowGroup(arrow.kind, 0.035 * this.data.scale);
      this.painting(made.paint, arrow.role);
      // under the rig's own
      if (arrow.role === "orbit") for (const one of made.group.children) one.renderOrder = 9.5;
      this.scene.add(made.group);
      this.held(arrow.layer, made.group);
      return Object.assign(made, {
        about: arrow,
        at: read(arrow.at),
        vector: read(arrow.vector),
        value: 0,
      });
    }
    addTrail(trail, read) {
      const shape = new THREE.BufferGeometry();
      shape.setAttribute(
        "position",
        new THREE.BufferAttribute(new Float32Array(read(trail.points)), 3),
      );
      const line = new THREE.Line(
        shape,
        this.painting(
          new THREE.LineBasicMaterial({ depthTest: false, transparent: true }),
          trail.role,
        ),
      );
      line.renderOrder = 9;
      this.tracks[trail.track].group.add(line);
      this.held(trail.layer, line);
      return { line, frames: read(trail.frames) };
    }
    addPatch(patch, read) {
      const frames = read(patch.frames);
      let most = 0;
      for (let i = 0, same = 0; i < frames.length; i++) {
        same = i > 0 && frames[i] === frames[i - 1] ? same + 1 : 1;
        most = Math.max(most, same);
      }
      const shape = new THREE.BufferGeometry();
      shape.setAttribute(
        "position",
        new THREE.BufferAttribute(new Float32Array(9 * SIDES * most), 3),
      );
      const discs = new THREE.Mesh(
        shape,
        this.painting(
          new THREE.MeshBasicMaterial({
            depthTest: false,
            transparent: true,
            opacity: 0.8,
            side: THREE.DoubleSide,
          }),
          patch.role,
        ),
      );
      discs.renderOrder = 9;
      discs.frustumCulled = false;
      this.tracks[patch.track].group.add(discs);
      this.held(patch.layer, discs);
      const [points, normals, radii] = [patch.points, patch.normals, patch.radii].map(read);
      return { shape, frames, points, normals, radii, frame: -1 };
    }
    // The discs of one frame, each a fan of triangles around its middle.
    setPatch(patch, frame) {
      if (patch.frame === frame) return;
      patch.frame = frame;
      const out = patch.shape.getAttribute("position"),
        three = (from, i) => new THREE.Vector3(from[3 * i], from[3 * i + 1], from[3 * i + 2]);
      let corner = 0,
        first = 0;
      while (first < patch.frames.length && patch.frames[first] < frame) first++;
      for (let i = first; i < patch.frames.length && patch.frames[i] === frame; i++) {
        const middle = three(patch.points, i),
          n = three(patch.normals, i),
          across = new THREE.Vector3(1, 0, 0);
        if (Math.abs(n.x) > 0.7) across.set(0, 1, 0);
        across.cross(n).normalize();
        const third = n.clone().cross(across);
        const at = (k) =>
          middle
            .clone()
            .addScaledVector(across, patch.radii[i] * Math.cos((2 * Math.PI * k) / SIDES))
            .addScaledVector(third, patch.radii[i] * Math.sin((2 * Math.PI * k) / SIDES));
        for (let k = 0; k < SIDES; k++)
          for (const one of [middle, at(k), at(k + 1)])
            out.setXYZ(corner++, one.x, one.y, one.z);
      }
      out.needsUpdate = true;
      patch.shape.setDrawRange(0, corner);
    }
    addFloor() {
      const { centre, cell } = this.data.floor,
        grid = new THREE.GridHelper(12 * cell, 12);
      grid.material.dispose();
      grid.material = this.painting(
        new THREE.LineBasicMaterial({ transparent: true, opacity: 0.8 }),
        "grid",
      );
      grid.geometry.deleteAttribute("color");
      grid.quaternion.setFromUnitVectors(
        new THREE.Vector3(0, 1, 0),
        new THREE.Vector3(...this.data.up),
      );
      grid.position.set(...centre);
      this.scene.add(grid);
      this.grid = grid;
    }
    paint(colour) {
      for (const [paint, role] of this.painted) paint.color.set(colour(role));
    }
    show(layer, on) {
      for (const thing of this.layers[layer] || []) thing.visible = on;
    }

    // The frame not after a time, and how far the next one has come.
    place(time) {
      const t = Math.min(Math.max(time, this.time[0]), this.last);
      let low = 0,
        high = this.time.length - 1;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (this.time[middle] <= t) low = middle;
        else high = middle;
      }
      const span = this.time[high] - this.time[low];
      return { low, high, part: span > 0 ? (t - this.time[low]) / span : 0 };
    }
    blend(values, width, at) {
      const out = [];
      for (let k = 0; k < width; k++)
        out.push(
          values[at.low * width + k] * (1 - at.part) + values[at.high * width + k] * at.part,
        );
      return out;
    }
    set(time) {
      const at = this.place(time);
      for (const track of Object.values(this.tracks)) {
        const [w, x, y, z] = this.blend(track.q, 4, at);
        track.group.position.set(...this.blend(track.p, 3, at));
        track.group.quaternion.set(x, y, z, w).normalize();
      }
      for (const arrow of this.arrows) this.setArrow(arrow, at);
      for (const { line, frames } of this.trails) {
        let count = 0;
        while (count < frames.length && frames[count] <= at.low) count++;
        line.geometry.setDrawRange(0, count);
      }
      for (const patch of this.patches) this.setPatch(patch, at.low);
    }
    setArrow(arrow, at) {
      const way = new THREE.Vector3(...this.blend(arrow.vector, 3, at));
      arrow.value = way.length();
      const length = arrow.value * arrow.about.scale,
        head = Math.min(arrow.head, 0.6 * length);
      arrow.group.position.set(...this.blend(arrow.at, 3, at));
      const drawn = length > 1e-3 * this.data.scale;
      for (const child of arrow.group.children) child.visible = drawn;
      if (!drawn) return;
      arrow.group.quaternion.setFromUnitVectors(
        new THREE.Vector3(0, 1, 0),
        way.divideScalar(arrow.value),
      );
      arrow.shaft.scale.set(1, length - 0.9 * head, 1);
      arrow.heads.forEach(function (one, i) {
        one.position.y = length - 0.6 * i * head;
        one.scale.setScalar(head / arrow.head);
      });
    }
    // Time, forces and speed at a time, as scene/model.py writes them.
    describe(time) {
      const at = this.place(time),
        numbers = this.readings.map(
          ({ name, unit, digits, values }) =>
            `${name} ${this.blend(values, 1, at)[0].toFixed(digits)} ${unit}`,
        );
      return [`${Math.min(time, this.last).toFixed(3)} s`, ...numbers];
    }
    tell(time, element) {
      this.describe(time).forEach((text, i) => (element.children[i].textContent = text));
    }
    // How far a camera that follows a body has gone.
    gone(key) {
      if (!key || !this.tracks[key]) return new THREE.Vector3();
      const { p, group } = this.tracks[key];
      return group.position.clone().sub(new THREE.Vector3(p[0], p[1], p[2]));
    }
    // Vertical angle of view [deg] for a picture of this shape: on one that is narrower than what a
    // camera shows, the field of view grows (scene/cameras.py).
    static angle({ angle, wide }, aspect) {
      const slope = Math.tan((angle * Math.PI) / 360) * Math.max(1, wide / aspect);
      return (2 * Math.atan(slope) * 180) / Math.PI;
    }
  }
  return { loadThree, unpack, Panel };
})();
