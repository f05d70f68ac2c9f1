// Tables that can be sorted by any column, and the table of edges with its filter and reasons.

// As cards, tables are laid out as blocks, and would no longer be tables for screen readers.
function keepRoles(table) {
  const roles = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TH: "columnheader", TD: "cell" };
  for (const part of [table, ...table.querySelectorAll("thead, tbody, tr, th, td")]) part.setAttribute("role", roles[part.tagName]);
}

function makeSortable(table) {
  keepRoles(table);
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.scope || head.classList.contains("mark")) return;
    const sort = button(head.textContent, () => sortBy(table, heads, column));
    head.replaceChildren(sort);
  });
}

function sortBy(table, heads, column) {
  const head = heads[column];
  const numbers = "numbers" in head.dataset;
  const before = head.getAttribute("aria-sort");
  // Numbers are looked at from the largest, names from A.
  const downward = before ? before === "ascending" : numbers;
  heads.forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", downward ? "descending" : "ascending");
  closeReasons(table);
  // What has no number goes last in one direction, first in the other.
  const number = (cell) => (cell.dataset.value === "" ? -Infinity : Number(cell.dataset.value));
  const value = (row) => (numbers ? number(row.cells[column]) : row.cells[column].textContent);
  const order = numbers ? (a, b) => (a === b ? 0 : a - b) : new Intl.Collator("en", { numeric: true }).compare;
  const rows = [...table.tBodies[0].rows].map((row) => [value(row), row]);
  rows.sort(([a], [b]) => (downward ? order(b, a) : order(a, b)));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

function closeReasons(table) {
  table.querySelectorAll("tr.reason").forEach((row) => row.remove());
  table.querySelectorAll("button.why").forEach((why) => why.setAttribute("aria-expanded", "false"));
}

function toggleReason(row, showInGraph) {
  const why = row.querySelector("button.why");
  const open = why.getAttribute("aria-expanded") === "true";
  why.setAttribute("aria-expanded", String(!open));
  if (open) return row.nextElementSibling.remove();
  const place = edgeOfKey.get(row.dataset.edge);
  const cell = element("td", { colSpan: row.cells.length }, ...reasonOf(place));
  if (showInGraph) {
    cell.append(element("div", { className: "row" }, button("Show in the graph", () => showInGraph(place))));
  }
  row.after(element("tr", { className: "reason" }, cell));
}

function startEdgeTable(table, showInGraph) {
  const rows = [...table.tBodies[0].rows];
  const filter = byId("filter"), marks = byId("marks"), listed = byId("listed");
  table.tBodies[0].addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-edge]");
    // Marking text to copy it is no click.
    if (row && row.querySelector("button.why") && getSelection().isCollapsed) toggleReason(row, showInGraph);
  });
  table.addEventListener("keydown", (event) => {
    const reason = event.target.closest("tr.reason");
    const row = reason ? reason.previousElementSibling : event.target.closest("tr[data-edge]");
    if (event.key !== "Escape" || row?.nextElementSibling?.className !== "reason") return;
    toggleReason(row, showInGraph);
    row.querySelector("button.why").focus();
    event.stopPropagation();
  });
  const texts = rows.map((row) => [...row.cells].filter((cell) => !cell.querySelector("button")).map((cell) => cell.textContent.trim()).join(" ").toLowerCase());
  const apply = () => {
    closeReasons(table);
    const wanted = filter.value.trim().toLowerCase();
    let left = 0;
    rows.forEach((row, i) => {
      row.hidden = !texts[i].includes(wanted) || (marks.value !== "" && row.className !== marks.value);
      left += row.hidden ? 0 : 1;
    });
    listed.textContent = `${left} of ${rows.length} edges`;
  };
  filter.addEventListener("input", apply);
  marks.addEventListener("change", apply);
  apply();
}
