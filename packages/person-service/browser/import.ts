import { announce, count, filled, part, say, signIn, words } from "./page.ts";

/** What the service says of a file, or of its refusal. */
interface Answer {
  readonly valid: number;
  readonly refused: number;
  readonly stored: number;
  /** Of people who are likely stored: who change, who are so already, and who are left out. */
  readonly updated?: number;
  readonly unchanged?: number;
  readonly skipped?: number;
  readonly detail?: string;
  readonly errors?: readonly { readonly line: number; readonly pointer?: string; readonly detail: string }[];
  readonly omitted?: number;
  /** Of a file of columns. */
  readonly found?: { readonly columns?: readonly Column[]; readonly dates?: Dates };
}

interface Column {
  readonly name: string;
  readonly member?: string;
  readonly example?: string;
}

/** A date of the file, and the forms in which all its dates can be read. */
interface Dates {
  readonly example?: string;
  readonly forms?: readonly { readonly form: string; readonly date: string }[];
  readonly form?: string;
}

/** What is sent. */
interface Content {
  readonly body: File;
  readonly type: string;
}

const dialog = part(HTMLDialogElement, "#import");
const own = <E extends Element>(kind: new () => E, name: string): E => part(kind, `[data-part="${name}"]`, dialog);
const file = own(HTMLInputElement, "file");
const banner = own(HTMLElement, "banner");
const mapping = own(HTMLElement, "mapping");
const dates = own(HTMLSelectElement, "dates");
const dateExample = part(HTMLElement, ".dates bdi", dialog);
const matched = own(HTMLSelectElement, "matched");
const progress = own(HTMLElement, "progress");
const outcome = own(HTMLElement, "outcome");
const store = own(HTMLButtonElement, "store");

/** Ends what was begun with a file or its columns as they were: an answer that comes later says nothing of what is shown now. */
let present = new AbortController();

/** Judges the file that is shown again; undefined until it was judged. */
let judgeAgain: (() => void) | undefined;

/** Where people are stored, and what is taken. */
let service = { url: "", mostBytes: 0 };

/** Opens the dialog, which stores people in the list at a URL, from a file of as many bytes at most. */
export function open(url: string, mostBytes: number): void {
  service = { url, mostBytes };
  dialog.showModal();
}

part(HTMLElement, "[data-cancel]", dialog).addEventListener("click", () => dialog.close());
file.addEventListener("change", () => choose(file.files ?? []));
mapping.addEventListener("change", () => {
  judgeAgain = undefined;
  begin();
});
matched.addEventListener("change", () => {
  begin();
  judgeAgain?.();
});
dialog.addEventListener("dragover", (event) => event.preventDefault());
dialog.addEventListener("drop", (event) => {
  event.preventDefault();
  if (!file.disabled) choose(event.dataTransfer?.files);
});

/** Takes away what is said of another file, or of other columns; returns what ends when this is said of what is shown now. */
function begin(): AbortSignal {
  present.abort();
  present = new AbortController();
  announce(banner, "");
  for (const element of [progress, outcome, store]) element.hidden = true;
  return present.signal;
}

/** Asks the service what the first of the files is: the columns of CSV are then named, and every other one is judged at once. */
async function choose([chosen]: Iterable<File> = []): Promise<void> {
  if (chosen === undefined) return;
  const signal = begin();
  judgeAgain = undefined;
  mapping.hidden = true;
  if (chosen.size > service.mostBytes) return say(banner, filled(words.tooLarge, { file: chosen.name }));
  const isReadable = await chosen
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
  if (signal.aborted) return;
  if (!isReadable) return say(banner, filled(words.unreadable, { file: chosen.name }));
  const { status, answer } = await post(toContent(chosen), asDryRun(), leaveOut, words.reading, signal);
  if (status !== 200 || answer === undefined) return say(banner, answer?.detail ?? words.noAnswer);
  if (inAll(answer) === 0) return say(banner, filled(words.noPeople, { file: chosen.name }));
  const { columns } = answer.found ?? {};
  if (columns === undefined) {
    judgeAgain = () => judge(toContent(chosen));
    return showAnswer(answer, toContent(chosen));
  }
  showMapping(chosen, columns);
  dates.replaceChildren();
  showDates(answer.found?.dates);
}

/** How the people who are likely stored are met, in a request that stores nothing. */
const asDryRun = (): string => `?dry-run=true&${matched.value}`;

const inAll = ({ valid, refused, updated = 0, unchanged = 0, skipped = 0 }: Answer): number =>
  valid + refused + updated + unchanged + skipped;

/** Leaves out what is no member. */
const leaveOut = { Prefer: "handling=lenient" };

/** What is sent of a file: its bytes, and with its type what it is called, which columns are which members, and the form of dates. */
function toContent(chosen: File, { map = "", date = "" } = {}): Content {
  const parameters = Object.entries({ name: chosen.name, map, date }).filter(([, value]) => value !== "");
  const encoded = parameters.map(([name, value]) => `; ${name}="${encodeURIComponent(value.toWellFormed())}"`);
  return { body: chosen, type: `application/octet-stream${encoded.join("")}` };
}

