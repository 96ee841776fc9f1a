import { notes, reloadWhenShownAgain, send, sendBy, showScripted } from "./api.js";
import { personEditor, toPatch, toValues } from "./form.js";

const main = document.querySelector("main");
const card = main.querySelector(".card");
const form = main.querySelector(".editor");
const conflict = main.querySelector(".conflict");
const dialog = main.querySelector("#remove");
const actions = main.querySelector(".heading .actions");

showScripted();
reloadWhenShownAgain();
leadBack();
notes.show(main.querySelector("[data-said]"));
if (form !== null) prepareEditing();
if (dialog !== null) prepareRemoval();

/** Leads back to the list that the visitor comes from, and to the people beside this one there. */
function leadBack() {
  const { url, people } = JSON.parse(sessionStorage.getItem("list") ?? '{"people":[]}');
  const here = people.indexOf(location.origin + location.pathname);
  if (here === -1) return;
  const [back, ...steps] = main.querySelectorAll(".trail a");
  back.href = url;
  if (url.includes("?")) back.textContent = "Back to the list";
  for (const [i, step] of steps.entries()) {
    const href = people[here + 2 * i - 1];
    step.hidden = href === undefined;
    if (href !== undefined) step.href = href;
  }
}

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
      conflict.hidden = true;
      show(false);
      editButton.focus();
    },
  });
  const edit = () => {
    show(true);
    editor.open();
  };
  editButton.addEventListener("click", edit);
  conflict.querySelector("[data-back]").addEventListener("click", () => {
    conflict.hidden = true;
    form.hidden = false;
    form.querySelector(".primary").focus();
  });
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
  const template = conflict.querySelector("template").content;
  const rows = differing.map((name) => {
    const row = template.cloneNode(true);
    row.querySelector("th").textContent = editor.labelOf(name);
    for (const input of row.querySelectorAll("input")) {
      const value = { mine, theirs }[input.value][name];
      input.name = name;
      input.checked = merged[name] === value;
      input.nextElementSibling.textContent = value === "" ? "(empty)" : value;
    }
    return row;
  });
  conflict.querySelector("tbody").replaceChildren(...rows);
  conflict.onsubmit = (event) => {
    event.preventDefault();
    sendBy(conflict.querySelector(".primary"), conflict.querySelector(".banner"), () => {
      const chosen = { ...theirs };
      for (const [name, side] of new FormData(conflict)) if (side === "mine") chosen[name] = mine[name];
      return save(editor, theirs, chosen, etag);
    });
  };
  form.hidden = true;
  conflict.hidden = false;
  conflict.querySelector("h2").focus();
}

function prepareRemoval() {
  const banner = dialog.querySelector(".banner");
  const button = dialog.querySelector("[data-confirm]");
  main.querySelector("[data-remove]").addEventListener("click", () => dialog.showModal());
  dialog.querySelector("[data-cancel]").addEventListener("click", () => dialog.close());
  button.addEventListener("click", () =>
    sendBy(button, banner, async () => {
      const headers = { "If-Match": dialog.dataset.etag };
      const { response, problem } = await send("DELETE", dialog.dataset.url, { headers });
      if (response.status === 412)
        return { detail: "Somebody changed this person meanwhile. Read the page again first." };
      if (!response.ok && response.status !== 404) return problem;
      notes.leave(`${main.querySelector("h1").textContent} is deleted.`);
      location.replace(main.querySelector(".trail a").href);
    }),
  );
}
