// A drawing of one column and those adjacent to it, for tables too wide to be drawn whole.
// Parents stand above the column, children below, undirected neighbours beside it.

const SVG = "http://www.w3.org/2000/svg";
const BOX = { height: 26, padding: 9, gap: 16, most: 56, corner: 6 };
const ROW = { width: 1000, room: 680, distance: 96 };
const MOST_SCALE = 1.35;
const HEAD = { length: 8, half: 4.2 };
const MARK = 4.5;
// Corners of marks, and by which share of a corner they are turned.
const SHAPES = { knowledge: [4, 0], intervention: [4, 0.5], curve: [16, 0], score: [3, 0.25] };

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// Draw the neighbourhood of a column into an empty svg; `isShown` says whether an edge counts.
function drawNear(svg, column, isShown) {
  const places = edgesOf[column].filter(isShown);
  const side = (belongs) => places.filter((place) => belongs(edges[place])).map((place) => otherEnd(edges[place], column));
  const widths = new Map();
  const columns = [column, ...places.map((place) => otherEnd(edges[place], column))];
  const nodes = new Map(columns.map((i) => [i, makeNode(svg, i, widths)]));
  const boxes = placeBoxes(column, widths, {
    above: side((edge) => edge.directed && edge.to === column),
    beside: side((edge) => !edge.directed),
    below: side((edge) => edge.directed && edge.from === column),
  });
  for (const [i, node] of nodes) moveNode(node, boxes.get(i));
  const among = edges.map((_, place) => place).filter(
    (place) => isShown(place) && boxes.has(edges[place].from) && boxes.has(edges[place].to));
  svg.prepend(...among.map((place) => makeEdge(place, boxes)));
  frame(svg, [...boxes.values()]);
}

function makeNode(svg, i, widths) {
  const text = drawn("text", {}, data.boxes[i]);
  const node = drawn("g", { class: "node", "data-node": i, tabindex: 0 }, drawn("title", {}, labels[i]), drawn("rect", {}), text);
  svg.append(node);
  widths.set(i, Math.max(34, text.getComputedTextLength() + 2 * BOX.padding));
  return node;
}

function moveNode(node, { x, y, width }) {
  const rect = node.querySelector("rect"), text = node.querySelector("text");
  const place = { x: x - width / 2, y: y - BOX.height / 2, width, height: BOX.height, rx: BOX.corner };
  for (const [name, value] of Object.entries(place)) rect.setAttribute(name, value);
  text.setAttribute("x", x);
  text.setAttribute("y", y);
}

// Strongest in the middle: 4 2 1 3 5.
const centred = (list) => list.reduce((row, i, k) => (k % 2 ? [i, ...row] : [...row, i]), []);

// Cut a list into rows that are not too wide; the first, strongest ones stand nearest.
function rowsOf(list, widths) {
  const rows = [];
  let room = 0;
  for (const i of list) {
    const width = widths.get(i) + BOX.gap;
    if (room < width) { rows.push([]); room = ROW.width; }
    rows.at(-1).push(i);
    room -= width;
  }
  return rows.map(centred);
}

function placeBoxes(column, widths, { above, beside, below }) {
  const boxes = new Map();
  const put = (row, y) => {
    const wide = row.reduce((sum, i) => sum + widths.get(i), 0);
    // A few stand further apart, so that they use the room that there is.
    const gap = Math.min(Math.max((ROW.room - wide) / row.length, BOX.gap), BOX.most);
    let x = -(wide + gap * (row.length - 1)) / 2;
    for (const i of row) {
      boxes.set(i, { x: x + widths.get(i) / 2, y, width: widths.get(i) });
      x += widths.get(i) + gap;
    }
  };
  put([column], 0);
  rowsOf(above, widths).forEach((row, k) => put(row, -(k + 1) * ROW.distance));
  rowsOf(below, widths).forEach((row, k) => put(row, (k + 1) * ROW.distance));
  // Alternately left and right, up to three above each other.
  [-1, 1].forEach((way, half) => {
    const list = beside.filter((_, k) => k % 2 === half);
    let reach = widths.get(column) / 2 + 80;
    for (let first = 0; first < list.length; first += 3) {
      const stack = list.slice(first, first + 3);
      const wide = Math.max(...stack.map((i) => widths.get(i)));
      stack.forEach((i, k) => {
        const y = (k - (stack.length - 1) / 2) * 40;
        boxes.set(i, { x: way * (reach + wide / 2), y, width: widths.get(i) });
      });
      reach += wide + 60;
    }
  });
  return boxes;
}

