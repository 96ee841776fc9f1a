import type { App } from "waymark";
import { requireOptions } from "waymark/internal";
import { type OpenApiDocument, openApi } from "waymark/openapi";
import { type AnswerFault, type ContractAnswer, faultsOfAnswer } from "./answer.ts";
import { describedOperations, type Operation, resolvedResponses } from "./operations.ts";
import { faultsOfPublished, publishedOperations, publishedRequests, requireReadable } from "./published.ts";
import type { Making } from "./requests/parts.ts";
import { type Random, randomFrom } from "./requests/random.ts";
import { type ContractRequest, toCurl } from "./requests/request.ts";
import { requestMaker } from "./requests/requests.ts";
import { type Schemas, schemasOf } from "./schemas.ts";
import { sender } from "./sender.ts";

/** The options of `contract`. */
export interface ContractOptions {
  /** Where the app is served, such as `http://127.0.0.1:8080`. Default: requests are answered in process, by `app.fetch`. */
  readonly base?: string | URL;
  /** Header fields of every request, such as credentials, or, in process, the `Host`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Values by the name of a path variable, a query parameter or a header field. They take the place of made ones: for ids that
   * there are, and where a schema does not say all.
   */
  readonly examples?: Readonly<Record<string, readonly unknown[]>>;
  /** The same seed makes the same requests. Default: 1. */
  readonly seed?: number;
  /** The most requests of each operation. Default: 100. */
  readonly requests?: number;
  /** The OpenAPI document that declares the answers. Default: that of `openApi(app)`. */
  readonly document?: OpenApiDocument;
  /**
   * The OpenAPI document (3.1 or 3.2) that clients have. Then its operations are the cases, and only what it calls valid is sent: what
   * clients do today must be answered as it says, and what it guards must be guarded. New members of answers pass.
   */
  readonly published?: OpenApiDocument;
}

/** A test: an operation, and the requests that are made of its declarations. */
export interface ContractCase {
  /** `GET /notes/{id}` */
  readonly name: string;
  /**
   * Sends the requests one after the other, and compares each answer with what is declared.
   *
   * @throws ContractError (rejects) that lists the requests that are not answered so
   */
  readonly run: () => Promise<void>;
  /** How many answers had each status, once it has run. */
  readonly statuses: ReadonlyMap<number, number>;
}

/** One request that was not answered as declared. */
export interface ContractFailure {
  /** What is special about the request. */
  readonly kind: string;
  /** The command that sends it again. */
  readonly curl: string;
  /** With `published`, what the document promises. */
  readonly expected: string;
  readonly came: string;
  /** With `published`: whether it breaks clients, or opens to everybody what was guarded. */
  readonly change?: "breaks" | "opens";
}

/** Reports that answers are not what is declared. */
export class ContractError extends Error {
  readonly #failures: readonly ContractFailure[];

  constructor(summary: string, failures: readonly ContractFailure[]) {
    const listed = failures
      .slice(0, mostListed)
      .map(({ kind, curl, expected, came }) => `${kind}\n  ${curl}\n  expected: ${expected}\n  came:     ${came}`);
    const rest = failures.length > mostListed ? [`… and ${failures.length - mostListed} more`] : [];
    super([summary, ...listed, ...rest].join("\n\n"));
    this.name = "ContractError";
    this.#failures = failures;
  }

  /** All of them. They are not a property of its own, which runners of tests would print again. */
  get failures(): readonly ContractFailure[] {
    return this.#failures;
  }
}

const mostListed = 5;

/**
 * Makes tests of the declarations of an app: requests that are valid, and requests with each thing that can be wrong with one. The
 * status, the media type, the header fields and the content of each answer must be as declared. What `takes(…)` refuses must be
 * refused, and named.
 *
 * The app is changed by what is sent: it needs a store of its own. What an answer names by Location is read, changed and removed
 * by later cases, so the cases of an app belong together in their order.
 *
 * ```ts
 * for (const { name, run } of await contract(app)) it(name, run);
 * ```
 *
 * A guard that declares a 401 must refuse a valid request without the credentials of `headers`, before its content is read; what is
 * `open(…)` must not be refused. What `app.routes` says of who is refused is so held to be true.
 *
 * @throws TypeError (rejects) when an option is unknown, or `openApi` refuses the app; PublishedError, a TypeError, when `published`
 *   is of another version, cut, or of another app
 */
