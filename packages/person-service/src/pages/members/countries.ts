import type { HttpRequest } from "waymark";
import { assetUrl } from "../frame/assets.ts";
import { html, type SafeHtml } from "../frame/html.ts";
import type { Reader } from "../frame/reader.ts";

/** Makes what the fields of a country of a page suggest; a script fetches it when one of them is first used. */
export function countryList(request: HttpRequest<unknown>, { language }: Reader): SafeHtml {
  return html`<datalist id="countries" data-options="${assetUrl(request, `countries.${language}.js`)}"></datalist>`;
}
