import { announce, noAnswer, people, showScripted } from "./api.js";
import { dateOrderOf, decodeText, parseCsv, toLines } from "./csv.js";

const dialog = document.querySelector("#import");
const part = (name) => dialog.querySelector(`[data-part="${name}"]`);
const [file, banner, mapping, progress, outcome, store] = [
  "file",
  "banner",
  "mapping",
  "progress",
  "outcome",
  "store",
].map(part);

/** What is to be sent: lines of NDJSON, and for each the line of the file that it comes from. */
let lines = [];
let lineNumbers;

document.querySelector("[data-import]").addEventListener("click", () => dialog.showModal());
dialog.querySelector("[data-cancel]").addEventListener("click", () => dialog.close());
file.addEventListener("change", () => file.files.length > 0 && choose(file.files[0]));
dialog.addEventListener("dragover", (event) => event.preventDefault());
dialog.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length > 0) choose(event.dataTransfer.files[0]);
});

async function choose(chosen) {
  reset();
  const text = decodeText(new Uint8Array(await chosen.arrayBuffer()));
  if (text === undefined)
    return announce(banner, `${chosen.name} is not a text. To import a spreadsheet, save it as CSV.`);
  if (/\.(?:ndjson|jsonl)$/i.test(chosen.name) || text.trimStart().startsWith("{")) {
    lines = text.split("\n");
    lineNumbers = undefined;
    return judge();
  }
  const rows = parseCsv(text);
  if (rows.length < 2) return announce(banner, `${chosen.name} has no rows below a header.`);
  showMapping(rows);
}

function reset() {
  announce(banner, "");
  for (const element of [mapping, progress, outcome, store]) element.hidden = true;
}

/** A line for each column: its name, a value of it, and the member that it becomes. */
function showMapping([header, ...rows]) {
  const template = mapping.querySelector("select");
  const body = mapping.querySelector("tbody");
  const selects = header.cells.map((column) => {
    const select = template.cloneNode(true);
    select.hidden = false;
    select.setAttribute("aria-label", `Member for ${column}`);
    select.value = nearestMember(column, Array.from(select.options));
    return select;
  });
  const cell = (name, ...content) => {
    const element = document.createElement(name);
    element.append(...content);
    return element;
  };
  body.replaceChildren(
    ...selects.map((select, i) => {
      const sample = rows.find(({ cells }) => cells[i])?.cells[i] ?? "";
      return cell("tr", cell("th", header.cells[i]), cell("td", cell("bdi", sample.slice(0, 80))), cell("td", select));
    }),
  );
  const order = dateOrderOf(rows);
  part("dates").value = order ?? "";
  part("dates").parentElement.hidden = order === undefined;
  mapping.hidden = false;
  mapping.querySelector("button").onclick = () => {
    const members = selects.map(({ value }) => value);
    const twice = members.find((member, i) => member !== "" && members.indexOf(member) < i);
    if (twice !== undefined) return announce(banner, `Two columns become ${twice}. Choose one of them.`);
    announce(banner, "");
    ({ lines, lineNumbers } = toLines(rows, members, countryCodes(), part("dates").value));
    judge();
  };
}

/** The codes of countries by their names, which the form of a person has. */
function countryCodes() {
  const options = document.querySelectorAll("#countries option");
  return new Map(Array.from(options, ({ textContent, value }) => [textContent.toLowerCase(), value]));
}

/** The member that a column names, in one of the usual words for it. */
function nearestMember(column, options) {
  const wanted = column
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
  return options.find(({ dataset }) => dataset.words?.split(" ").includes(wanted))?.value ?? "";
}

/** Has the service judge every line, and stores nothing. */
async function judge() {
  const { status, answer } = await post("?dry-run=true", {}, "Checking");
  if (status !== 200) return announce(banner, answer?.detail ?? noAnswer);
  const { valid, refused, errors, omitted = 0 } = answer;
  showOutcome(`${people(valid)} can be stored${refused === 0 ? "." : `, and ${refused} cannot:`}`, errors, omitted);
  store.hidden = valid === 0;
  store.textContent =
    refused === 0 ? `Store ${people(valid)}` : `Store the ${valid} that ${valid === 1 ? "is" : "are"} good`;
  store.onclick = () => keep(refused > 0);
}

async function keep(isPartial) {
  store.hidden = true;
  mapping.hidden = true;
  const { status, answer } = await post("", isPartial ? { Prefer: "handling=lenient" } : {}, "Storing");
  if (status === 200) showOutcome(`${people(answer.stored)} stored.`, answer.errors, answer.omitted);
  else showOutcome(answer?.detail ?? noAnswer, answer?.errors ?? []);
  dialog.addEventListener("close", () => location.reload(), { once: true });
}

function showOutcome(text, errors = [], omitted = 0) {
  const [summary, list] = outcome.children;
  summary.textContent = text;
  list.replaceChildren(
    ...errors.map(({ line, pointer = "", detail }) => {
      const item = document.createElement("li");
      const member = pointer.replace(/^#\/?/, "").replaceAll("/", ".");
      item.textContent = `Line ${lineNumbers?.[line - 1] ?? line}: ${[member, detail].join(" ").trim()}`;
      return item;
    }),
  );
  if (omitted > 0)
    list.append(Object.assign(document.createElement("li"), { textContent: `and ${omitted} more faults` }));
  list.hidden = errors.length === 0;
  outcome.hidden = false;
}

/** Sends the lines. Not by fetch, which says nothing of the progress of what it sends. */
function post(query, headers, doing) {
  const request = new XMLHttpRequest();
  const [label, bar] = progress.children;
  label.textContent = `${doing}…`;
  bar.removeAttribute("value");
  progress.hidden = false;
  return new Promise((resolve) => {
    request.upload.onprogress = ({ loaded, total }) => {
      bar.value = loaded / total;
      if (loaded === total) bar.removeAttribute("value");
    };
    request.onloadend = () => {
      progress.hidden = true;
      resolve({ status: request.status, answer: request.response ?? undefined });
    };
    request.responseType = "json";
    request.open("POST", dialog.dataset.url + query);
    request.setRequestHeader("Content-Type", "application/x-ndjson");
    request.setRequestHeader("Accept", "application/json, application/problem+json");
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(lines.join("\n"));
  });
}

showScripted();