// Where the line from the middle of a box towards a point leaves the box.
function border(box, towards) {
  const right = towards.x - box.x, down = towards.y - box.y;
  const scale = Math.min(box.width / 2 / Math.abs(right || 1e-9), BOX.height / 2 / Math.abs(down || 1e-9));
  return { x: box.x + right * scale, y: box.y + down * scale };
}

function makeEdge(place, boxes) {
  const edge = edges[place], from = boxes.get(edge.from), to = boxes.get(edge.to);
  // Edges within one row are bows, so that they do not pass under the columns between.
  const middle = [from, to].some((box) => box.x === 0 && box.y === 0);
  const bow = from.y !== to.y || middle ? 0 : from.y < 0 ? -52 : 52;
  const bend = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 + bow };
  const start = border(from, bend), tip = border(to, bend);
  const length = Math.hypot(tip.x - bend.x, tip.y - bend.y) || 1;
  const along = { x: (tip.x - bend.x) / length, y: (tip.y - bend.y) / length };
  const back = edge.directed ? HEAD.length - 1 : 0;
  const stop = { x: tip.x - along.x * back, y: tip.y - along.y * back };
  const path = `M${start.x},${start.y}Q${bend.x},${bend.y} ${stop.x},${stop.y}`;
  // The paler, the fewer draws find it.
  const pale = data.opacities ? { opacity: data.opacities[place] } : {};
  const made = drawn("g", { class: `edge ${edge.directed ? "directed" : "undirected"}`, "data-edge": keyOf(edge) },
    drawn("title", {}, textOf(edge)), drawn("path", { class: "hit", d: path }),
    drawn("path", { class: "line", d: path, "stroke-width": 1.6, ...pale }));
  const faint = data.faint.includes(place) ? { class: "faint" } : {};
  if (edge.directed) made.append(drawn("polygon", { ...faint, ...pale, points: headAt(tip, along) }));
  if (place in data.marks) made.append(drawn("polygon", { ...pale, points: markAt(start, bend, data.marks[place]) }));
  return made;
}

// At the tail of an edge that the class leaves undirected: what directs it.
function markAt(start, bend, source) {
  const length = Math.hypot(bend.x - start.x, bend.y - start.y) || 1;
  const x = start.x + ((bend.x - start.x) / length) * MARK, y = start.y + ((bend.y - start.y) / length) * MARK;
  const [corners, turn] = SHAPES[source];
  const angles = Array.from({ length: corners }, (_, k) => (2 * Math.PI * (k + turn)) / corners);
  return angles.map((angle) => `${x - MARK * Math.cos(angle)},${y - MARK * Math.sin(angle)}`).join(" ");
}

function headAt(tip, along) {
  const base = { x: tip.x - along.x * HEAD.length, y: tip.y - along.y * HEAD.length };
  const left = [base.x - along.y * HEAD.half, base.y + along.x * HEAD.half];
  const right = [base.x + along.y * HEAD.half, base.y - along.x * HEAD.half];
  return [[tip.x, tip.y], left, right].map((point) => point.join(",")).join(" ");
}

// Everything with a margin, but no larger than names are comfortable to read.
function frame(svg, boxes) {
  const { width: across, height: down } = svg.getBoundingClientRect();
  const left = Math.min(...boxes.map((box) => box.x - box.width / 2)) - 24;
  const right = Math.max(...boxes.map((box) => box.x + box.width / 2)) + 24;
  const top = Math.min(...boxes.map((box) => box.y)) - 70, bottom = Math.max(...boxes.map((box) => box.y)) + 70;
  const width = Math.max(right - left, across / MOST_SCALE), height = Math.max(bottom - top, down / MOST_SCALE);
  svg.setAttribute("viewBox", `${(left + right - width) / 2} ${(top + bottom - height) / 2} ${width} ${height}`);
}
