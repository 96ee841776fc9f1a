import { type HttpRequest, html } from "waymark";
import type { Brand } from "../brand.ts";
import { fileUrl, pageFiles } from "./files.ts";

/** The header fields of the page: it loads only files of the service, and is shown in no frame. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

/** What a document is made of. */
interface DocumentParts {
  readonly brand: Brand;
  /** What is shown until the page has begun, and where it cannot. */
  readonly content?: ReturnType<typeof html>;
  /** What is shown where there are no scripts. */
  readonly noscript?: ReturnType<typeof html>;
}

/** Makes the document of the page, which a script fills by the API. */
export function pageDocument(
  request: HttpRequest<unknown>,
  { brand, content, noscript }: DocumentParts,
): ReturnType<typeof html> {
  const modules = pageFiles().modules.map(
    (name) => html`<link rel="modulepreload" href="${fileUrl(request, name)}">\n`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${brand.title ?? "People"}</title>
<link rel="icon" href="${fileUrl(request, "icon.svg")}">
<link rel="stylesheet" href="${fileUrl(request, "style.css")}">
${modules}<script type="module" src="${fileUrl(request, "app.js")}"></script>
</head>
<body>
<div id="app">${content}</div>
<noscript>${noscript}</noscript>
</body>
</html>
`;
}
