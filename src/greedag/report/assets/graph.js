// The graph: hover, choosing columns and edges, the slider, and the keys.

// Half as large again is as high as a box.
const MOST_GROWTH = 1.5;

class Graph {
  constructor(holder) {
    this.canvas = new Canvas(holder);
    this.holder = holder;
    this.hiddenCount = 0;
    this.chosen = null;
    // Parts of an image cannot be reached; those of a group can.
    this.svg.setAttribute("role", "group");
    if (data.whole) this.cropLegend();
    this.take();
    if (data.whole) {
      this.takeSizes();
      this.canvas.shown = () => this.keepLegible();
      this.canvas.fit();
    }
    holder.addEventListener("click", (event) => this.click(event));
    holder.addEventListener("keydown", (event) => this.key(event));
    holder.addEventListener("pointerover", (event) => this.hover(event.target.closest?.(".node, .edge")));
    holder.addEventListener("pointerleave", () => this.hover(null));
    holder.addEventListener("focusin", (event) => this.hover(event.target.closest(".node, .edge")));
  }

  get svg() { return this.canvas.svg; }

  // The panel holds the key; the drawing's own would only take room.
  cropLegend() {
    this.svg.querySelectorAll(".legend").forEach((part) => part.remove());
    const { x, y, width, height } = this.svg.getBBox();
    this.canvas.all = { x: x - 14, y: y - 14, width: width + 28, height: height + 28 };
    // No higher than a flat drawing needs; the style sheet sets the limits.
    const scale = Math.min(this.holder.clientWidth / (width + 28), MOST_FITTED);
    this.holder.style.height = `${scale * (height + 28) + 2}px`;
  }

  // Far away, names grow as far as their boxes have room to the side.
  takeSizes() {
    const boxes = [...this.nodes.values()].map((node) => {
      const rect = node.querySelector("rect"), text = node.querySelector("text");
      const { x, y, width } = rect.getBBox();
      return { rect, text, x, y, width, size: parseFloat(getComputedStyle(text).fontSize) };
    });
    let room = MOST_GROWTH;
    for (const one of boxes) {
      for (const other of boxes) {
        if (other.x <= one.x || Math.abs(other.y - one.y) > 20) continue;
        const between = other.x + other.width / 2 - one.x - one.width / 2;
        room = Math.min(room, (2 * (between - 4)) / (one.width + other.width));
      }
    }
    this.sizes = { boxes, room: Math.max(1, room), growth: 1 };
  }

  keepLegible() {
    const growth = Math.min(Math.max(1, 0.85 * this.canvas.unit()), this.sizes.room);
    if (growth === this.sizes.growth) return;
    this.sizes.growth = growth;
    for (const { rect, text, x, width, size } of this.sizes.boxes) {
      rect.setAttribute("x", x - ((growth - 1) * width) / 2);
      rect.setAttribute("width", growth * width);
      text.style.fontSize = `${growth * size}px`;
    }
  }

  // Look up the parts of the drawing, which has just been made or replaced.
  take() {
    this.nodes = new Map();
    for (const node of this.svg.querySelectorAll(".node")) {
      const column = Number(node.dataset.node);
      node.setAttribute("role", "button");
      node.setAttribute("aria-label", `${labels[column]}: ${edgesOf[column].length} edges`);
      node.setAttribute("tabindex", this.nodes.size ? -1 : 0);
      this.nodes.set(column, node);
    }
    this.edges = new Map();
    for (const drawing of this.svg.querySelectorAll(".edge")) {
      const place = edgeOfKey.get(drawing.dataset.edge);
      if (place === undefined) { drawing.remove(); continue; }
      drawing.setAttribute("role", "button");
      drawing.setAttribute("aria-label", textOf(edges[place]));
      drawing.setAttribute("tabindex", -1);
      this.edges.set(place, drawing);
    }
  }

  isShown(place) { return place < edges.length - this.hiddenCount; }

  // Hide so many of the weakest edges.
  hideWeakest(number) {
    this.hiddenCount = number;
    if (!data.whole) this.redraw(this.chosen ?? data.start);
    for (const [place, drawing] of this.edges) drawing.classList.toggle("weak", !this.isShown(place));
    if (isAnswering()) this.answer();
  }

  placesOf(column) { return edgesOf[column].filter((place) => this.isShown(place)); }

  // Mark edges and the columns at their ends, and let everything else step back.
  mark(className, places, columns) {
    this.svg.classList.toggle(className, places !== null);
    const ends = new Set(columns);
    for (const place of places ?? []) ends.add(edges[place].from).add(edges[place].to);
    const marked = new Set(places);
    for (const [place, drawing] of this.edges) drawing.classList.toggle(`${className}-part`, marked.has(place));
    for (const [column, node] of this.nodes) node.classList.toggle(`${className}-part`, ends.has(column));
  }