export async function contract(app: App, options: ContractOptions = {}): Promise<readonly ContractCase[]> {
  requireOptions("contract(app, { … })", options, knownOptions);
  const { base, headers = {}, examples = {}, seed = 1 } = options;
  const most = options.requests ?? 100;
  if (!Number.isInteger(most) || most < 1)
    throw new TypeError(`requests must be a whole number, 1 or more, not ${most}`);
  const document = options.document ?? (await openApi(app, { title: "Contract", version: "1" }));
  const send = sender(app, base);
  const address = String(base ?? "http://localhost").replace(/\/$/, "");
  const refusals = resolvedResponses(document["x-refusals"], document);
  const making: Omit<Making, "random"> = {
    document,
    examples,
    headers,
    methodsOf: app.methodsOf,
    located: new Set(),
  };
  const schemas = schemasOf(document);
  const operations = describedOperations(app, document).toSorted((a, b) => rank(a) - rank(b));
  const caseOf = (
    name: string,
    operation: Operation | undefined,
    requests: (random: Random) => Iterable<ContractRequest>,
    judge = (request: ContractRequest, answer: ContractAnswer): readonly AnswerFault[] =>
      faultsOfAnswer(request, answer, operation, refusals, schemas),
  ): ContractCase => {
    const statuses = new Map<number, number>();
    const run = async (): Promise<void> => {
      const failures: ContractFailure[] = [];
      let count = 0;
      for (const request of requests(randomFrom(seed + hash(name)))) {
        count++;
        const answer = await send(request);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const location = answer.status < 300 ? answer.headers.get("Location") : null;
        if (location !== null) making.located.add(new URL(location, address).pathname);
        const faults = judge(request, answer);
        const curl = toCurl(request, address);
        failures.push(...faults.map((fault) => ({ kind: request.kind, curl, ...fault })));
      }
      if (failures.length === 0) return;
      const places =
        (operation?.declaredAt.length ?? 0) === 0 ? "" : `, declared at ${operation?.declaredAt.join(" and ")}`;
      const wrong = new Set(failures.map(({ curl }) => curl)).size;
      const summary = `${name}: ${wrong} of ${count} requests are not answered as declared (seed ${seed})${places}`;
      throw new ContractError(summary, failures);
    };
    return { name, run, statuses };
  };
  if (options.published !== undefined) {
    const { published } = options;
    const known = publishedOperations(published, app, operations).toSorted((a, b) => rank(a) - rank(b));
    const open = schemasOf(published, "open");
    requireReadable(known, open);
    return known.map((operation) => {
      const toRequests = (random: Random) =>
        publishedRequests(
          operation,
          requestMaker(operation, { ...making, document: published, random }, schemasOf(published)),
          most,
          random,
        );
      return caseOf(operation.name, operation, toRequests, (request, answer) =>
        faultsOfPublished(request, answer, operation, app, open, schemas),
      );
    });
  }
  return [
    ...operations.map((operation) =>
      caseOf(operation.name, operation, (random) => requestsFor(operation, { ...making, random }, schemas, most)),
    ),
    caseOf("what no operation is for", undefined, () => unknownPaths(making)),
  ];
}

// A record, so that none is forgotten here.
const knownOptions: requireOptions.Types<ContractOptions> = {
  base: undefined,
  headers: undefined,
  examples: undefined,
  seed: undefined,
  requests: undefined,
  document: undefined,
  published: undefined,
};

/** What is made is there for the others, and is removed last. */
const rank = ({ method }: Operation): number => (method === "POST" ? 0 : method === "DELETE" ? 2 : 1);

/** Half of the requests are valid, unless there is less that can be wrong. */
function* requestsFor(
  operation: Operation,
  making: Making,
  schemas: Schemas,
  most: number,
): Generator<ContractRequest> {
  const maker = requestMaker(operation, making, schemas);
  const first = maker.valid();
  yield first;
  const { guarded, isOpen } = operation;
  if (guarded !== undefined) yield maker.withoutCredentials({ statuses: guarded, guard: "refuses" });
  else if (isOpen) yield maker.withoutCredentials({ guard: "open" });
  const invalid = [...maker.invalid()];
  while (invalid.length > Math.floor(most / 2)) invalid.splice(making.random.integer(0, invalid.length - 1), 1);
  yield* invalid;
  const sent = new Set([key(first)]);
  // Where there is little to choose, the same request comes again and again.
  for (let left = most - invalid.length - 1; left > 0; left--) {
    const request = maker.valid();
    if (!sent.has(key(request))) yield request;
    sent.add(key(request));
  }
}

const key = (request: ContractRequest): string => JSON.stringify(request);

function* unknownPaths({ methodsOf, headers }: Pick<Making, "methodsOf" | "headers">): Generator<ContractRequest> {
  for (const target of ["/x-nothing-is-here", "/x-nothing/is/here"]) {
    if (methodsOf(target) !== undefined) continue;
    for (const method of ["GET", "POST", "DELETE"]) {
      yield {
        kind: "a path that there is not",
        method,
        target,
        headers,
        expects: { statuses: [404], isOfRouter: true },
      };
    }
  }
}

/** So that each operation has other requests. */
const hash = (name: string): number =>
  [...name].reduce((sum, each) => (Math.imul(sum, 31) + each.charCodeAt(0)) | 0, 0);
