import type { ItemOptions } from "@waymark/collection";
import { html, type SafeHtml } from "./html.ts";
import { readerOf } from "./reader.ts";
import { mayFollow, type Site } from "./site.ts";

/**
 * Makes the note that a script shows when something has changed since the page was made; nothing where the caller may not follow
 * changes. Its number is not announced each time it grows.
 *
 * @param after the cursor behind what the page shows, or `now`
 * @param person the only person whose changes count, where the page is that of one
 */
export function changedNote(
  site: Site,
  { request, url, entityTag }: ItemOptions,
  after: string,
  person?: number,
): SafeHtml {
  if (!mayFollow(site, request)) return html``;
  const { since, show } = readerOf(request).words.changes;
  const only = person === undefined ? "" : html` data-id="${person}" data-tag="${entityTag}"`;
  return html`<div role="status"><p class="banner good" data-changes="${url}/changes?after=${after}"${only} hidden>${since}<span aria-hidden="true"></span>. <a href="">${show}</a></p></div>
`;
}
