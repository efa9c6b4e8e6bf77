// What lies over the points: edges of the graph, lines to the nearest neighbours (broken where the graph has no edge), rings, the
// lasso, names of classes.

const MAX_RINGS = 5000;

export function drawOverlay(context, scene, ratio) {
  const { view, marks } = scene;
  const width = Math.round(view.width * ratio);
  const height = Math.round(view.height * ratio);
  if (context.canvas.width !== width || context.canvas.height !== height) {
    context.canvas.width = width;
    context.canvas.height = height;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, view.width, view.height);
  const style = getComputedStyle(context.canvas);
  const ink = style.getPropertyValue("--ink");
  const paper = style.getPropertyValue("--map");
  const accent = style.getPropertyValue("--accent");
  const place = (node) => view.toScreen(scene.x[node], scene.y[node]);
  const radius = Math.max(4, scene.pointSize / 2 + 2.5);

  const edgeColor = style.getPropertyValue("--link");
  for (const isApart of [false, true]) drawEdges(context, marks.edges, isApart, place, isApart ? accent : edgeColor, marks.picked >= 0);
  if (marks.selection.size) drawRings(context, marks.selection, place, view, radius - 1.5, accent);
  drawLabels(context, marks.labels, view, ink, paper, style.fontFamily);
  if (marks.picked >= 0) {
    const [left, top] = place(marks.picked);
    context.lineWidth = 1.5;
    for (const [color, extra] of [[paper, 2.5], [ink, 0]]) {
      context.strokeStyle = color;
      context.lineWidth = 1.25 + extra;
      for (const isLinked of [true, false]) {
        context.setLineDash(isLinked ? [] : [4, 4]);
        context.beginPath();
        marks.neighbors.forEach((node, number) => {
          if (marks.linked[number] !== isLinked) return;
          context.moveTo(left, top);
          context.lineTo(...place(node));
        });
        context.stroke();
      }
    }
    context.setLineDash([]);
    for (const node of marks.neighbors) ring(context, place(node), radius, ink, paper, 1.5);
    ring(context, [left, top], radius + 3, accent, paper, 3);
  }
  if (marks.hover >= 0) ring(context, place(marks.hover), radius + 1, ink, paper, 2);
  if (marks.lasso.length > 1) {
    context.beginPath();
    marks.lasso.forEach((corner) => context.lineTo(...view.toScreen(...corner)));
    context.closePath();
    context.setLineDash([6, 4]);
    context.lineWidth = 2;
    context.strokeStyle = accent;
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 0.12;
    context.fillStyle = accent;
    context.fill();
    context.globalAlpha = 1;
  }
}

/** Edges as thin lines, those that ask for distance dotted. */
function drawEdges(context, edges, isApart, place, color, isOfOne) {
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.globalAlpha = isOfOne ? 0.75 : Math.min(0.6, Math.max(0.18, 60 / Math.sqrt(edges.length + 1) / 10));
  context.setLineDash(isApart ? [1.5, 3] : []);
  context.beginPath();
  for (const [one, two, apart] of edges) {
    if (apart !== isApart) continue;
    context.moveTo(...place(one));
    context.lineTo(...place(two));
  }
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}

function drawRings(context, nodes, place, view, radius, color) {
  context.strokeStyle = color;
  context.lineWidth = 1.5;
  context.beginPath();
  let drawn = 0;
  for (const node of nodes) {
    const [left, top] = place(node);
    if (left < -radius || top < -radius || left > view.width + radius || top > view.height + radius) continue;
    context.moveTo(left + radius, top);
    context.arc(left, top, radius, 0, 2 * Math.PI);
    drawn += 1;
    if (drawn >= MAX_RINGS) break;
  }
  context.stroke();
}

function ring(context, [left, top], radius, color, halo, width) {
  for (const [stroke, line] of [[halo, width + 2.5], [color, width]]) {
    context.beginPath();
    context.arc(left, top, radius, 0, 2 * Math.PI);
    context.strokeStyle = stroke;
    context.lineWidth = line;
    context.stroke();
  }
}

/** The names of classes at their places, the largest first; one that would cover another is left out. */
function drawLabels(context, labels, view, ink, paper, family) {
  context.font = `700 15px ${family}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  const taken = [];
  for (const { text, x, y } of labels) {
    const [left, top] = view.toScreen(x, y);
    const half = context.measureText(text).width / 2 + 5;
    const box = [left - half, top - 12, left + half, top + 12];
    if (box[0] < 0 || box[1] < 0 || box[2] > view.width || box[3] > view.height) continue;
    if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
    taken.push(box);
    context.lineWidth = 5;
    context.strokeStyle = paper;
    context.strokeText(text, left, top);
    context.fillStyle = ink;
    context.fillText(text, left, top);
  }
}
