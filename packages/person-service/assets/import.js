import { announce, noAnswer, people, say, showScripted, signIn } from "./api.js";
import { dateOrderOf, decodeText, parseCsv, toLines } from "./csv.js";

const dialog = document.querySelector("#import");
const part = (name) => dialog.querySelector(`[data-part="${name}"]`);
const [file, banner, mapping, dates, progress, outcome, store] = [
  ...["file", "banner", "mapping", "dates", "progress", "outcome", "store"],
].map(part);

/** Ends what was begun with a file or its columns as they were: an answer that comes later says nothing of what is shown now. */
let present = new AbortController();

document.querySelector("[data-import]").addEventListener("click", () => dialog.showModal());
dialog.querySelector("[data-cancel]").addEventListener("click", () => dialog.close());
file.addEventListener("change", () => file.files.length > 0 && choose(file.files[0]));
mapping.addEventListener("change", begin);
dialog.addEventListener("dragover", (event) => event.preventDefault());
dialog.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length > 0 && !file.disabled) choose(event.dataTransfer.files[0]);
});

/** Takes away what is said of another file, or of other columns; returns what ends when this is said of what is shown now. */
function begin() {
  present.abort();
  present = new AbortController();
  announce(banner, "");
  for (const element of [progress, outcome, store]) element.hidden = true;
  return present.signal;
}

async function choose(chosen) {
  const signal = begin();
  mapping.hidden = true;
  if (chosen.size > mostBytes)
    return say(banner, `${chosen.name} is too large for this page. The command "person-service import" takes it.`);
  const bytes = await chosen.arrayBuffer().catch(() => undefined);
  if (signal.aborted) return;
  if (bytes === undefined)
    return say(banner, `${chosen.name} cannot be read. Is it a folder, or was it changed meanwhile?`);
  const text = decodeText(new Uint8Array(bytes));
  if (text === undefined) return say(banner, `${chosen.name} is not a text. To import a spreadsheet, save it as CSV.`);
  if (/\.(?:ndjson|jsonl)$/i.test(chosen.name) || text.trimStart().startsWith("{")) {
    return judge({ lines: text.split("\n") });
  }
  const rows = parseCsv(text);
  if (rows.length < 2) return say(banner, `${chosen.name} has no rows below a header.`);
  showMapping(rows);
}

/** What a browser can hold as text, as bytes and as lines at once. */
const mostBytes = 256 * 1024 * 1024;

/** A line for each column: its name, a value of it, and the member that it becomes. */
function showMapping([header, ...rows]) {
  const template = mapping.querySelector("template").content.firstElementChild;
  const lines = header.cells.map((column, i) => {
    const line = template.cloneNode(true);
    const select = line.querySelector("select");
    line.querySelector("th").textContent = column;
    line.querySelector("bdi").textContent = rows.find(({ cells }) => cells[i])?.cells[i]?.slice(0, 80) ?? "";
    select.setAttribute("aria-label", `Member for ${column}`);
    select.value = nearestMember(column, Array.from(select.options));
    return line;
  });
  mapping.querySelector("tbody").replaceChildren(...lines);
  const order = dateOrderOf(rows);
  dates.value = order ?? "";
  dates.parentElement.hidden = order === undefined;
  mapping.hidden = false;
  mapping.querySelector("button").onclick = () => {
    const members = Array.from(mapping.querySelectorAll("tbody select"), ({ value }) => value);
    const twice = members.find((member, i) => member !== "" && members.indexOf(member) < i);
    if (twice !== undefined) return say(banner, `Two columns become ${twice}. Choose one of them.`);
    judge(toLines(rows, members, countryCodes(), dates.value));
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

/**
 * Has the service judge every line, and stores nothing. The button that is shown then stores these lines, and no others.
 *
 * @param batch lines of NDJSON, and for each the line of the file that it comes from, where it is another one
 */
async function judge(batch) {
  const { status, answer } = await post(batch, "?dry-run=true", {}, "Checking", begin());
  if (status !== 200) return say(banner, answer?.detail ?? noAnswer);
  const { valid, refused } = answer;
  showOutcome(`${people(valid)} can be stored${refused === 0 ? "." : `, and ${refused} cannot:`}`, answer, batch);
  store.hidden = valid === 0;
  store.textContent =
    refused === 0 ? `Store ${people(valid)}` : `Store the ${valid} that ${valid === 1 ? "is" : "are"} good`;
  store.onclick = () => keep(batch, refused > 0);
}

async function keep(batch, isPartial) {
  store.hidden = true;
  mapping.hidden = true;
  file.disabled = true;
  const headers = isPartial ? { Prefer: "handling=lenient" } : {};
  const { status, answer } = await post(batch, "", headers, "Storing", begin());
  file.disabled = false;
  showOutcome(status === 200 ? `${people(answer.stored)} stored.` : (answer?.detail ?? noAnswer), answer, batch);
  dialog.addEventListener("close", () => location.reload(), { once: true });
}

function showOutcome(text, { errors = [], omitted = 0 } = {}, { lineNumbers }) {
  const [summary, list] = outcome.children;
  summary.textContent = text;
  const faults = errors.map(({ line, pointer = "", detail }) => {
    const member = pointer.replace(/^#\/?/, "").replaceAll("/", ".");
    return `Line ${lineNumbers?.[line - 1] ?? line}: ${[member, detail].join(" ").trim()}`;
  });
  if (omitted > 0) faults.push(`and ${omitted} more faults`);
  list.replaceChildren(...faults.map((textContent) => Object.assign(document.createElement("li"), { textContent })));
  list.hidden = faults.length === 0;
  outcome.hidden = false;
  outcome.focus();
  outcome.scrollIntoView({ block: "nearest" });
}

/** Sends the lines, after signing in where the session is over; without an end once the signal is given. Not by fetch, which says nothing of the progress of what it sends. */
function post(batch, query, headers, doing, signal) {
  const request = new XMLHttpRequest();
  const [label, bar] = progress.children;
  label.textContent = `${doing}…`;
  bar.removeAttribute("value");
  progress.hidden = false;
  signal.addEventListener("abort", () => request.abort());
  return new Promise((resolve) => {
    request.upload.onprogress = ({ loaded, total }) => {
      bar.value = loaded / total;
      if (loaded === total) bar.removeAttribute("value");
    };
    request.onloadend = async () => {
      if (signal.aborted) return;
      if (request.status === 401 && (await signIn())) return resolve(post(batch, query, headers, doing, signal));
      progress.hidden = true;
      resolve({ status: request.status, answer: request.response ?? undefined });
    };
    request.responseType = "json";
    request.open("POST", dialog.dataset.url + query);
    request.setRequestHeader("Content-Type", "application/x-ndjson");
    request.setRequestHeader("Accept", "application/json, application/problem+json");
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(batch.lines.join("\n"));
  });
}

showScripted();
