import { type App, HttpRequest } from "waymark";
import { jsonReferences, textForm } from "waymark/internal";
import type { OpenApiDocument } from "waymark/openapi";
import { type AnswerFault, type ContractAnswer, codeOf, describe, faultsOfContent } from "./answer.ts";
import { type Operation, type ParameterObject, saidOf } from "./operations.ts";
import type { Random } from "./requests/random.ts";
import type { ContractRequest } from "./requests/request.ts";
import type { RequestMaker } from "./requests/requests.ts";
import type { Schemas } from "./schemas.ts";

/** Says that a document cannot be what the clients of an app have. */
export class PublishedError extends TypeError {}

/** An operation that clients know. */
export interface PublishedOperation extends Operation {
  /** The same in the app by its own document; undefined where the app does not describe it. */
  readonly present: Operation | undefined;
  /** Whether the document says that it is refused without credentials. */
  readonly isGuarded: boolean;
}

/**
 * Returns the operations of a document that clients have, whether the app has them or not.
 *
 * @throws PublishedError for a document of another version, one that is cut, and one of another app
 */
export function publishedOperations(
  document: OpenApiDocument,
  app: App,
  present: readonly Operation[],
): readonly PublishedOperation[] {
  const { openapi, paths, security = [] } = Object(document) as Partial<OpenApiDocument>; // as others have written it
  if (!/^3\.[12]\./.test(String(openapi)))
    throw new PublishedError(`The published document is of OpenAPI ${openapi ?? "no version"}, and not of 3.1 or 3.2`);
  if (typeof paths !== "object" || paths === null)
    throw new PublishedError("The published document is cut: it has no paths");
  JSON.stringify(document, (name, value) => {
    if (name !== "$ref" || typeof value !== "string" || jsonReferences.lookUp(document, value) !== undefined)
      return value;
    throw new PublishedError(`The published document is cut: it has no ${value}`);
  });
  const parametersAt = (place: string, value: unknown = []): readonly ParameterObject[] => {
    if (!Array.isArray(value))
      throw new PublishedError(`The published document is cut: the parameters of ${place} are no list`);
    return value.map((each) => {
      const { $ref } = objectAt<{ $ref?: string }>(`a parameter of ${place}`, each);
      return $ref === undefined ? each : jsonReferences.lookUp(document, $ref);
    });
  };
  const operations = Object.entries(paths).flatMap(([path, given]) => {
    const item = objectAt<PathItem>(path, given);
    const {
      parameters,
      additionalOperations,
      "x-operations": further,
      ...named
    }: PathItem = {
      ...(item.$ref !== undefined && objectAt<PathItem>(item.$ref, jsonReferences.lookUp(document, item.$ref))),
      ...item,
    };
    const shared = parametersAt(path, parameters);
    return Object.entries({ ...named, ...additionalOperations, ...further })
      .filter(([method]) => ofPaths.has(method) || /^[A-Z]/.test(method))
      .map(([name, operation]): PublishedOperation => {
        const method = name.toUpperCase();
        const described = objectAt<OpenApiDocument.Operation>(`${method} ${path}`, operation);
        const needed = described.security ?? security;
        const own = parametersAt(`${method} ${path}`, described.parameters);
        return {
          method,
          path,
          name: `${method} ${path}`,
          ...saidOf(
            { ...described, parameters: [...own, ...shared.filter((each) => !own.some(isSame(each)))] },
            document,
          ),
          produces: [],
          taken: nothingTaken,
          guarded: undefined,
          isOpen: false,
          contentLimit: Infinity,
          declaredAt: [],
          present: present.find((each) => each.method === method && shapeOf(each.path) === shapeOf(path)),
          isGuarded:
            needsCredentials(needed) ||
            (described.security === undefined && described.responses?.["401"] !== undefined),
        };
      });
  });
  const isHere = ({ method, path }: Operation): boolean => app.methodsOf(samplePath(path))?.includes(method) === true;
  if (operations.some(isHere)) return operations;
  throw new PublishedError(
    `The published document is of another app: none of its ${operations.length} operations is here`,
  );
}

/** @throws PublishedError for a schema that is none, by its operation */
export function requireReadable(operations: readonly Operation[], schemas: Schemas): void {
  for (const { name, parameters, body, responses } of operations) {
    const contents = [body, ...Object.values(responses)].flatMap((each) => Object.values(each?.content ?? {}));
    try {
      for (const { schema } of [...parameters, ...contents]) schemas.allows(schema ?? true, undefined);
    } catch (error) {
      throw new PublishedError(
        `The published document has a schema of ${name} that cannot be read: ${(error as Error).message}`,
      );
    }
  }
}

/** A path of a document. */
interface PathItem {
  readonly $ref?: string;
  readonly parameters?: OpenApiDocument.Operation["parameters"];
  readonly additionalOperations?: Readonly<Record<string, OpenApiDocument.Operation>>;
  readonly "x-operations"?: Readonly<Record<string, OpenApiDocument.Operation>>;
}

/** Returns what others have written as the object that it should be. */
function objectAt<T extends object>(place: string, value: unknown): T {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as T; // as OpenAPI has it
  throw new PublishedError(`The published document is cut: ${place} is no object`);
}

const ofPaths: ReadonlySet<string> = new Set("get put post delete options head patch trace query".split(" "));

