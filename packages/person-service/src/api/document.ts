import { connectionProblemTypes } from "@waymark/node";
import { type App, problemTypes } from "waymark";
import { type OpenApiDocument, openApi } from "waymark/openapi";
import { version } from "../package-files.ts";

/** What the OpenAPI document depends on besides the routes. */
interface ApiDocumentOptions {
  /** Where clients reach the service. Default: where the document is served from. */
  readonly publicUrl?: string | undefined;
  /** The credentials that requests need. Default: none. */
  readonly security?: openApi.Security | undefined;
}

/** Writes the OpenAPI document of the service. */
export function apiDocument(app: App, { publicUrl, security }: ApiDocumentOptions): Promise<OpenApiDocument> {
  const base = baseOf(publicUrl ?? "");
  return openApi(app, {
    title: "person-service",
    version: version(),
    description: text
      .trim()
      .replaceAll(/\n(?!\n)/g, " ")
      .replaceAll(/\n /g, "\n\n"),
    contact: { name: "The operators of this service" },
    license: { name: "MIT", identifier: "MIT" },
    servers: [{ url: base === "" ? "/" : base }],
    tags: [
      { name: "People", description: "Read, list, store, change and remove people." },
      { name: "Service", description: "The service itself: whether it is there, and what its problems mean." },
    ],
    ...(security && { security }),
    problemBase: base,
    serverProblems: [...Object.values(connectionProblemTypes), problemTypes.expectationFailed],
  });
}

/** Returns the public URL in the form of links: its host in lower case, and no slash at the end. */
function baseOf(publicUrl: string): string {
  const url = URL.parse(publicUrl);
  return (url === null ? publicUrl : url.origin + url.pathname).replace(/\/$/, "");
}

const text = `
Keeps people: list them, read one, store one. The names of members are those of schema.org.

\`Accept\` chooses the form of an answer, and \`Content-Type\` says what a request is in. Every GET answers HEAD, and every path
OPTIONS. A problem document (RFC 9457) reports what is wrong with a request; its \`type\` leads to a page that says what would
be right.
`;

type ParameterObject = NonNullable<OpenApiDocument.Operation["parameters"]>[number];
type ReferenceObject = Exclude<OpenApiDocument.Operation["responses"][string], OpenApiDocument.Response>;
type Contents = NonNullable<OpenApiDocument.Response["content"]>;

/**
 * Returns the document as clients get it: without what only a browser sends and gets, such as forms, pages and redirects to them,
 * with an answer that is usually empty as an empty one, and with one person as what is created.
 */
export function forClients(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths).flatMap(([path, item]) => {
    const operations = Object.entries(item).flatMap(([method, operation]) =>
      isOperation(operation) && !ofBrowsers.has(operation.operationId) ? [[method, clientOperation(operation)]] : [],
    );
    return operations.length === 0 ? [] : [[path, Object.fromEntries(operations)]];
  });
  const { responses } = document.components;
  return withoutUnused({
    ...document,
    paths: Object.fromEntries(paths),
    components: { ...document.components, responses: clientResponses(responses) },
    "x-refusals": clientResponses(inline(document["x-refusals"], responses)),
  });
}

type Responses<R = OpenApiDocument.Response | ReferenceObject> = Readonly<Record<string, R>>;

const clientResponses = <R extends OpenApiDocument.Response | ReferenceObject>(responses: Responses<R>): Responses<R> =>
  Object.fromEntries(
    Object.entries(responses).flatMap(
      ([key, response]) =>
        key === "303" ? [] : [[key, "$ref" in response ? response : (clientResponse(response) as R)]], // the same of these two
    ),
  );

/** Returns what the server refuses in full: linters do not follow references from extensions. */
const inline = (refusals: Responses, components: Responses): Responses =>
  Object.fromEntries(
    Object.entries(refusals).map(([key, refusal]) => {
      const named = "$ref" in refusal ? components[refusal.$ref.slice("#/components/responses/".length)] : undefined;
      return [key, named ?? refusal];
    }),
  );

/** The operations that only the page of the service uses, or nobody. */
const ofBrowsers: ReadonlySet<string> = new Set(["readAsset", "createPersonHere"]);

