import fc from "fast-check";
import type { OpenApiDocument } from "waymark/openapi";
import type { ParameterObject, ReferenceObject } from "../../../waymark/src/openapi/document.ts";
import type { Message } from "../tools/transports.ts";

// What requests can be made of. The paths, query parameters and representations are those of the OpenAPI document, so that a new one
// is tried at once.

/** A request without the credentials of its caller. */
export interface SpaceRequest extends Message {
  readonly method: string;
  readonly target: string;
  readonly headers: Fields;
}

export type Fields = Readonly<Record<string, string>>;

/** How a request asks for a representation: in the query, or by Accept. */
export type Form = { readonly format: string } | { readonly accept: string };

/** A path of the document, with what requests for it can have. */
export interface Place {
  readonly path: string;
  readonly queries: readonly string[];
  readonly forms: readonly Form[];
}

/**
 * Returns the paths of a document, each with the queries and forms that its operations have, and some that they have not.
 *
 * @throws Error when the document has a query parameter of which no values are known here
 */
export function placesOf(document: OpenApiDocument): readonly Place[] {
  return Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.values(item) as readonly OpenApiDocument.Operation[]; // no method is unknown to OpenAPI
    const parameters = operations
      .flatMap((operation) => operation.parameters ?? [])
      .map((each) => resolve<ParameterObject>(document, each))
      .filter((each) => each.in === "query");
    const named = new Map(parameters.map((each) => [each.name, each.schema as { readonly enum?: readonly string[] }]));
    const formats = named.get("format")?.enum ?? [];
    const types = operations
      .flatMap(({ responses }) => responses["200"] ?? [])
      .flatMap((response) => Object.keys(resolve<OpenApiDocument.Response>(document, response).content ?? {}));
    return {
      path,
      queries: [...otherQueries, ...[...named.keys()].flatMap(queriesOf)],
      forms: [
        ...[...new Set([...otherTypes, ...types])].filter(hasEnd).map((accept) => ({ accept })),
        ...[...formats, "doc"].filter(hasEnd).map((format) => ({ format })),
      ],
    };
  });
}

/** Returns whether an answer in the form comes to an end. */
const hasEnd = (form: string): boolean => !form.endsWith("event-stream");

function queriesOf(parameter: string): readonly string[] {
  const known = values[parameter.replace(/\[.*\]$/, "")];
  if (known === undefined) throw new Error(`What are values of the query parameter "${parameter}"?`);
  return known.map((value) => `${parameter}=${encodeURIComponent(value)}`);
}

/** Good and bad values of each query parameter; `format` is a form. */
const values: Readonly<Record<string, readonly string[]>> = {
  format: [],
  fields: ["name", "id", "address.postalCode,updatedAt", "address", "shoe"],
  limit: ["1", "0"],
  after: ["1", "x"],
  before: ["1"],
  sort: ["-name", "address.postalCode,id", "shoe"],
  q: ["ada", ""],
  prefix: ["A", ""],
  id: ["1"],
  createdAt: ["2026-06-15T12:00:00.000Z", "yesterday"],
  updatedAt: ["2026-06-15T12:00:00.000Z"],
  name: ["Ada"],
  givenName: ["Ada"],
  familyName: ["Lovelace"],
  email: ["ADA@example.org"],
  birthDate: ["1815-12-10", "10.12.1815"],
  jobTitle: ["Countess"],
  worksFor: [""],
  department: ["Sales"],
  categories: ["family", "friends,family"],
  "emails.value": ["ada@example.org"],
  "addresses.value.addressLocality": ["Paris"],
  "addresses.value.addressRegion": ["Texas"],
  "addresses.value.postalCode": ["75001"],
  "addresses.value.addressCountry": ["FR"],
  upsert: ["id", "shoe"],
  absent: ["clear", "away"],
  "on-match": ["skip", "add"],
  "remove-missing": ["yes"],
  most: ["1", "all", "some"],
  all: ["true", "yes"],
  identifier: ["A-1"],
  "address.addressLocality": ["London"],
  "address.addressRegion": ["London"],
  "address.postalCode": ["W1"],
  "address.addressCountry": ["GB"],
  "dry-run": ["true", "yes"],
  media: ["application/json", "text/x-nothing"],
  new: [""],
  import: ["", "check", "good", "2"],
  column: ["birthDate", "-email", "usual", "shoe"],
  to: ["/person", "//other.example"],
};

const otherQueries: readonly string[] = [
  "",
  "birthDate[ge]=1800-01-01",
  "id[in]=1,2&sort=-birthDate",
  "limit=1&fields=name&sort=-id",
  "nam=Ada",
  "name",
  "fields=name&fields=id",
];

