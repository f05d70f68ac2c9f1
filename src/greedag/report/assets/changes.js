// The chooser of "What would changing a column do?".

function startChanges(x, y, answer) {
  const say = () => {
    const from = x.selectedIndex, to = y.selectedIndex;
    const none = from === to
      ? "Choose two different columns."
      : `Changing ${labels[from]} does not change ${labels[to]}: in no DAG of the graph do arrows lead there.`;
    const lines = data.changes[from]?.[to] ?? [none];
    answer.replaceChildren(...lines.map((line) => element("p", { textContent: line })));
  };
  // Begin with an effect that the table shows first.
  const first = byId("change-table").tBodies[0].rows[0];
  if (first) {
    x.selectedIndex = labels.indexOf(first.cells[0].textContent);
    y.selectedIndex = labels.indexOf(first.cells[1].textContent);
  }
  x.addEventListener("change", say);
  y.addEventListener("change", say);
  say();
}