const isOperation = (value: OpenApiDocument.Operation | object): value is OpenApiDocument.Operation =>
  "operationId" in value;

/** The parameter that stands for filters by any operator, of which generated clients send one of that name. */
const anyFilter = "comparisons";

function clientOperation({
  parameters,
  requestBody,
  responses,
  ...operation
}: OpenApiDocument.Operation): OpenApiDocument.Operation {
  const taken = parameters?.filter(({ name }) => name !== anyFilter);
  const filters = parameters?.find(({ name }) => name === anyFilter);
  return {
    ...operation,
    ...(filters !== undefined && {
      description: `${operation.description ?? ""}\n\n${filters.description}`.trim(),
      "x-comparisons": filters.schema,
    }),
    ...(taken !== undefined && { parameters: taken.map(withoutPages) }),
    ...(requestBody !== undefined && { requestBody: { ...requestBody, content: ofOne(requestBody.content) } }),
    responses: clientResponses(responses),
  };
}

/** Leaves out the form of pages. */
function withoutPages(parameter: ParameterObject): ParameterObject {
  const { enum: forms, ...schema } = parameter.schema as { readonly enum?: readonly unknown[] };
  if (parameter.name !== "format" || forms === undefined) return parameter;
  return { ...parameter, schema: { ...schema, enum: forms.filter((form) => form !== "html") } };
}

/** Leaves out pages, and content that the service sends only where `Prefer` asks for it. */
function clientResponse(response: OpenApiDocument.Response): OpenApiDocument.Response {
  const { content, "x-content-optional": isOptional, ...others } = response;
  const types = Object.entries(content ?? {}).filter(([type]) => type !== "text/html");
  if (types.length === 0) return others;
  if (isOptional !== true) return { ...others, content: Object.fromEntries(types) };
  const counts = countsIn(content?.["application/json"]?.schema);
  const ofList =
    counts.length === 0 ? "" : `\n\nA list is answered with JSON: ${counts.map((name) => `\`${name}\``).join(", ")}.`;
  return { ...others, description: others.description + ofList };
}

/** Returns the members of what a list is answered with, beside a single record. */
function countsIn(schema: object | undefined): readonly string[] {
  const { anyOf = [] }: { readonly anyOf?: readonly { readonly properties?: object }[] } = schema ?? {};
  return anyOf.flatMap(({ properties = {} }) => Object.keys(properties));
}

/** Leaves out forms, and that a JSON array is taken too: a list has media types of its own, and generated types are those of one person. */
function ofOne(content: Contents): Contents {
  const types = Object.entries(content).filter(([type]) => type !== form);
  return Object.fromEntries(types.map(([type, { schema, ...others }]) => [type, { ...others, schema: one(schema) }]));
}

const form = "application/x-www-form-urlencoded";

function one(schema: object | undefined): object {
  const { anyOf = [], ...others }: { readonly anyOf?: readonly object[] } = schema ?? {};
  const [first, ...more] = anyOf.filter((each) => !("type" in each && each.type === "array"));
  return first !== undefined && more.length === 0 && anyOf.length > 1 ? { ...others, ...first } : (schema ?? {});
}

/** Leaves out the components that nothing refers to any more. */
function withoutUnused(document: OpenApiDocument): OpenApiDocument {
  const text = JSON.stringify(document);
  const kinds = Object.entries(document.components).map(([kind, parts]) => {
    const used = Object.entries(parts).filter(
      ([name]) => kind === "securitySchemes" || text.includes(`"#/components/${kind}/${name}"`),
    );
    return [kind, Object.fromEntries(used)] as const;
  });
  const components: OpenApiDocument["components"] = { ...document.components, ...Object.fromEntries(kinds) };
  const isLess = kinds.some(([kind, parts]) => Object.keys(parts).length < sizeOf(document, kind));
  return isLess ? withoutUnused({ ...document, components }) : document;
}

const sizeOf = ({ components }: OpenApiDocument, kind: string): number =>
  Object.keys(Object.entries(components).find(([name]) => name === kind)?.[1] ?? {}).length;
