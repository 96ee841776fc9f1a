import { ask, Refusal } from "../client/api.ts";
import { type Store, store } from "../client/store.ts";
import { html } from "../html.ts";
import { dismiss, say } from "../notice.ts";
import { whyNot } from "../values/values.ts";
import { filledWith, words } from "../words.ts";

/** The people who are about to be removed: a number is never given again, so that removing waits as long as it can be undone. */
export const leaving: Store<ReadonlySet<number>> = store<ReadonlySet<number>>(new Set());

/** Takes a person out of sight, and removes them unless the reader takes it back. */
export function remove(id: number, name: string, etag: string): void {
  const bdi = html`<bdi>${name}</bdi>`;
  dismiss();
  leaving.set(new Set([...leaving.value, id]));
  const back = (): void => leaving.set(new Set([...leaving.value].filter((each) => each !== id)));
  say({
    text: filledWith(words.person.deleted, { name: bdi }),
    action: { label: words.person.undo, run: back },
    onGone: () => {
      ask("DELETE", `/person/${id}`, { headers: { "If-Match": etag }, keepalive: true }).catch((error) => {
        back();
        if (error instanceof Refusal && error.status === 404) return;
        const isChanged = error instanceof Refusal && error.status === 412;
        const why = isChanged ? words.person.changed : whyNot(error);
        say({ text: [filledWith(words.person.kept, { name: bdi }), " ", why], isBad: true }, 20);
      });
    },
  });
}

addEventListener("pagehide", dismiss);
