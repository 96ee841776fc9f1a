import { useEffect, useRef, useState } from "preact/hooks";
import { type Fault, Refusal, sendFile } from "../client/api.ts";
import { go, listUrl, place } from "../client/router.ts";
import { fieldOf, fields, service } from "../client/service.ts";
import { useTitle } from "../frame.ts";
import { type Children, given, html } from "../html.ts";
import { say } from "../notice.ts";
import { shownDate } from "../values/dates.ts";
import { faultText, nameAt, whyNot } from "../values/values.ts";
import { count, filled, filledWith, number, words } from "../words.ts";
import { type Answer, canStore, Found, type Mapping } from "./import-found.ts";

/** What the reader chooses for a file. */
interface Choices {
  readonly file: File;
  /** The query that says what becomes of people who are likely stored already. */
  readonly matched: string;
  readonly date: string;
  readonly map: Mapping;
}

/** What can become of people who are likely stored; the first is the usual one, so that the same file twice stores nobody twice. */
const matches = [
  ["skip", "on-match=skip"],
  ["update", "on-match=update"],
  ["refuse", "on-match=refuse"],
  ["add", ""],
] as const;

/** Returns how a file is to be read: by its name, and as was chosen for its columns and dates. */
function contentType({ file: { name }, date, map }: Choices): string {
  const lines = Object.entries(map).map((pair) => pair.join("="));
  const given = Object.entries({ name, map: lines.join("\n"), date }).filter(([, value]) => value !== "");
  return `application/octet-stream${given.map(([each, value]) => `; ${each}="${encodeURIComponent(value.toWellFormed())}"`).join("")}`;
}

/** A file of people: what the service understands of it, before anybody is stored. */
export function Import(): Children {
  const { search } = place.use();
  const [choices, setChoices] = useState<Choices>();
  const [answer, setAnswer] = useState<Answer>();
  const [refusal, setRefusal] = useState("");
  const [doing, setDoing] = useState<{ readonly isStoring: boolean; readonly share?: number | undefined }>();
  const present = useRef(new AbortController());
  const outcome = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Whoever asked for it chooses at once; a browser lets no other page do so.
    if (navigator.userActivation?.isActive) input.current?.showPicker();
    return () => present.current.abort();
  }, []);
  useTitle(words.import.heading);
  const send = async (chosen: Choices, isStoring: boolean): Promise<void> => {
    present.current.abort();
    present.current = new AbortController();
    const { signal } = present.current;
    setRefusal("");
    setDoing({ isStoring });
    const query = [isStoring ? "" : "dry-run=true", chosen.matched].filter((part) => part !== "").join("&");
    const headers = { "Content-Type": contentType(chosen), Prefer: "handling=lenient" };
    try {
      const sent = sendFile<Answer>(`/person${query === "" ? "" : `?${query}`}`, chosen.file, headers, {
        signal,
        progress: (share) => setDoing({ isStoring, share }),
      });
      const { value } = await sent;
      setAnswer({ ...value, isStored: isStoring });
      if (isStoring) finish(value);
    } catch (error) {
      if (signal.aborted) return;
      setAnswer(error instanceof Refusal && !isStoring ? { refused: 0, errors: error.problem.errors ?? [] } : answer);
      const isTooLarge = error instanceof Refusal && error.status === 413;
      setRefusal(isTooLarge ? filled(words.import.tooLarge, { file: chosen.file.name }) : whyNot(error));
    }
    setDoing(undefined);
    requestAnimationFrame(() => outcome.current?.focus());
  };
  const finish = ({ stored = 0, updated = 0, refused }: Answer): void => {
    say({ text: filled(words.import.stored, { people: count(words.people, stored + updated) }) });
    if (refused === 0) go(listUrl(search), { replace: true });
  };
  const check = (next: Choices): void => {
    setChoices(next);
    send(next, false);
  };
  const choose = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setAnswer(undefined);
    const isReadable = await file
      .slice(0, 1)
      .arrayBuffer()
      .then(
        () => true,
        () => false,
      );
    if (!isReadable) return setRefusal(filled(words.import.unreadable, { file: file.name }));
    if (file.size > service.limits.bytes) return setRefusal(filled(words.import.tooLarge, { file: file.name }));
    check({ file, matched: choices?.matched ?? matches[0][1], date: "", map: {} });
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    choose(event.dataTransfer?.files[0]);
  };
  const isDue = choices !== undefined && answer !== undefined && canStore(answer);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isDue && doing === undefined) send(choices, true);
  };
  return html`<form class="import panel" onSubmit=${submit} onDragOver=${(event: Event) => event.preventDefault()} onDrop=${drop}>
<nav class="trail" aria-label=${words.person.wayBack}><a class="back" href=${listUrl(search)}>${search === "" ? words.list.all : words.person.backToList}</a></nav>
<div class="heading"><h1>${words.import.heading}</h1></div>
<label class=${`drop${choices === undefined ? "" : " chosen"}`}><span>${choices === undefined ? words.import.drop : html`<bdi>${choices.file.name}</bdi>`}</span><input type="file" name="file" ref=${input} accept=".csv,.tsv,.txt,.vcf,.vcard,.json,.ndjson,.jsonl,.xml" onChange=${({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => choose(currentTarget.files?.[0])} /></label>
${choices === undefined ? html`<p class="hint">${words.import.hint}</p>` : ""}
<div class="outcome" role="status" tabindex="-1" ref=${outcome}>${refusal === "" ? "" : html`<p class="banner">${refusal}</p>`}${doing === undefined && answer !== undefined && choices !== undefined ? html`<${Outcome} file=${choices.file} answer=${answer} isRefused=${refusal !== ""} />` : ""}</div>
${doing === undefined ? "" : html`<label class="doing">${doing.isStoring ? words.import.storing : words.import.checking}<progress max="1" value=${doing.share} /></label>`}
${choices === undefined || answer?.found === undefined || answer.isStored ? "" : html`<${Options} choices=${choices} answer=${answer} check=${check} /><${Found} found=${answer.found} map=${choices.map} onMap=${(map: Mapping) => check({ ...choices, map })} />`}
${isDue ? html`<div class="foot"><div class="actions"><button class="primary" aria-disabled=${doing === undefined ? undefined : "true"}>${saveText(answer)}</button><a class="button plain" href=${listUrl(search)}>${words.form.cancel}</a></div></div>` : ""}</form>`;
}

