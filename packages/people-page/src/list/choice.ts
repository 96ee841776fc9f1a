import { useState } from "preact/hooks";
import { ask, type Fault, Refusal } from "../client/api.ts";
import { type Field, type Person, withValue } from "../client/fields.ts";
import { personUrl } from "../client/router.ts";
import { edited, fieldOf, service } from "../client/service.ts";
import { Dialog } from "../dialog.ts";
import { type Children, given, html } from "../html.ts";
import { Menu } from "../keys.ts";
import { say } from "../notice.ts";
import { isList } from "../values/draft.ts";
import { Input } from "../values/field.ts";
import { faultText, meant, nameAt, plain, whyNot } from "../values/values.ts";
import { count, filled, words } from "../words.ts";
import { selection } from "./query.ts";
import { Downloads } from "./tools.ts";

/** What becomes of the people who are chosen. */
type Action = "add" | "drop" | "set" | "delete";

/** What the service says of a change of many, in a dry run. */
interface Counts {
  readonly matched: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly refused: number;
  readonly errors: readonly Fault[];
}

/** A change of many, as the API takes it and in words, and what it would do. */
interface Review {
  readonly body: object;
  readonly what: string | undefined;
  readonly counts: Counts;
  readonly names: readonly string[];
  readonly etag: string;
  readonly isOutdated: boolean;
}

interface ChoiceParts {
  readonly chosen: ReadonlySet<number>;
  readonly total: number;
  readonly search: string;
  readonly clear: () => void;
}

/** The most people who are removed without their number being typed. */
const mostUntyped = 20;

/** The lists that can get a value more, and the members that all of many can get. */
const membersFor = (action: Action): readonly Field[] =>
  edited().filter((field) =>
    action === "set"
      ? !isList(field) && field.schema?.["x-unique"] !== true
      : field.list === true && field.kind !== "property",
  );

/** What can be done with the people who are chosen, or with all of the list. */
export function ChoiceBar({ chosen, total, search, clear }: ChoiceParts): Children {
  const { changeMany, change, remove, export: mayExport } = service.rights;
  const actions: readonly Action[] = changeMany
    ? [...(change ? (["add", "drop", "set"] as const) : []), ...(remove ? (["delete"] as const) : [])]
    : [];
  const [isAll, setAll] = useState(false);
  const [action, setAction] = useState<Action>("add");
  const [member, setMember] = useState("");
  const [value, setValue] = useState("");
  const [review, setReview] = useState<Review>();
  const [fault, setFault] = useState("");
  const field = membersFor(action).find(({ name }) => name === member) ?? membersFor(action)[0];
  const query = isAll ? selection(search) : `?id[in]=${[...chosen].join()}`;
  const send = (body: object, more: string, etag?: string) =>
    ask<Counts>("PATCH", `/person${query}&${more}`, {
      json: body,
      headers: etag === undefined ? {} : { "If-Match": etag },
    });
  const judge = async (body: object, what: string | undefined, isOutdated = false): Promise<void> => {
    const [{ value: counts, headers }, { value: people }] = await Promise.all([
      send(body, "most=all&dry-run=true"),
      ask<readonly Person[]>("GET", `/person${query.replace("?all=true", "?")}&fields=name&limit=${mostUntyped}`),
    ]);
    setReview({
      body,
      what,
      counts,
      names: people.map(({ name }) => String(name)),
      etag: headers.get("ETag") ?? "",
      isOutdated,
    });
  };
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setFault("");
    try {
      await work();
    } catch (error) {
      const errors = error instanceof Refusal ? error.problem.errors : undefined;
      setFault(errors?.map(faultText).join(", ") || whyNot(error));
    }
  };
  const prepare = (event: Event): void => {
    event.preventDefault();
    const planned =
      action === "delete" ? { body: { removed: true }, what: undefined } : field && changeOf(action, field, value);
    if (planned === undefined) setFault(words.choice.incomplete);
    else attempt(() => judge(planned.body, planned.what));
  };
  const apply = ({ body, what, counts, etag }: Review): Promise<void> =>
    attempt(async () => {
      try {
        await send(body, `most=${Math.max(counts.matched, 1)}`, etag);
      } catch (error) {
        if (error instanceof Refusal && (error.status === 409 || error.status === 412)) return judge(body, what, true);
        throw error;
      }
      setReview(undefined);
      clear();
      say({
        text:
          what === undefined ? count(words.choice.gone, counts.removed) : count(words.choice.changed, counts.updated),
      });
    });
  const names: Readonly<Record<Action, string>> = words.choice.actions;
  const form = html`<form onSubmit=${prepare}><select aria-label=${words.choice.what} value=${action} onChange=${given<Action>((next) => setAction(next))}>${actions.map((each) => html`<option value=${each}>${names[each]}</option>`)}</select>
${action === "delete" || field === undefined ? "" : html`<select aria-label=${words.choice.member} value=${field.name} onChange=${given(setMember)}>${membersFor(action).map((each) => html`<option value=${each.name}>${each.label}</option>`)}</select><${Input} key=${`${action} ${field.name}`} id="choice-value" label=${words.choice.value} field=${field} value=${value} onInput=${setValue} suggests />`}
<button class=${action === "delete" ? "danger" : "primary"}>${words.choice.go}</button></form>`;
  return html`<div class="choice" role="region" aria-label=${words.choice.withChosen}><p><strong role="status">${isAll ? filled(words.choice.all, { n: total }) : count(words.choice.chosen, chosen.size)}</strong>
${total > chosen.size ? html`<button class="plain" onClick=${() => setAll(!isAll)}>${isAll ? count(words.choice.onlyChosen, chosen.size) : filled(words.choice.chooseAll, { n: total })}</button>` : ""}<button class="plain" onClick=${clear}>${words.choice.clear}</button></p>
${actions.length === 0 ? "" : form}
${mayExport ? html`<${Menu} label=${words.list.download}><${Downloads} search=${isAll ? search : query} /></${Menu}>` : ""}
<p class="fault" role="alert">${review === undefined ? fault : ""}</p>${review && html`<${ReviewDialog} ...${review} fault=${fault} apply=${() => apply(review)} cancel=${() => setReview(undefined)} />`}</div>`;
}