/** Values of Accept: nothing in particular, nothing that there is, and what browsers, Java and readers of problems in XML send. */
const otherTypes: readonly string[] = [
  "*/*",
  "image/png",
  "application/problem+xml",
  "application/xml;q=0.5, text/html;q=0.4",
  "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
];

/** Returns the target of a request, and the Accept that it has. */
export function addressed(
  target: string,
  query: string,
  form: Form,
): { readonly target: string; readonly headers: Fields } {
  const parts = ["format" in form ? `format=${form.format}` : "", query].filter((part) => part !== "");
  return {
    target: parts.length === 0 ? target : `${target}?${parts.join("&")}`,
    headers: "accept" in form ? { Accept: form.accept } : {},
  };
}

const ada = { name: "Ada Lovelace", birthDate: "1815-12-10", address: { postalCode: "W1" }, worksFor: "Analytical" };

/** The person that requests are about. */
export const somebody: string = JSON.stringify(ada);

/** The content of requests, good and bad: of a person, of many, and of a change. */
export const contents: readonly (readonly [type: string, body: string])[] = [
  ["application/json", somebody],
  ["application/json", JSON.stringify([ada, { name: "Eve", shoe: 38 }])],
  ["application/json", JSON.stringify([ada])],
  ["application/json", '{"jobTitle":'],
  ["application/merge-patch+json", '{"jobTitle":"Countess"}'],
  ["application/json-patch+json", '[{"op":"add","path":"/jobTitle","value":"Countess"}]'],
  ["application/json-patch+json", '[{"op":"test","path":"/name","value":"Eve"}]'],
  ["text/xml", "<person><name>Ada</name></person>"],
  ["application/xml", "<person/>"],
  ["text/csv", "name\r\nAda\r\n"],
  ["application/x-ndjson", '{"name":"Ada"}\n{"name":7}\n'],
  ["text/plain", "Ada"],
];

/** Header fields that change what a request means; their values, good and bad. */
const furtherFields: Readonly<Record<string, readonly string[]>> = {
  Prefer: [
    "return=representation",
    "return=minimal, handling=strict",
    "handling=lenient",
    "count=exact",
    "handling=strict, fly",
  ],
  "If-Match": ["*", '"1-json"', '"other"'],
  "If-None-Match": ["*", '"1-json"', '"all-1-json"'],
  "If-Modified-Since": ["Mon, 15 Jun 2026 12:00:00 GMT"],
  "If-Unmodified-Since": ["Mon, 15 Jun 2026 11:00:00 GMT"],
  "Idempotency-Key": ['"1"', '"2"', ""],
  "Accept-Encoding": ["gzip", "*", "identity;q=0", "*;q=0"],
  "Content-Encoding": ["identity", "br", "compress"],
  "Content-Range": ["bytes 0-1/2"],
  "Sec-Fetch-Site": ["same-origin", "cross-site"],
  Origin: ["https://other.example"],
  "X-Request-Id": ["mine", "not good"],
};

/** Returns random requests for the places: any method, query, form and content together, with some other header fields. */
export function randomRequests(places: readonly Place[]): fc.Arbitrary<SpaceRequest> {
  const fields = Object.entries(furtherFields).map(([name, known]) =>
    fc.tuple(fc.constant(name), fc.constantFrom(...known)),
  );
  return fc.constantFrom(...places).chain(({ path, queries, forms }) =>
    fc
      .record({
        method: fc.constantFrom("GET", "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "QUERY", "FLY"),
        variable: fc.constantFrom("1", "2", "3", "99", "x", "not-found"),
        query: fc.array(fc.constantFrom(...queries), { maxLength: 3 }),
        form: fc.constantFrom(...forms),
        content: fc.option(fc.constantFrom(...contents)),
        others: fc.array(fc.oneof(...fields), { maxLength: 2 }),
      })
      .map(({ method, variable, query, form, content, others }): SpaceRequest => {
        const { target, headers } = addressed(path.replace(/\{[^}]*\}/, variable), query.join("&"), form);
        const [type, body] = method === "GET" || method === "HEAD" ? [] : (content ?? []);
        return {
          method,
          target,
          headers: { ...headers, ...Object.fromEntries(others), ...(type !== undefined && { "Content-Type": type }) },
          ...(body !== undefined && { body }),
        };
      }),
  );
}

function resolve<T extends object>(document: OpenApiDocument, value: T | ReferenceObject): T {
  if (!("$ref" in value)) return value;
  const parts = value.$ref.slice(2).split("/");
  // The document refers to its own components.
  return parts.reduce((whole: unknown, part) => (whole as Record<string, unknown>)[part], document) as T;
}