const nothingTaken: Operation["taken"] = {
  takes: () => false,
  schemaOf: () => undefined,
  takesQuery: () => true,
  body: undefined,
  isStrict: false,
  invalidPath: [],
};

const samplePath = (path: string): string => path.replaceAll(/\{[^}]*\}/g, "1");
const shapeOf = (path: string): string => path.replaceAll(/\{[^}]*\}/g, "{}");

const isSame =
  (one: ParameterObject) =>
  (other: ParameterObject): boolean =>
    one.in === other.in &&
    // Names of fields have no case.
    (one.in === "header" ? one.name.toLowerCase() === other.name.toLowerCase() : one.name === other.name);

/** Of several requirements one is enough, and an empty one is none. */
const needsCredentials = (requirements: OpenApiDocument["security"]): boolean =>
  requirements.length > 0 && requirements.every((each) => Object.keys(each).length > 0);

/** Makes requests that the document calls valid, in each media type that it names, and one without credentials of what it guards. */
export function* publishedRequests(
  { responses, isGuarded }: PublishedOperation,
  maker: RequestMaker,
  most: number,
  random: Random,
): Generator<ContractRequest> {
  const types = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    status.startsWith("2") ? Object.keys(content) : [],
  );
  if (isGuarded) yield maker.withoutCredentials({ guard: "refuses" });
  for (let i = 0; i < most; i++) {
    const request = maker.valid();
    if (types.length === 0) yield request;
    else yield { ...request, headers: { ...request.headers, Accept: types[i] ?? random.pick(types) } };
  }
}

/**
 * Holds an answer of the app against what the document promises clients.
 *
 * @param schemas those of the document, read openly
 * @param own those of the app's own document
 */
export function faultsOfPublished(
  request: ContractRequest,
  answer: ContractAnswer,
  operation: PublishedOperation,
  app: App,
  schemas: Schemas,
  own: Schemas,
): readonly AnswerFault[] {
  const { status } = answer;
  const { responses, isGuarded } = operation;
  const { method, target, headers } = request;
  const came = describe(answer);
  const breaks = (expected: string): readonly AnswerFault[] => [{ expected, came, change: "breaks" }];
  const promised = Object.keys(responses).join(", ");
  const isTaken = app.explain(HttpRequest.of({ method, target, headers })).route !== undefined;
  if (!isTaken && !(method === "OPTIONS" && status < 300)) return breaks(`an answer of this operation: ${promised}`);
  const isRefused = status === 401 || status === 403;
  if (request.expects.guard === "refuses")
    return isRefused ? [] : [{ expected: "a refusal, 401 or 403", came, change: "opens" }];
  if (isRefused && !isGuarded && !(status in responses)) return breaks(`${promised}, and no such refusal`);
  if (status === 401 && operation.present?.guarded !== undefined)
    return breaks("credentials that are let in: name some by headers");
  if (isRefused) return [];
  if (ofForm.has(codeOf(answer)))
    return isValidNow(request, operation, own)
      ? []
      : breaks(`${promised}, and no such refusal: the document calls the request valid`);
  const key = [String(status), `${Math.floor(status / 100)}XX`, "default"].find((each) => each in responses);
  if (promised === "") return [];
  if (key === undefined || status === 500) return breaks(`a status that is published: ${promised}`);
  const missing = Object.entries(responses[key]?.headers ?? {}).flatMap(([name, header]) =>
    Object(header).required === true && !answer.headers.has(name) ? [{ expected: `the field ${name}`, came }] : [],
  );
  // Whoever expects no content does not look at any.
  const faults = responses[key]?.content === undefined ? [] : faultsOfContent(method, answer, responses[key], schemas);
  return [...missing, ...faults].map((fault) => ({ ...fault, change: "breaks" }));
}

/** What refuses a request for its form. */
const ofForm: ReadonlySet<string> = new Set([
  "invalid-parameters",
  "invalid-content",
  "malformed-content",
  "content-too-large",
  "unsupported-media-type",
  "not-acceptable",
]);

/** Whether the app's own document calls a request valid, too: then it is refused by a rule in code, of which no document speaks. */
function isValidNow({ parts }: ContractRequest, { present, ...published }: PublishedOperation, own: Schemas): boolean {
  if (present === undefined || parts === undefined) return false;
  const sent = [...parts.query, ...parts.fields];
  const known = present.parameters.every((parameter) => {
    const { in: place, schema, required } = parameter;
    const isThis = isSame(parameter);
    if (place === "path") return JSON.stringify(published.parameters.find(isThis)?.schema) === JSON.stringify(schema);
    const { texts } = sent.find((each) => isThis(each.parameter)) ?? {};
    if (texts === undefined) return required !== true;
    const { isList, convert } = textForm(schema as Readonly<Record<string, unknown>>); // as JSON Schema is
    const values = texts.map(convert);
    return own.allows(schema, isList ? values : values[0]);
  });
  const isKnown = sent.every(({ parameter }) => present.parameters.some(isSame(parameter)));
  const { content } = parts;
  const described = content && present.body?.content[content.type];
  const takes = content === undefined || (described !== undefined && own.allows(described.schema ?? {}, content.value));
  return known && takes && (isKnown || !present.taken.isStrict);
}
