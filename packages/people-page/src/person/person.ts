import { useEffect, useRef, useState } from "preact/hooks";
import { ask, Refusal, base as servicePath } from "../client/api.ts";
import { useChanges } from "../client/feed.ts";
import { type Field, type Person, valueAt } from "../client/fields.ts";
import { go, listUrl, personUrl, place } from "../client/router.ts";
import { edited, fields, grouped, service } from "../client/service.ts";
import { useTitle } from "../frame.ts";
import { type Children, html } from "../html.ts";
import { listed } from "../list/list.ts";
import { remove } from "../list/removal.ts";
import { say } from "../notice.ts";
import type { QrCode } from "../qr.ts";
import { Refused } from "../refused.ts";
import { isList } from "../values/draft.ts";
import { plain, shown, whyNot } from "../values/values.ts";
import { filled, words } from "../words.ts";
import { type Conflict, ConflictDialog } from "./conflict.ts";
import { type Base, PersonForm } from "./form.ts";
import { change, create, readPerson, type Settle } from "./saving.ts";

/** Returns what a person is called. */
export const nameOf = (person: Person): string => String(person["name"] ?? filled(words.nameless, person));

/** A person beside the list, or alone: to be read, or to be edited. */
export function PersonPanel({ id }: { readonly id: number }): Children {
  const { open, search } = place.use();
  const [base, setBase] = useState<Base>();
  const [error, setError] = useState<unknown>();
  const heading = useRef<HTMLHeadingElement>(null);
  const read = async (): Promise<void> => {
    const next = await readPerson(id).catch(setError);
    if (next === undefined) return;
    setBase(next);
    setError(undefined);
  };
  useEffect(() => {
    setBase(undefined);
    setError(undefined);
    read().then(() => heading.current?.focus());
  }, [id]);
  useChanges((changed) => (changed === undefined || changed === id) && base !== undefined && read());
  const isEditing = open === "edit" && service.rights.change;
  const name = base === undefined ? undefined : nameOf(base.person);
  useTitle(name);
  if (error !== undefined && !(isEditing && base !== undefined))
    return html`<div class="panel"><${Trail} id=${id} /><${Refused} error=${error} again=${read} isPerson /></div>`;
  if (base === undefined) return html`<div class="panel" aria-busy="true"><${Trail} id=${id} /></div>`;
  const { person, etag } = base;
  const about = fields
    .filter(({ schema }) => schema?.["x-headline"])
    .flatMap(({ name }) => valueAt(person, name) ?? []);
  const startRemoval = (): void => {
    go(listUrl(search));
    remove(id, nameOf(person), etag);
  };
  return html`<div class="panel"><${Trail} id=${id} />
<div class="heading"><div class="title"><h1 tabindex="-1" ref=${heading}><bdi>${name}</bdi></h1>${about.length === 0 ? "" : html`<p>${about.map((part, i) => [i > 0 ? " · " : "", html`<bdi>${part}</bdi>`])}</p>`}</div>
${isEditing ? "" : html`<div class="actions"><a class="button" download href=${`${servicePath}/person/${id}?format=vcard`} onClick=${saveCard(id, nameOf(person))}>${words.person.card}</a>${service.rights.change ? html`<a class="button primary" href=${personUrl(id, "edit")} aria-keyshortcuts="e">${words.person.edit}</a>` : ""}${service.rights.remove ? html`<button class="danger" onClick=${startRemoval}>${words.person.delete}</button>` : ""}</div>`}</div>
${isEditing ? html`<${Editing} key=${id} id=${id} base=${base} onSaved=${read} />` : html`<${Card} ...${base} />`}</div>`;
}

/** The way back to the list, and to the people beside this one there. */
function Trail({ id }: { readonly id?: number }): Children {
  const ids = listed.use();
  const { search } = place.use();
  const at = id === undefined ? -1 : ids.indexOf(id);
  const step = (to: number | undefined, rel: string, label: string): Children =>
    to === undefined || at < 0 ? "" : html`<a rel=${rel} href=${personUrl(to)}>${label}</a>`;
  return html`<nav class="trail" aria-label=${words.person.wayBack}><a class="back" href=${listUrl(search)}>${search === "" ? words.list.all : words.person.backToList}</a><span>${step(ids[at - 1], "prev", words.list.previous)}${step(ids[at + 1], "next", words.list.next)}</span></nav>`;
}

