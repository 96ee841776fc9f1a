import { announce, noAnswer, notes, reloadWhenShownAgain, send, showScripted, wordsOf } from "./api.js";
import { personEditor, toPatch, toValues } from "./form.js";

const main = document.querySelector("main");
const card = main.querySelector(".card");
const form = main.querySelector(".editor");
const dialog = main.querySelector("#remove");
const actions = main.querySelector(".heading .actions");

showScripted();
reloadWhenShownAgain();
announce(main.querySelector(".banner.good"), notes.take() ?? "");
if (form !== null) prepareEditing();
if (dialog !== null) prepareRemoval();

function prepareEditing() {
  const show = (isEditing) => {
    card.hidden = isEditing;
    actions.hidden = isEditing;
    form.hidden = !isEditing;
  };
  const editButton = main.querySelector("[data-edit]");
  const editor = personEditor(form, {
    submit: (values, before, etag) => save(editor, before, values, etag),
    leave() {
      main.querySelector(".conflict")?.remove();
      show(false);
      editButton.focus();
    },
  });
  const edit = () => {
    show(true);
    editor.open();
  };
  editButton.addEventListener("click", edit);
  if (editor.hasDraft()) edit();
}

/** Changes what differs, if the person is still as the tag says; resolves with the problem of the refusal. */
async function save(editor, before, after, etag) {
  const patch = toPatch(before, after);
  if (Object.keys(patch).length === 0) {
    // The page shows the person as it was before somebody else changed it.
    if (etag !== form.dataset.etag) return showStored(editor);
    return editor.finish();
  }
  const { response, problem } = await send("PATCH", form.dataset.url, {
    headers: { "Content-Type": "application/merge-patch+json", "If-Match": etag },
    body: JSON.stringify(patch),
  });
  if (response.status === 412) return compare(editor, before, after);
  if (problem !== undefined) return problem;
  notes.leave("Saved.");
  showStored(editor);
}

function showStored(editor) {
  editor.forget();
  location.reload();
}

/** Somebody else changed the person meanwhile: shows both versions side by side, to be chosen from. */
async function compare(editor, before, mine) {
  const { response, problem } = await send("GET", form.dataset.url);
  if (problem !== undefined) return problem;
  const names = Object.keys(mine);
  const theirs = toValues(await response.json(), names);
  const etag = response.headers.get("ETag");
  const differing = names.filter((name) => mine[name] !== theirs[name]);
  const isContested = differing.some((name) => mine[name] !== before[name] && theirs[name] !== before[name]);
  const merged = { ...theirs };
  for (const name of differing) if (mine[name] !== before[name]) merged[name] = mine[name];
  // Where the two changed different members, both changes stand.
  if (!isContested) return save(editor, theirs, merged, etag);
  main.querySelector(".conflict")?.remove();
  form.before(conflictTable(editor, { differing, mine, theirs, merged, etag }));
  form.hidden = true;
  main.querySelector(".conflict h2").focus();
}

function conflictTable(editor, { differing, mine, theirs, merged, etag }) {
  const view = document.createElement("form");
  view.className = "conflict";
  const rows = differing.map((name) => {
    const choice = (side, label, value, isChosen) => {
      const input = element("input", { type: "radio", name, value: side, checked: isChosen });
      const text = element("bdi", { textContent: value === "" ? "(empty)" : value });
      const cell = element("td", {});
      cell.dataset.label = label;
      const wrapper = element("label", {});
      wrapper.append(input, text);
      cell.append(wrapper);
      return cell;
    };
    const row = element("tr", {});
    row.append(
      element("th", { scope: "row", textContent: editor.labelOf(name) }),
      choice("mine", "Yours", mine[name], merged[name] === mine[name]),
      choice("theirs", "Theirs", theirs[name], merged[name] !== mine[name]),
    );
    return row;
  });
  const head = element("tr", {});
  head.append(...["Member", "Yours", "Theirs"].map((text) => element("th", { scope: "col", textContent: text })));
  const [thead, tbody, table] = ["thead", "tbody", "table"].map((name) => element(name, {}));
  thead.append(head);
  tbody.append(...rows);
  table.append(thead, tbody);
  const buttons = element("div", { className: "actions" });
  buttons.append(
    element("button", { className: "primary", textContent: "Save what is chosen" }),
    element("button", { type: "button", className: "plain", textContent: "Back to the form" }),
  );
  const banner = element("div", { className: "banner", hidden: true });
  banner.setAttribute("role", "alert");
  view.append(
    element("h2", { textContent: "Somebody else changed this person meanwhile", tabIndex: -1 }),
    element("p", { textContent: "Choose for each line which version stays." }),
    banner,
    table,
    buttons,
  );
  buttons.lastChild.addEventListener("click", () => {
    view.remove();
    form.hidden = false;
  });
  view.addEventListener("submit", async (event) => {
    event.preventDefault();
    const chosen = { ...theirs };
    for (const [name, side] of new FormData(view)) if (side === "mine") chosen[name] = mine[name];
    try {
      const problem = await save(editor, theirs, chosen, etag);
      if (problem !== undefined) announce(banner, wordsOf(problem));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      announce(banner, noAnswer);
    }
  });
  return view;
}

const element = (name, properties) => Object.assign(document.createElement(name), properties);

function prepareRemoval() {
  const banner = dialog.querySelector(".banner");
  main.querySelector("[data-remove]").addEventListener("click", () => dialog.showModal());
  dialog.querySelector("[data-cancel]").addEventListener("click", () => dialog.close());
  dialog.querySelector("[data-confirm]").addEventListener("click", async ({ currentTarget }) => {
    currentTarget.disabled = true;
    try {
      const headers = { "If-Match": dialog.dataset.etag };
      const { response, problem } = await send("DELETE", dialog.dataset.url, { headers });
      if (response.ok || response.status === 404) {
        notes.leave(`${main.querySelector("h1").textContent} is deleted.`);
        location.assign(main.querySelector(".trail a").href);
      } else if (response.status === 412)
        announce(banner, "Somebody changed this person meanwhile. Read the page again first.");
      else announce(banner, wordsOf(problem));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      announce(banner, noAnswer);
    } finally {
      currentTarget.disabled = false;
    }
  });
}