  hover(part) {
    if (!part) return this.mark("hovering", null, []);
    if (part.classList.contains("edge")) return this.mark("hovering", [edgeOfKey.get(part.dataset.edge)], []);
    const column = Number(part.dataset.node);
    this.mark("hovering", this.placesOf(column), [column]);
  }

  click(event) {
    const part = event.target.closest(".node, .edge");
    if (!part) return;
    if (part.classList.contains("edge")) this.chooseEdge(edgeOfKey.get(part.dataset.edge), part);
    else this.chooseColumn(Number(part.dataset.node), part);
  }

  key(event) {
    const part = event.target.closest(".node, .edge");
    if (!part) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.click(event);
    } else if (event.key.startsWith("Arrow") && part.classList.contains("node")) {
      event.preventDefault();
      this.step(Number(part.dataset.node), event.key);
    }
  }

  // Go to the nearest column in the direction of an arrow key.
  step(column, key) {
    const middle = (node) => { const b = node.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; };
    const [x, y] = middle(this.nodes.get(column));
    let best = null, least = Infinity;
    for (const [other, node] of this.nodes) {
      const [right, down] = [middle(node)[0] - x, middle(node)[1] - y];
      const [ahead, aside] = { ArrowRight: [right, down], ArrowLeft: [-right, down], ArrowDown: [down, right], ArrowUp: [-down, right] }[key];
      const distance = ahead + 2 * Math.abs(aside);
      if (other !== column && ahead > 1 && distance < least) [best, least] = [other, distance];
    }
    if (best !== null) this.focusNode(best);
  }

  focusNode(column) {
    for (const [other, node] of this.nodes) node.setAttribute("tabindex", other === column ? 0 : -1);
    this.nodes.get(column)?.focus({ preventScroll: true });
  }

  chooseColumn(column, opener) {
    this.chosen = column;
    const places = this.placesOf(column);
    if (data.whole) this.mark("chosen", places, [column]);
    else this.redraw(column);
    this.nodes.forEach((node, other) => node.classList.toggle("centre", other === column));
    for (const [place, drawing] of this.edges) drawing.setAttribute("tabindex", places.includes(place) ? 0 : -1);
    if (data.whole) this.bringNear(places, [column]);
    const inside = opener?.closest("#canvas") ? this.nodes.get(column) : opener;
    const parts = () => columnAnswer(column, (place) => this.isShown(place), (place) => this.chooseEdge(place));
    showAnswer(labels[column], parts(), inside);
    this.answer = () => {
      if (data.whole) this.mark("chosen", this.placesOf(column), [column]);
      renewAnswer(parts());
    };
    // After Tab, the next column in the graph is this one.
    for (const [other, node] of this.nodes) node.setAttribute("tabindex", other === column ? 0 : -1);
  }

  chooseEdge(place, opener) {
    const { from, to } = edges[place];
    if (!data.whole && !this.edges.has(place)) this.redraw(from);
    this.mark("chosen", [place], [from, to]);
    const parts = () => edgeAnswer(place, this.isShown(place), (column) => this.chooseColumn(column));
    showAnswer(textOf(edges[place]), parts(), opener);
    this.answer = () => renewAnswer(parts());
  }

  // From elsewhere on the page: show an edge where it stands.
  reveal(place, opener) {
    this.holder.scrollIntoView({ block: "center" });
    this.chooseEdge(place, opener);
    if (data.whole) this.bringNear([place], []);
  }

  bringNear(places, columns) {
    const ends = new Set(columns);
    for (const place of places) ends.add(edges[place].from).add(edges[place].to);
    const boxes = [...ends].map((column) => this.nodes.get(column).getBBox());
    const x = Math.min(...boxes.map((b) => b.x)), y = Math.min(...boxes.map((b) => b.y));
    const right = Math.max(...boxes.map((b) => b.x + b.width)), bottom = Math.max(...boxes.map((b) => b.y + b.height));
    const part = { x, y, width: right - x, height: bottom - y };
    // What can be seen stays where it is.
    if (!this.canvas.isInView(part)) this.canvas.near(part);
  }

  redraw(column) {
    this.chosen = column;
    this.svg.classList.remove("chosen", "hovering");
    this.svg.replaceChildren(...this.svg.querySelectorAll(":scope > style"));
    drawNear(this.svg, column, (place) => this.isShown(place));
    this.canvas.take(this.svg);
    this.take();
    this.nodes.get(column).classList.add("centre");
  }

  // Back to the whole graph, or to all of the neighbourhood that is drawn.
  clear() {
    closeAnswer();
    this.mark("chosen", null, []);
    if (data.whole) {
      this.chosen = null;
      this.nodes.forEach((node) => node.classList.remove("centre"));
      this.edges.forEach((drawing) => drawing.setAttribute("tabindex", -1));
    }
    this.canvas.fit();
  }
}