/** Saves a card under the name of its person. */
const saveCard =
  (id: number, name: string) =>
  async (event: Event): Promise<void> => {
    event.preventDefault();
    const card = await cardOf(id).catch((error) => say({ text: whyNot(error), isBad: true }));
    if (card === undefined) return;
    const url = URL.createObjectURL(new Blob([card], { type: "text/vcard" }));
    Object.assign(document.createElement("a"), { href: url, download: `${name}.vcf` }).click();
    URL.revokeObjectURL(url);
  };

const cardOf = async (id: number): Promise<string> => (await ask<string>("GET", `/person/${id}?format=vcard`)).value;

/** All that is known of a person, in groups. */
function Card({ person, etag }: Base): Children {
  const groups = grouped(edited()).map(([title, members]) => {
    const rows = members.filter(({ name }) => name !== "name").flatMap((field) => row(field, person));
    return rows.length === 0 ? "" : html`<section key=${title}><h2>${title}</h2><dl>${rows}</dl></section>`;
  });
  const times = (["createdAt", "updatedAt"] as const).flatMap((name) => {
    const field = fields.find((each) => each.name === name);
    return field === undefined || person[name] === undefined
      ? []
      : [
          filled(name === "createdAt" ? words.person.created : words.person.amended, {
            time: plain(field, person[name]),
          }),
        ];
  });
  return html`<div class="card">${groups}<${Code} key=${etag} id=${Number(person["id"])} /></div><p class="record">${[filled(words.nameless, person), ...times].join(", ")}</p>`;
}

function row(field: Field, person: Person): readonly Children[] {
  const value = valueAt(person, field.name);
  if (value === undefined) return [];
  const values =
    Array.isArray(value) && isList(field) && field.of !== undefined
      ? value.map((each) => html`<div>${shown(field, [each])}</div>`)
      : shown(field, value);
  return [html`<dt>${field.label}</dt>`, html`<dd class=${field.kind}>${values}</dd>`];
}

/** The card as a QR code for a phone, made when it is asked for. */
function Code({ id }: { readonly id: number }): Children {
  const [code, setCode] = useState<QrCode | null>();
  const show = async ({ currentTarget }: { readonly currentTarget: HTMLDetailsElement }): Promise<void> => {
    if (!currentTarget.open || code !== undefined) return;
    const [{ qrCode }, card] = await Promise.all([import("../qr.ts"), cardOf(id)]);
    setCode(qrCode(card) ?? null);
  };
  return html`<details class="code" onToggle=${show}><summary>${words.person.code}</summary>${code === null ? html`<p>${words.person.noCode}</p>` : ""}${code && html`<svg class="qr" viewBox=${`0 0 ${code.size} ${code.size}`} role="img" aria-label=${words.person.code}><path d=${code.path} /></svg>`}</details>`;
}

/** The form of a person who is stored. */
function Editing({
  id,
  base,
  onSaved,
}: {
  readonly id: number;
  readonly base: Base;
  readonly onSaved: () => Promise<void>;
}): Children {
  const [conflict, setConflict] = useState<Conflict>();
  const [isGone, setGone] = useState(false);
  const keep = `draft ${id}`;
  const settle: Settle = (meeting, names) =>
    new Promise((resolve) => {
      const answer: Conflict["answer"] = (givenUp) => {
        setConflict(undefined);
        resolve(givenUp);
      };
      setConflict({ meeting, names, answer });
    });
  const save = async (person: Person, before: Base): Promise<void> => {
    if (isGone) return stored(await create(withoutStored(person), keep));
    try {
      await change(id, person, before, settle);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
      setGone(true);
      throw new Refusal(404, { detail: words.form.gone }, new Headers());
    }
    await onSaved();
    go(personUrl(id), { replace: true });
    say({ text: words.person.saved });
  };
  return html`<${PersonForm} base=${base} keep=${keep} save=${save} cancel=${() => go(personUrl(id), { replace: true })} />${conflict && html`<${ConflictDialog} ...${conflict} />`}`;
}

function stored(id: number): void {
  go(personUrl(id), { replace: true });
  say({ text: words.person.stored });
}

const withoutStored = ({ id: _, createdAt: __, updatedAt: ___, ...person }: Person): Person => person;

const nobody: Base = { person: {}, etag: "" };

/** The form of a new person. */
export function NewPerson(): Children {
  const { search } = place.use();
  const keep = "draft new";
  useTitle(words.list.create);
  return html`<div class="panel"><${Trail} /><div class="heading"><h1>${words.list.create}</h1></div><${PersonForm} base=${nobody} keep=${keep} save=${async (person: Person) => stored(await create(person, keep))} cancel=${() => go(listUrl(search))} /></div>`;
}
