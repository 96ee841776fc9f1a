import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask, base, NoAnswer, Refusal } from "./client/api.ts";
import { followChanges } from "./client/feed.ts";
import { place } from "./client/router.ts";
import { readService, service } from "./client/service.ts";
import { type Store, store } from "./client/store.ts";
import { Frame } from "./frame.ts";
import { type Children, html } from "./html.ts";
import { Import } from "./import/import.ts";
import { List } from "./list/list.ts";
import { NewPerson, PersonPanel } from "./person/person.ts";
import { Refused } from "./refused.ts";
import { reader } from "./sign-in.ts";
import { language, locale, words } from "./words.ts";

/** Where the list and a person are beside each other. */
const wide = matchMedia("(min-width: 68rem)");
const isWide: Store<boolean> = store<boolean>(wide.matches);
wide.addEventListener("change", () => isWide.set(wide.matches));

/** Another number for each reader. */
const readerNumber: Store<number> = store<number>(0);

/** What is shown at each place; the list stays as it is while somebody is read beside it, or above it. */
function App(): Children {
  const { kind, id, open } = place.use();
  const key = readerNumber.use();
  const isBeside = isWide.use();
  const [wasListed, setListed] = useState(false);
  const { rights } = service;
  const isList = kind === "list" && !(open === "new" && rights.create) && !(open === "import" && rights.import);
  const hasPanel = id !== undefined || (open === "new" && rights.create && kind === "list");
  useEffect(() => {
    if (isList) setListed(true);
  }, [isList]);
  if (kind === "other") return html`<${Frame} kind="note"><${Other} /></${Frame}>`;
  if (open === "import" && rights.import) return html`<${Frame} kind="alone" key=${key}><${Import} /></${Frame}>`;
  const isListShown = rights.read && (isList || wasListed || isBeside);
  return html`<${Frame} kind=${hasPanel ? "split" : "alone"} key=${key}>${isListShown || !hasPanel ? html`<${List} isBeside=${hasPanel && isBeside} />` : ""}${id === undefined ? (hasPanel ? html`<${NewPerson} />` : "") : html`<${PersonPanel} id=${id} />`}</${Frame}>`;
}

/** An address of the service that is not of the page: what the service says of it. */
function Other(): Children {
  const [error, setError] = useState<unknown>();
  const read = (): Promise<void> =>
    ask("GET", location.pathname.slice(base.length) + location.search).then(() => location.reload(), setError);
  useEffect(() => {
    read();
  }, []);
  return error === undefined ? "" : html`<${Refused} error=${error} again=${read} />`;
}

/** Reads who the reader is and what they may, and goes on as them. */
async function start(): Promise<void> {
  await readService();
  const { accent, logo } = service;
  const style = document.documentElement.style;
  if (accent !== undefined) style.setProperty("--brand", accent);
  if (logo !== undefined) document.querySelector<HTMLLinkElement>("link[rel=icon]")?.setAttribute("href", logo);
  followChanges();
}

reader.change = async () => {
  await start();
  readerNumber.set(readerNumber.value + 1);
};

/** Begins, and tries again where the service is away. */
async function begin(): Promise<void> {
  document.documentElement.lang = locale.startsWith(language) ? locale : language;
  const root = document.getElementById("app");
  if (root === null) throw new Error("There is no #app");
  try {
    await start();
  } catch (error) {
    // What the document says stays, where that is more.
    if (error instanceof NoAnswer) root.textContent = words.problem.away;
    else if (!(error instanceof Refusal)) throw error;
    setTimeout(begin, 1000 * Math.max(3, (error instanceof Refusal && error.retryAfter) || 0));
    return;
  }
  root.replaceChildren();
  render(html`<${App} />`, root);
}

begin();