/** A line for each column: its name, a value of it, and the member that it becomes. */
function showMapping(chosen: File, columns: readonly Column[]): void {
  const template = part(HTMLTemplateElement, "template", mapping).content;
  const lines = columns.map(({ name, member = "", example = "" }) => {
    const line = document.importNode(template, true);
    const select = part(HTMLSelectElement, "select", line);
    part(HTMLElement, "th", line).textContent = name;
    part(HTMLElement, "bdi", line).textContent = example;
    select.setAttribute("aria-label", filled(words.memberFor, { column: name }));
    select.value = member;
    return line;
  });
  part(HTMLElement, "tbody", mapping).replaceChildren(...lines);
  mapping.hidden = false;
  part(HTMLButtonElement, "button", mapping).onclick = () => {
    if (dates.options.length > 1 && dates.value === "")
      return say(banner, filled(words.chooseDay, { date: dateExample.textContent }));
    const members = Array.from(mapping.querySelectorAll<HTMLSelectElement>("tbody select"), ({ value }) => value);
    const pairs = columns.map(({ name }, i) => `${name}=${members[i]}`);
    const changed = pairs.filter((_, i) => members[i] === "" || members[i] !== columns[i]?.member);
    judgeAgain = () => judge(toContent(chosen, { map: changed.join("\n"), date: dates.value }));
    judgeAgain();
  };
}

/** Asks for the form of dates where there are several in which all can be read: as which day the first one is meant. */
function showDates({ example = "", forms = [], form = forms.length > 1 ? "" : forms[0]?.form }: Dates = {}): void {
  const chosen = dates.value;
  part(HTMLElement, ".dates", dialog).hidden = forms.length === 0;
  dateExample.textContent = example;
  dates.replaceChildren(
    ...(form === "" ? [new Option(words.choose, "")] : []),
    ...forms.map(({ form: each, date }) => new Option(inWords(date), each)),
  );
  dates.value = forms.some((each) => each.form === chosen) ? chosen : (form ?? "");
}

const inWords = (date: string): string =>
  new Date(date).toLocaleDateString(document.documentElement.lang, { dateStyle: "long", timeZone: "UTC" });

/** Has the service judge every person, and stores nobody. */
async function judge(content: Content): Promise<void> {
  const { status, answer } = await post(content, asDryRun(), leaveOut, words.checking, begin());
  if (status !== 200 || answer === undefined) return say(banner, answer?.detail ?? words.noAnswer);
  showDates(answer.found?.dates);
  showAnswer(answer, content);
}

/** Shows what the service says of a file. The button that is shown then stores what was judged, and nothing else. */
function showAnswer(answer: Answer, content: Content): void {
  const { valid, refused, updated = 0, unchanged = 0, skipped = 0 } = answer;
  const good = valid + updated;
  const known = [
    ...(updated > 0 ? [count(words.changes, updated)] : []),
    ...(unchanged + skipped > 0 ? [count(words.there, unchanged + skipped)] : []),
  ];
  const verdict = filled(refused === 0 ? words.allGood : words.someGood, {
    people: count(words.people, valid),
    refused,
  });
  showOutcome([...known, verdict].join(" "), answer);
  store.hidden = good === 0;
  store.textContent =
    refused === 0 ? filled(words.storeAll, { people: count(words.people, good) }) : count(words.storeGood, good);
  store.onclick = () => keep(content, refused > 0);
}

async function keep(content: Content, isPartial: boolean): Promise<void> {
  store.hidden = true;
  mapping.hidden = true;
  judgeAgain = undefined;
  file.disabled = true;
  const { status, answer } = await post(
    content,
    `?${matched.value}`,
    isPartial ? leaveOut : {},
    words.storing,
    begin(),
  );
  file.disabled = false;
  const isStored = status === 200 && answer !== undefined;
  showOutcome(
    isStored
      ? filled(words.stored, { people: count(words.people, answer.stored + (answer.updated ?? 0)) })
      : (answer?.detail ?? words.noAnswer),
    answer,
  );
  dialog.addEventListener("close", () => location.reload(), { once: true });
}

function showOutcome(text: string, { errors = [], omitted = 0 }: Partial<Answer> = {}): void {
  const faults = errors.map(({ line, pointer = "", detail }) => {
    const member = pointer.replace(/^#\/?/, "").replaceAll("/", ".");
    return filled(words.line, { line, fault: [member, detail].join(" ").trim() });
  });
  if (omitted > 0) faults.push(count(words.more, omitted));
  const list = part(HTMLElement, "ul", outcome);
  list.replaceChildren(...faults.map((textContent) => Object.assign(document.createElement("li"), { textContent })));
  list.hidden = faults.length === 0;
  part(HTMLElement, "p", outcome).textContent = text;
  outcome.hidden = false;
  outcome.focus();
  outcome.scrollIntoView({ block: "nearest" });
}

/** Sends a file, after signing in where the session is over; without an end once the signal is given. Not by fetch, which says nothing of the progress of what it sends. */
function post(
  content: Content,
  query: string,
  headers: Readonly<Record<string, string>>,
  doing: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly answer: Answer | undefined }> {
  const request = new XMLHttpRequest();
  const bar = part(HTMLProgressElement, "progress", progress);
  part(HTMLElement, "span", progress).textContent = doing;
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
      if (request.status === 401 && (await signIn())) return resolve(post(content, query, headers, doing, signal));
      progress.hidden = true;
      resolve({ status: request.status, answer: request.response ?? undefined });
    };
    request.responseType = "json";
    request.open("POST", service.url + query.replace(/[?&]$/, ""));
    request.setRequestHeader("Content-Type", content.type);
    request.setRequestHeader("Accept", "application/json, application/problem+json");
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(content.body);
  });
}
