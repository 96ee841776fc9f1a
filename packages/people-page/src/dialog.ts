import { useEffect, useId, useRef } from "preact/hooks";
import { type Children, html } from "./html.ts";

interface DialogParts {
  readonly heading: Children;
  readonly children?: Children;
  readonly isWide?: boolean;
  readonly onClose: () => void;
}

/** A question above the page, which Escape closes. The keys are in it until then, and where they were after. */
export function Dialog({ heading, children, isWide = false, onClose }: DialogParts): Children {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    const first = dialog.current?.querySelector<HTMLElement>("[data-first]") ?? dialog.current?.querySelector("h2");
    first?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const cancel = (event: Event): void => {
    event.preventDefault();
    onClose();
  };
  return html`<dialog ref=${dialog} class=${isWide ? "wide" : ""} aria-labelledby=${id} onCancel=${cancel}><h2 id=${id} tabindex="-1">${heading}</h2>${children}</dialog>`;
}
