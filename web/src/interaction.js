// Pointer, wheel, touch and keys on the map.

const CLICK = 5; // pixels a pointer may wander in a click
const REACH = 12; // pixels around the pointer in which a node is found
const TOUCH_REACH = 24;

/**
 * Listen on the map. `actions` has hover(node, left, top), pick(node), select(nodes, isAdded), isShown(node) and isLasso().
 */
export function listen(canvas, scene, actions) {
  const pointers = new Map();
  let start = null; // where the gesture began, and what it is: "pan", "lasso" or "pinch"
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const nodeAt = (left, top, reach) => {
    const [x, y] = scene.view.toWorld(left, top);
    return scene.grid.nearest(x, y, reach / scene.view.scale, actions.isShown);
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    canvas.setPointerCapture(event.pointerId);
    const [left, top] = place(event);
    pointers.set(event.pointerId, [left, top]);
    if (pointers.size === 2) {
      start = { kind: "pinch" };
      scene.marks.lasso = [];
      return;
    }
    const kind = event.shiftKey || actions.isLasso() ? "lasso" : "pan";
    start = { kind, left, top, isClick: true, isAdded: event.ctrlKey || event.metaKey };
    if (kind === "lasso") scene.marks.lasso = [scene.view.toWorld(left, top)];
  });

  canvas.addEventListener("pointermove", (event) => {
    const [left, top] = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== "touch") actions.hover(nodeAt(left, top, REACH), left, top);
      return;
    }
    if (start?.kind === "pinch" && pointers.size === 2) {
      const other = [...pointers.entries()].find(([id]) => id !== event.pointerId)[1];
      const factor = distance([left, top], other) / Math.max(1, distance(before, other));
      scene.view.zoomAt(factor, (left + other[0]) / 2, (top + other[1]) / 2);
      scene.view.pan((left - before[0]) / 2, (top - before[1]) / 2);
      scene.moved();
    } else if (start) {
      if (distance([left, top], [start.left, start.top]) > CLICK) start.isClick = false;
      if (start.kind === "lasso") {
        scene.marks.lasso.push(scene.view.toWorld(left, top));
        scene.draw();
      } else if (!start.isClick) {
        actions.hover(-1, left, top);
        scene.view.pan(left - before[0], top - before[1]);
        scene.moved();
      }
    }
    pointers.set(event.pointerId, [left, top]);
  });

  const end = (event) => {
    if (!pointers.delete(event.pointerId) || !start) return;
    const gesture = start;
    if (pointers.size === 0) start = null;
    if (event.type === "pointercancel" || gesture.kind === "pinch") return;
    if (gesture.isClick) {
      scene.marks.lasso = [];
      actions.pick(nodeAt(gesture.left, gesture.top, event.pointerType === "touch" ? TOUCH_REACH : REACH));
    } else if (gesture.kind === "lasso") {
      const polygon = scene.marks.lasso;
      scene.marks.lasso = [];
      actions.select(scene.grid.inside(polygon, actions.isShown), gesture.isAdded);
    }
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => actions.hover(-1, 0, 0));

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1; // a wheel that counts lines
    const factor = Math.exp(-Math.max(-120, Math.min(120, event.deltaY * lines)) * 0.0025);
    scene.view.zoomAt(factor, ...place(event));
    scene.moved();
  }, { passive: false });

  canvas.addEventListener("dblclick", (event) => {
    scene.view.zoomAt(2, ...place(event));
    scene.moved();
  });

  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { view } = scene;
    const step = 60;
    const moves = {
      ArrowLeft: () => view.pan(step, 0),
      ArrowRight: () => view.pan(-step, 0),
      ArrowUp: () => view.pan(0, step),
      ArrowDown: () => view.pan(0, -step),
      "+": () => view.zoomAt(1.4, view.width / 2, view.height / 2),
      "=": () => view.zoomAt(1.4, view.width / 2, view.height / 2),
      "-": () => view.zoomAt(1 / 1.4, view.width / 2, view.height / 2),
      0: () => view.fit(),
      Enter: () => actions.pick(nodeAt(view.width / 2, view.height / 2, Math.max(view.width, view.height))),
      Escape: () => actions.pick(-1),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
    scene.moved();
  });
}

function distance([left, top], [otherLeft, otherTop]) {
  return Math.hypot(left - otherLeft, top - otherTop);
}
