// What all parts share: the data of the page and a few short hands.
// An edge is known by its place in `edges`, strongest first; a column by its index.

const root = document.documentElement;
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const { labels, edges } = data;

const keyOf = (edge) => `${edge.from}-${edge.to}`;
const edgeOfKey = new Map(edges.map((edge, place) => [keyOf(edge), place]));
const markOf = (edge) => (edge.directed ? "→" : "-");
const textOf = (edge) => `${labels[edge.from]} ${markOf(edge)} ${labels[edge.to]}`;

// For each column the places of its edges.
const edgesOf = labels.map(() => []);
edges.forEach((edge, place) => {
  edgesOf[edge.from].push(place);
  edgesOf[edge.to].push(place);
});
const otherEnd = (edge, column) => (edge.from === column ? edge.to : edge.from);

// Names only ever become text, never markup.
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

function button(text, action, className = "") {
  const made = element("button", { type: "button", className, textContent: text });
  made.addEventListener("click", action);
  return made;
}
