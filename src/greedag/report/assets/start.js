// Bring the page to life. Without a script it can be read all the same.

root.classList.add("live");

function startTheme() {
  const toggle = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const say = () => (toggle.textContent = isDark() ? "Light theme" : "Dark theme");
  toggle.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    say();
  });
  system.addEventListener("change", say);
  say();
}

// The column whose name is meant: the same name, else the first that begins with it, else holds it.
function columnNamed(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return -1;
  for (const names of [labels, data.names]) if (names.includes(text)) return names.indexOf(text);
  const small = labels.map((label) => label.toLowerCase());
  const tests = [(name) => name === wanted, (name) => name.startsWith(wanted), (name) => name.includes(wanted)];
  return tests.map((test) => small.findIndex(test)).find((found) => found >= 0) ?? -1;
}

function startFind(graph) {
  const find = byId("find");
  const go = () => {
    const column = columnNamed(find.value);
    find.setCustomValidity(column < 0 && find.value.trim() ? "No column has this name." : "");
    find.setAttribute("aria-invalid", String(!find.validity.valid));
    if (column >= 0) graph.chooseColumn(column, find);
    else find.reportValidity();
  };
  find.addEventListener("change", go);
  find.addEventListener("input", (event) => {
    find.setCustomValidity("");
    // A name taken from the list is meant as it stands; one that is typed may go on.
    const taken = !event.inputType || event.inputType === "insertReplacementText";
    if (taken && labels.includes(find.value)) go();
  });
  find.addEventListener("keydown", (event) => event.key === "Enter" && go());
}

function startSlider(graph) {
  const least = byId("least"), shown = byId("shown");
  if (!least) return;
  const apply = () => {
    const left = edges.length - Number(least.value);
    graph.hideWeakest(Number(least.value));
    shown.textContent = `${left} of ${edges.length} edges, strength ${data.amounts[left - 1]} or more`;
    least.setAttribute("aria-valuetext", shown.textContent);
  };
  least.addEventListener("input", apply);
  apply();
}

// The clipboard may be refused, as on some pages opened from a file; then the old way is tried.
async function copied(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  }
}

function startCopy(recipe) {
  const code = recipe.querySelector("code");
  const copy = button("Copy", async () => {
    copy.textContent = (await copied(code)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => (copy.textContent = "Copy"), 2000);
  }, "copy");
  copy.setAttribute("aria-live", "polite");
  recipe.append(copy);
}

function startGraph(holder) {
  const graph = new Graph(holder);
  if (!data.whole) graph.redraw(data.start);
  startFind(graph);
  startSlider(graph);
  byId("closer").addEventListener("click", () => graph.canvas.zoom(0.75));
  byId("further").addEventListener("click", () => graph.canvas.zoom(1.333));
  byId("fit").addEventListener("click", () => graph.clear());
  byId("graph").addEventListener("keydown", (event) => event.key === "Escape" && graph.clear());
  return graph;
}

startTheme();
document.querySelectorAll("table.sortable").forEach(makeSortable);
document.querySelectorAll(".recipe").forEach(startCopy);
const graph = byId("canvas") ? startGraph(byId("canvas")) : null;
if (byId("edge-table")) {
  startEdgeTable(byId("edge-table"), graph && ((place) => graph.reveal(place, document.activeElement)));
}
if (byId("change-x")) startChanges(byId("change-x"), byId("change-y"), byId("change-answer"));
