import htm from "htm";
import { type ComponentChildren, h, type VNode } from "preact";

type Template = (strings: TemplateStringsArray, ...values: unknown[]) => VNode;

/** Makes elements of a template: `` html`<p class=${name}>${text}</p>` ``. What is put in is text, never HTML. */
export const html: Template = (htm as unknown as { bind(make: typeof h): Template }).bind(h); // its types are those of CommonJS

/** What stands in an element. */
export type Children = ComponentChildren;

/** Makes a handler of the events of a field that receives its value. */
export const given =
  <T extends string = string>(use: (value: T) => void) =>
  ({ currentTarget }: { readonly currentTarget: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement }): void =>
    use(currentTarget.value as T); // of a choice, one of its options
