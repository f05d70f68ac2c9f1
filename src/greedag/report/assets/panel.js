// The panel beside the graph: what an edge is worth and why it is there, or the edges of a column.

const panel = { box: byId("panel"), hint: byId("hint"), answer: byId("answer"), opener: null };

function showAnswer(title, parts, opener) {
  const heading = element("h3", { id: "answer-title", tabIndex: -1, textContent: title });
  const close = button("×", () => closeAnswer(), "close");
  close.setAttribute("aria-label", "Close");
  panel.answer.replaceChildren(heading, close, ...parts);
  panel.answer.hidden = false;
  panel.hint.hidden = true;
  panel.box.classList.add("answering");
  panel.box.setAttribute("aria-labelledby", "answer-title");
  panel.box.scrollTop = 0;
  // The first opener is where the reader came from, however far the panel led on.
  panel.opener = panel.opener ?? opener;
  heading.focus({ preventScroll: true });
}

const isAnswering = () => Boolean(panel.answer) && !panel.answer.hidden;

// The same answer, after the slider was moved; the focus stays where it is.
function renewAnswer(parts) {
  const [heading, close] = panel.answer.children;
  panel.answer.replaceChildren(heading, close, ...parts);
}

function closeAnswer() {
  if (!panel.answer || panel.answer.hidden) return false;
  panel.answer.hidden = true;
  panel.hint.hidden = false;
  panel.box.classList.remove("answering");
  panel.box.setAttribute("aria-labelledby", "panel-title");
  const opener = panel.opener;
  panel.opener = null;
  if (opener?.isConnected) opener.focus({ preventScroll: true });
  return true;
}

function reasonOf(place) {
  return data.reasons[place].map((sentence) => element("p", { className: "sentence", textContent: sentence }));
}

function worthOf(place) {
  const texts = [];
  if (data.amounts[place]) texts.push(`Strength ${data.amounts[place]}, number ${place + 1} of ${edges.length}`);
  if (data.margins[place] && data.margins[place] !== "?") texts.push(`Direction margin ${data.margins[place]}`);
  if (data.found) texts.push(data.found[place]);
  return texts.map((textContent) => element("p", { className: "worth", textContent }));
}

function edgeAnswer(place, isShown, chooseColumn) {
  const edge = edges[place];
  const ends = [edge.from, edge.to].map((column) => button(labels[column], () => chooseColumn(column)));
  const why = element("div", { id: "why" }, ...reasonOf(place));
  const row = element("div", { className: "row" }, element("span", { className: "quiet", textContent: "Neighbourhood of" }), ...ends);
  const hidden = element("p", { className: "quiet", textContent: "The slider hides this edge." });
  return [...worthOf(place), ...(isShown ? [] : [hidden]), why, row];
}

// The edges of a column that the slider leaves, in three lists, each edge a button.
function columnAnswer(column, isShown, chooseEdge) {
  const groups = [
    ["Into it (parents)", (edge) => edge.directed && edge.to === column],
    ["Out of it (children)", (edge) => edge.directed && edge.from === column],
    ["Undirected edges", (edge) => !edge.directed],
  ];
  const parts = groups.flatMap(([title, belongs]) => {
    const places = edgesOf[column].filter((place) => isShown(place) && belongs(edges[place]));
    if (!places.length) return [];
    const items = places.map((place) => {
      const open = button("", () => chooseEdge(place));
      open.append(
        element("span", { textContent: labels[otherEnd(edges[place], column)] }),
        element("span", { textContent: data.amounts[place] }),
      );
      open.setAttribute("aria-label", `Why ${textOf(edges[place])}?`);
      return element("li", {}, open);
    });
    return [element("h4", { textContent: title }), element("ul", {}, ...items)];
  });
  const hidden = edgesOf[column].filter((place) => !isShown(place)).length;
  if (hidden) {
    const text = hidden === 1 ? "1 weaker edge is hidden by the slider." : `${hidden} weaker edges are hidden by the slider.`;
    parts.push(element("p", { className: "quiet", textContent: text }));
  }
  return parts.length ? parts : [element("p", { textContent: "Not adjacent to any other column." })];
}
