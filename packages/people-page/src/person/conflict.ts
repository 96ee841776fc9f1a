import { useState } from "preact/hooks";
import { type Value, valueAt } from "../client/fields.ts";
import { fieldOf } from "../client/service.ts";
import { Dialog } from "../dialog.ts";
import { type Children, html } from "../html.ts";
import type { Meeting } from "../values/merge.ts";
import { shown } from "../values/values.ts";
import { words } from "../words.ts";

/** A question to the reader, which a promise waits for. */
export interface Conflict {
  readonly meeting: Meeting;
  readonly names: readonly string[];
  readonly answer: (givenUp: readonly string[] | undefined) => void;
}

/** Shows both versions of what two have changed, and lets the reader choose for each member. */
export function ConflictDialog({ meeting, names, answer }: Conflict): Children {
  const [givenUp, setGivenUp] = useState<readonly string[]>([]);
  const side = (name: string, value: Value, isTheirs: boolean): Children => {
    const choose = (): void => setGivenUp(isTheirs ? [...givenUp, name] : givenUp.filter((each) => each !== name));
    const content =
      value === undefined
        ? words.conflict.empty
        : shown({ ...fieldOf(name), kind: fieldOf(name).kind === "date" ? "date" : "line" }, value);
    return html`<td><label><input type="radio" name=${name} checked=${givenUp.includes(name) === isTheirs} onChange=${choose} /><span>${content}</span><span class="side"> ${isTheirs ? words.conflict.ofTheirs : words.conflict.ofYours}</span></label></td>`;
  };
  const rows = names.map(
    (name) =>
      html`<tr key=${name}><th scope="row">${fieldOf(name).label}</th>${side(name, valueAt(meeting.mine, name), false)}${side(name, valueAt(meeting.theirs, name), true)}</tr>`,
  );
  return html`<${Dialog} heading=${words.conflict.heading} isWide onClose=${() => answer(undefined)}><p>${words.conflict.choose}</p>
<table class="mapping"><thead><tr><th scope="col">${words.conflict.field}</th><th scope="col">${words.conflict.yours}</th><th scope="col">${words.conflict.theirs}</th></tr></thead><tbody>${rows}</tbody></table>
<div class="actions"><button class="primary" onClick=${() => answer(givenUp)}>${words.conflict.save}</button><button class="plain" onClick=${() => answer(undefined)}>${words.conflict.back}</button></div></${Dialog}>`;
}
