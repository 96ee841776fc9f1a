import { type Store, store } from "./client/store.ts";
import { type Children, html } from "./html.ts";
import { words } from "./words.ts";

/** What is said of something that was done, wherever the reader is. */
interface Notice {
  readonly text: Children;
  readonly isBad?: boolean;
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Runs when the notice is taken away, but not by its action. */
  readonly onGone?: () => void;
}

const shown: Store<Notice | undefined> = store<Notice | undefined>(undefined);
let timer: ReturnType<typeof setTimeout>;

/** Says something for some seconds, in place of what was said before. */
export function say(notice: Notice, seconds = 8): void {
  dismiss();
  shown.set(notice);
  timer = setTimeout(dismiss, seconds * 1000);
}

/** Takes away what is said. */
export function dismiss(): void {
  clearTimeout(timer);
  const { value } = shown;
  shown.set(undefined);
  value?.onGone?.();
}

/** A screen reader says what changes in it. */
export function Notices(): Children {
  const notice = shown.use();
  const act = (): void => {
    clearTimeout(timer);
    shown.set(undefined);
    notice?.action?.run();
  };
  return html`<div class="notices" role="status">${
    notice &&
    html`<div class=${`notice${notice.isBad ? " bad" : ""}`}><p>${notice.text}</p>${
      notice.action && html`<button onClick=${act}>${notice.action.label}</button>`
    }<button class="plain" aria-label=${words.close} onClick=${dismiss}>×</button></div>`
  }</div>`;
}
