// The points, by WebGL 2: one vertex per node, one draw call per frame. Positions are sent once; colours when they change;
// a frame sends five numbers. The order of drawing is a fixed random one, so that the first part of it is a fair sample:
// that part is what is drawn while the map moves on a machine that cannot draw all of it in time.

const VERTEX = `#version 300 es
in vec2 position;
in vec4 color;
uniform vec2 centre;
uniform vec2 scale;
uniform float size;
out vec4 shade;
void main() {
  shade = color;
  vec2 place = (position - centre) * scale;
  gl_Position = color.a == 0.0 ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(place, 0.0, 1.0);
  gl_PointSize = size;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec4 shade;
uniform float size;
out vec4 color;
void main() {
  float alpha = shade.a;
  if (size > 3.0) {
    float radius = length(gl_PointCoord - 0.5) * size;
    alpha *= clamp(size * 0.5 - radius + 0.5, 0.0, 1.0);
    if (alpha == 0.0) discard;
  }
  color = vec4(shade.rgb * alpha, alpha);
}`;

const IMAGE_VERTEX = `#version 300 es
in vec2 corner;
uniform vec4 place;
out vec2 at;
void main() {
  at = vec2(corner.x, 1.0 - corner.y);
  gl_Position = vec4(place.xy + corner * place.zw, 0.0, 1.0);
}`;

const IMAGE_FRAGMENT = `#version 300 es
precision mediump float;
in vec2 at;
uniform sampler2D image;
out vec4 color;
void main() {
  vec4 texel = texture(image, at);
  color = vec4(texel.rgb * texel.a, texel.a);
}`;

export class WebglRenderer {
  /** Null where the browser has no WebGL 2, or only one drawn by the processor, unless that is asked for. */
  static create(canvas, x, y, withSoftware = false) {
    if (!withSoftware && isSoftware()) return null;
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: true, powerPreference: "high-performance" });
    return gl ? new WebglRenderer(gl, x, y) : null;
  }

  constructor(gl, x, y) {
    this.gl = gl;
    this.count = x.length;
    // Positions are sent relative to their mean: float32 then has its digits where the nodes are.
    this.origin = [mean(x), mean(y)];
    this.points = program(gl, VERTEX, FRAGMENT, ["centre", "scale", "size"]);
    this.images = program(gl, IMAGE_VERTEX, IMAGE_FRAGMENT, ["place", "image"]);
    const positions = new Float32Array(2 * this.count);
    const order = shuffled(this.count);
    this.order = order;
    for (let place = 0; place < this.count; place += 1) {
      positions[2 * place] = x[order[place]] - this.origin[0];
      positions[2 * place + 1] = y[order[place]] - this.origin[1];
    }
    this.colorBuffer = gl.createBuffer();
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    attribute(gl, this.points.program, "position", gl.createBuffer(), 2, gl.FLOAT, false);
    gl.bufferData(gl.ARRAY_BUFFER, positions, gl.STATIC_DRAW);
    attribute(gl, this.points.program, "color", this.colorBuffer, 4, gl.UNSIGNED_BYTE, true);
    this.imageArray = gl.createVertexArray();
    gl.bindVertexArray(this.imageArray);
    attribute(gl, this.images.program, "corner", gl.createBuffer(), 2, gl.FLOAT, false);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]), gl.STATIC_DRAW);
    this.texture = gl.createTexture();
    this.elements = gl.createBuffer();
    this.placeOf = null;
    this.chosen = -1;
  }

  /** Four bytes per node, in the order of the nodes. */
  setColors(colors) {
    const source = new Uint32Array(colors.buffer, colors.byteOffset, this.count);
    const sorted = new Uint32Array(this.count);
    for (let place = 0; place < this.count; place += 1) sorted[place] = source[this.order[place]];
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colorBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, sorted, gl.DYNAMIC_DRAW);
  }

  /** Draw only these nodes (a Uint32Array), or all of them (null). */
  choose(nodes) {
    if (nodes === null) {
      this.chosen = -1;
      return;
    }
    if (this.placeOf === null) {
      this.placeOf = new Uint32Array(this.count);
      this.order.forEach((node, place) => {
        this.placeOf[node] = place;
      });
    }
    const places = nodes.map((node) => this.placeOf[node]).sort();
    const { gl } = this;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.elements);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, places, gl.DYNAMIC_DRAW);
    gl.bindVertexArray(null);
    this.chosen = places.length;
  }

  begin(view, ratio) {
    const { gl } = this;
    const width = Math.round(view.width * ratio);
    const height = Math.round(view.height * ratio);
    if (gl.canvas.width !== width || gl.canvas.height !== height) {
      gl.canvas.width = width;
      gl.canvas.height = height;
    }
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** All nodes, or a share of them. */
  drawPoints(view, ratio, size, share = 1) {
    const { gl, points } = this;
    this.begin(view, ratio);
    gl.useProgram(points.program);
    gl.bindVertexArray(this.array);
    gl.uniform2f(points.centre, view.x - this.origin[0], view.y - this.origin[1]);
    gl.uniform2f(points.scale, (2 * view.scale) / view.width, (2 * view.scale) / view.height);
    gl.uniform1f(points.size, Math.max(1, size * ratio));
    const count = this.chosen < 0 ? this.count : this.chosen;
    const drawn = Math.max(Math.min(count, 1), Math.round(count * share));
    if (this.chosen < 0) gl.drawArrays(gl.POINTS, 0, drawn);
    else gl.drawElements(gl.POINTS, drawn, gl.UNSIGNED_INT, 0);
    gl.bindVertexArray(null);
    return drawn;
  }

  setImage(pixels, width, height) {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    for (const [name, value] of [
      [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
      [gl.TEXTURE_MAG_FILTER, gl.NEAREST],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
    ]) gl.texParameteri(gl.TEXTURE_2D, name, value);
  }

  /** The image over the world rectangle it was made for. */
  drawImage(view, ratio, [x0, y0, x1, y1]) {
    const { gl, images } = this;
    this.begin(view, ratio);
    gl.useProgram(images.program);
    gl.bindVertexArray(this.imageArray);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    const [across, up] = [(2 * view.scale) / view.width, (2 * view.scale) / view.height];
    gl.uniform4f(images.place, (x0 - view.x) * across, (y0 - view.y) * up, (x1 - x0) * across, (y1 - y0) * up);
    gl.uniform1i(images.image, 0);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.bindVertexArray(null);
  }
}

/** Whether the processor stands in for a GPU, by the name of what draws; asked of a canvas that is thrown away. */
function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!gl) return true;
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const name = gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** The same numbers on every page: a fair order of 0 to n − 1. */
export function shuffled(count) {
  const order = new Uint32Array(count);
  let state = 2463534242;
  for (let place = 0; place < count; place += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const other = (state >>> 0) % (place + 1);
    order[place] = order[other];
    order[other] = place;
  }
  return order;
}

function mean(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length ? sum / values.length : 0;
}

function program(gl, vertex, fragment, uniforms) {
  const linked = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(linked, shader);
  }
  gl.linkProgram(linked);
  if (!gl.getProgramParameter(linked, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(linked));
  return { program: linked, ...Object.fromEntries(uniforms.map((name) => [name, gl.getUniformLocation(linked, name)])) };
}

function attribute(gl, linked, name, buffer, size, type, isNormalised) {
  const location = gl.getAttribLocation(linked, name);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(location);
  gl.vertexAttribPointer(location, size, type, isNormalised, 0, 0);
}
