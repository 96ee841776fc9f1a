import type {
  MediaTypeObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
} from "waymark/openapi";
import { html, type SafeHtml } from "../frame/html.ts";

/** Writes the reference of an API from its OpenAPI document: every operation, with a form that sends it. */
export function referenceOf(document: OpenApiDocument): SafeHtml {
  const operations = Object.entries(document.paths)
    .flatMap(
      ([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({ path, method, operation: operation as OperationObject })), // by their methods
    )
    .toSorted(refusingLast);
  const sections = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name));
    return html`<section><h2>${name}</h2>${prose(description)}
${own.map(({ path, method, operation }) => toArticle(document, path, method, operation))}</section>\n`;
  });
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      html`<details id="schema-${name}"><summary><code>${name}</code></summary>${json(schema)}</details>\n`,
  );
  return html`<h1>${String(document.info["title"])} <small>${String(document.info["version"])}</small></h1>
${prose(String(document.info["description"] ?? ""))}
<nav aria-label="Operations"><ul class="operations">${operations.map(({ path, method, operation }) => html`<li><a href="#${operation.operationId}">${badge(method)} <code>${path}</code> ${operation.summary}</a></li>\n`)}</ul></nav>
${sections}<section><h2>Schemas</h2>\n${schemas}</section>`;
}

/** Those that only refuse are not what readers look for. */
function refusingLast(
  one: { readonly operation: OperationObject },
  other: { readonly operation: OperationObject },
): number {
  const refuses = ({ operation }: typeof one): number =>
    Number(!Object.keys(operation.responses).some((status) => status < "4"));
  return refuses(one) - refuses(other);
}

function toArticle(document: OpenApiDocument, path: string, method: string, operation: OperationObject): SafeHtml {
  const { operationId, summary, description, requestBody, responses } = operation;
  const parameters = (operation.parameters ?? []).map((each) => resolve<ParameterObject>(document, each));
  const answers = Object.entries(responses).map(
    ([status, each]) => [status, resolve<ResponseObject>(document, each)] as const,
  );
  const accepted = [
    ...new Set(answers.filter(([status]) => status < "3").flatMap(([, { content = {} }]) => Object.keys(content))),
  ];
  const rows = answers.map(
    ([status, response]) =>
      html`<tr><th scope="row">${status === "default" ? "others" : status}</th><td>${prose(response.description)}${contents(response.content)}</td></tr>\n`,
  );
  return html`<article id="${operationId}"><h3>${badge(method)} <code>${path}</code></h3><p class="summary">${summary}</p>${prose(description)}
<details><summary>Try it</summary><form class="try" data-method="${method.toUpperCase()}" data-path="${path}">
${parameters.filter(({ name }) => name !== "comparisons").map(toField)}${bodyFields(requestBody)}${choice("accept", "Accept", accepted)}<button>Send</button><output aria-live="polite"></output></form></details>
${requestBody === undefined ? html`` : html`<h4>Content</h4>${contents(requestBody.content)}`}
<details><summary>Answers</summary><table>${rows}</table></details></article>\n`;
}

const toField = ({ name, in: place, description, required, example }: ParameterObject): SafeHtml =>
  html`<div class="parameter"><label><span><code>${name}</code> <small>${place}</small></span><input name="${place}:${name}" value="${place === "path" ? String(example ?? "") : ""}" ${required === true ? html`required` : html``} autocomplete="off"></label>${prose(description)}</div>\n`;

function bodyFields(body: RequestBodyObject | undefined): SafeHtml {
  if (body === undefined) return html``;
  const types = Object.keys(body.content);
  const [first] = Object.values(body.content);
  return html`${choice("type", "Content-Type", types)}<label><span>Content</span><textarea name="content" rows="8" spellcheck="false">${exampleText(first)}</textarea></label>\n`;
}

const choice = (name: string, label: string, values: readonly string[]): SafeHtml =>
  values.length === 0
    ? html``
    : html`<label><span>${label}</span><select name="${name}">${values.map((value) => html`<option>${value}</option>`)}</select></label>\n`;

const contents = (content: Readonly<Record<string, MediaTypeObject>> = {}): SafeHtml =>
  html`${Object.entries(content).map(([type, media]) => {
    const text = exampleText(media);
    const schema = schemaName(media.schema);
    const link = schema === undefined ? html`` : html` <a href="#schema-${schema}">${schema}</a>`;
    return html`<div class="content"><code>${type}</code>${link}${text === "" ? html`` : html`<pre tabindex="0">${text}</pre>`}</div>\n`;
  })}`;

function exampleText({ example }: MediaTypeObject = {}): string {
  if (example === undefined) return "";
  return typeof example === "string" ? example : JSON.stringify(example, undefined, 2);
}

/** Returns the name of the schema that this one is, or has a list of. */
function schemaName(schema: object = {}): string | undefined {
  const { $ref, items } = schema as { readonly $ref?: string; readonly items?: object };
  return $ref?.split("/").at(-1) ?? (items && schemaName(items));
}

const badge = (method: string): SafeHtml => html`<span class="method ${method}">${method.toUpperCase()}</span>`;

const json = (value: unknown): SafeHtml => html`<pre tabindex="0">${JSON.stringify(value, undefined, 2)}</pre>`;

/** Paragraphs with code and strong words: as much of CommonMark as our descriptions have. */
const prose = (text = ""): SafeHtml =>
  html`${text
    .split("\n\n")
    .filter((paragraph) => paragraph !== "")
    .map((paragraph) => html`<p>${paragraph.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map(toInline)}</p>`)}`;

function toInline(part: string): SafeHtml | string {
  if (part.startsWith("`") && part.length > 1) return html`<code>${part.slice(1, -1)}</code>`;
  return part.startsWith("**") ? html`<strong>${part.slice(2, -2)}</strong>` : part;
}

function resolve<T extends object>(document: OpenApiDocument, value: T | ReferenceObject): T {
  if (!("$ref" in value)) return value;
  const parts = value.$ref.slice(2).split("/");
  // The document refers to its own components.
  return parts.reduce<unknown>((whole, part) => (whole as Record<string, unknown>)[part], document) as T;
}