/** Returns a change as the API takes it, and in words; undefined where a value is missing. */
function changeOf(
  action: Action,
  field: Field,
  text: string,
): { readonly body: object; readonly what: string } | undefined {
  const value = meant(field, text);
  const { name, label } = field;
  const said = (sentence: string): string => filled(sentence, { label, value: plain(field, value) });
  if (action === "set") {
    return {
      body: { merge: withValue({}, name, value ?? null) },
      what: said(value === undefined ? words.review.clears : words.review.sets),
    };
  }
  if (value === undefined) return undefined;
  return {
    body: { [action]: { [name]: [value] } },
    what: said(action === "add" ? words.review.adds : words.review.drops),
  };
}

interface ReviewParts extends Review {
  readonly fault: string;
  readonly apply: () => void;
  readonly cancel: () => void;
}

/** Shows what a change of many would do, before it is made. */
function ReviewDialog({ what, counts, names, isOutdated, fault, apply, cancel }: ReviewParts): Children {
  const [typed, setTyped] = useState("");
  const isRemoval = what === undefined;
  const due = isRemoval ? counts.removed : counts.updated;
  const mustType = isRemoval && due > mostUntyped;
  const isSure = !mustType || Number(typed) === due;
  const heading =
    due === 0 && counts.refused === 0
      ? words.review.nothing
      : count(isRemoval ? words.review.remove : words.review.change, due);
  const refused = counts.errors.map(
    ({ id = 0, pointer = "", ...rest }) =>
      html`<li><a href=${personUrl(id)}>${filled(words.nameless, { id })}</a>: ${fieldOf(nameAt(pointer)).label} ${faultText({ pointer, ...rest })}</li>`,
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isSure) apply();
  };
  return html`<${Dialog} heading=${heading} onClose=${cancel}><div role="alert">${isOutdated ? html`<p class="banner">${words.review.outdated}</p>` : ""}${fault === "" ? "" : html`<p class="banner">${fault}</p>`}</div>
<p>${names.map((name, i) => [i > 0 ? ", " : "", html`<bdi>${name}</bdi>`])}${names.length < counts.matched ? ", …" : ""}</p><p>${what ?? words.review.warning}</p>
${counts.unchanged === 0 ? "" : html`<p>${count(words.review.unchanged, counts.unchanged)}</p>`}
${counts.refused === 0 ? "" : html`<div class="banner">${count(words.review.refused, counts.refused)}<ul class="errors">${refused}</ul></div>`}
<form onSubmit=${submit}>${mustType ? html`<p><label>${filled(words.review.type, { n: due })} <input class="short" inputmode="numeric" autocomplete="off" data-first value=${typed} aria-invalid=${typed !== "" && !isSure ? "true" : undefined} onInput=${given(setTyped)} /></label></p><p class="fault" role="alert">${typed !== "" && !isSure ? words.review.mistyped : ""}</p>` : ""}
<div class="actions">${due === 0 || counts.refused > 0 ? "" : html`<button class=${isRemoval ? "danger" : "primary"}>${count(isRemoval ? words.review.doRemove : words.review.doChange, due)}</button>`}<button type="button" class="plain" onClick=${cancel}>${words.form.cancel}</button></div></form></${Dialog}>`;
}