const good = ({ stored = 0, updated = 0 }: Answer): number => stored + updated;

const saveText = (answer: Answer): string =>
  answer.refused === 0
    ? filled(words.import.saveAll, { people: count(words.people, good(answer)) })
    : count(words.import.saveGood, good(answer));

interface OutcomeParts {
  readonly file: File;
  readonly answer: Answer;
  readonly isRefused: boolean;
}

/** Says what would become of the people of a file, or became of them, and what is wrong with which line. */
function Outcome({ file, answer, isRefused }: OutcomeParts): Children {
  const { stored = 0, updated = 0, unchanged = 0, skipped = 0, refused, isStored = false, found } = answer;
  const bdi = html`<bdi>${file.name}</bdi>`;
  if (isRefused) return html`<${Faults} answer=${answer} />`;
  if (isStored)
    return html`<p class="banner good">${filled(words.import.stored, { people: count(words.people, stored + updated) })}</p><${Faults} answer=${answer} />`;
  if (found?.dates !== undefined && found.dates.form === undefined && found.dates.forms.length > 1)
    return html`<p class="banner good">${filled(words.import.chooseDay, { date: found.dates.example })}</p>`;
  const known = updated + unchanged + skipped;
  if (stored + known + refused === 0) {
    const isUnnamed =
      found?.columns?.every(({ member }) => member === undefined) && found.columns.some(({ example }) => example);
    return html`<p class="banner">${isUnnamed ? [bdi, ": ", words.import.nameColumns] : filledWith(words.import.noPeople, { file: bdi })}</p>`;
  }
  const verdict = filled(refused === 0 ? words.import.allGood : words.import.someGood, {
    people: count(words.people, stored),
    refused: number(refused),
  });
  const more = [[words.import.changes, updated] as const, [words.import.there, unchanged + skipped] as const].flatMap(
    ([text, n]) => (n === 0 ? [] : [count(text, n)]),
  );
  return html`<p class=${`banner${refused === 0 ? " good" : ""}`}>${[verdict, ...more].join(" ")}</p><${Faults} answer=${answer} />`;
}

/** The most faults that are shown: whoever mends them sends the file again. */
const mostShown = 100;

function Faults({ answer: { errors, omitted = 0 } }: { readonly answer: Answer }): Children {
  if (errors.length === 0) return "";
  const text = ({ line, ...fault }: Fault): string => {
    const name = nameAt(fault.pointer ?? "");
    const said = `${name === "" ? "" : `${fieldOf(name).label} `}${faultText(fault)}`;
    return line === undefined ? said : filled(words.import.line, { line, fault: said });
  };
  const unseen = Math.max(0, errors.length - mostShown) + omitted;
  return html`<ul class="errors" tabindex="0" aria-label=${words.import.faults}>${errors.slice(0, mostShown).map((fault) => html`<li>${text(fault)}</li>`)}${unseen === 0 ? "" : html`<li>${count(words.import.more, unseen)}</li>`}</ul>`;
}

interface OptionsParts {
  readonly choices: Choices;
  readonly answer: Answer;
  readonly check: (choices: Choices) => void;
}

/** What can be chosen for a file: which day a date is, and what becomes of who is stored already. */
function Options({ choices, answer: { found }, check }: OptionsParts): Children {
  const unique = fields.filter(({ schema }) => schema?.["x-unique"]);
  const options = [
    ...matches.map(([word, query]) => [query, words.import[word]] as const),
    ...unique.map(({ name, label }) => [`upsert=${name}`, filled(words.import.upsert, { label })] as const),
  ];
  const select = (name: "matched" | "date") => given((value) => check({ ...choices, [name]: value }));
  const dates = found?.dates;
  return html`<div class="options">${
    dates === undefined || (dates.forms.length < 2 && dates.form !== undefined)
      ? ""
      : html`<label>${filledWith(words.import.dateIs, { date: html`<bdi>${dates.example}</bdi>` })} <select value=${choices.date || dates.form || ""} onChange=${select("date")}>${dates.form === undefined ? html`<option value="">${words.import.choose}</option>` : ""}${dates.forms.map(({ form, date }) => html`<option value=${form}>${shownDate(date)}</option>`)}</select></label>`
  }<label>${words.import.likely} <select value=${choices.matched} onChange=${select("matched")}>${options.map(([query, text]) => html`<option value=${query}>${text}</option>`)}</select></label></div>`;
}
