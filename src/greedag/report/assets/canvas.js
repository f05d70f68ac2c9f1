// Moving and zooming a drawing by its viewBox. The box is in the units of the drawing.

const MOST_ZOOM = 12;
// Pixels a unit of the drawing: small graphs are shown no larger.
const MOST_FITTED = 1.5;
// Units a pixel up to which names can be read.
const LEGIBLE = 1.5;

class Canvas {
  constructor(holder) {
    this.holder = holder;
    this.shown = () => {};
    this.take(holder.querySelector("svg"));
    holder.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    holder.addEventListener("pointerdown", (event) => this.press(event));
    holder.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) holder.addEventListener(end, () => this.release());
    // A drag that ends on an edge is no click on it.
    holder.addEventListener("click", (event) => this.dragged && event.stopPropagation(), true);
    holder.addEventListener("keydown", (event) => this.key(event));
  }

  take(svg) {
    this.svg = svg;
    const { x, y, width, height } = svg.viewBox.baseVal;
    this.all = { x, y, width, height };
    this.show(this.all);
  }

  show({ x, y, width, height }) {
    this.box = { x, y, width, height };
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    this.shown();
  }

  // All of it, as large as there is room for, but small graphs no larger than names need.
  fit() {
    const { width: across, height: down } = this.svg.getBoundingClientRect();
    const { x, y, width, height } = this.all;
    const wide = Math.max(width, across / MOST_FITTED), high = Math.max(height, down / MOST_FITTED);
    this.show({ x: x + width / 2 - wide / 2, y: y + height / 2 - high / 2, width: wide, height: high });
  }

  // Whether a part can be seen and read as it is.
  isInView({ x, y, width, height }) {
    const { box } = this;
    return this.unit() <= LEGIBLE && x >= box.x && y >= box.y && x + width <= box.x + box.width && y + height <= box.y + box.height;
  }

  // Show a part of the drawing with a margin, but never closer than names are comfortable to read.
  near({ x, y, width, height }, margin = 60) {
    const { width: across, height: down } = this.svg.getBoundingClientRect();
    const wide = Math.max(width + 2 * margin, across / 1.6);
    const high = Math.max(height + 2 * margin, down / 1.6);
    this.show({ x: x + width / 2 - wide / 2, y: y + height / 2 - high / 2, width: wide, height: high });
  }

  // Units of the drawing a pixel.
  unit() {
    const { width, height } = this.svg.getBoundingClientRect();
    return Math.max(this.box.width / width, this.box.height / height);
  }

  zoom(factor, place = null) {
    const { x, y, width, height } = this.box;
    const least = this.all.width / MOST_ZOOM / Math.max(1, this.all.width / 1500);
    const scale = Math.min(Math.max(factor, least / width), (3 * this.all.width) / width);
    const at = place ?? { x: x + width / 2, y: y + height / 2 };
    this.show({ x: at.x - (at.x - x) * scale, y: at.y - (at.y - y) * scale, width: width * scale, height: height * scale });
  }

  move(right, down) {
    const { x, y, width, height } = this.box;
    this.show({ x: x + right, y: y + down, width, height });
  }

  place(event) {
    const matrix = this.svg.getScreenCTM();
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  }

  // Until the reader has turned to the graph, the wheel scrolls the page past it.
  wheel(event) {
    if (!event.ctrlKey && !this.holder.contains(document.activeElement)) return;
    event.preventDefault();
    this.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) * 0.002), this.place(event));
  }

  press(event) {
    this.dragged = false;
    this.start = event.button === 0 ? { x: event.clientX, y: event.clientY } : null;
  }

  drag(event) {
    if (!this.start) return;
    const right = event.clientX - this.start.x, down = event.clientY - this.start.y;
    if (!this.dragged && Math.hypot(right, down) < 4) return;
    if (!this.dragged) this.holder.setPointerCapture(event.pointerId);
    this.dragged = true;
    this.holder.classList.add("moving");
    const unit = this.unit();
    this.move(-right * unit, -down * unit);
    this.start = { x: event.clientX, y: event.clientY };
  }

  release() {
    this.start = null;
    this.holder.classList.remove("moving");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = 60 * this.unit();
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (event.key === "+" || event.key === "=") this.zoom(0.8);
    else if (event.key === "-") this.zoom(1.25);
    else if (event.key === "0") this.fit();
    else if (moves[event.key] && event.target === this.holder) this.move(...moves[event.key]);
    else return;
    event.preventDefault();
  }
}
