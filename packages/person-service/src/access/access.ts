import { randomBytes } from "node:crypto";
import type { AroundFilter, Awaitable, HttpRequest } from "waymark";
import { type AccessDecision, access, caller, clientKey } from "waymark/filters";
import type { SecurityOptions } from "waymark/openapi";
import { pathMatcher } from "waymark/routing";
import { type AccessFile, type AccessRule, accessFileSchema } from "./access-file.ts";
import {
  type AccessDenial,
  accessThrottles,
  type Challenges,
  challengesOf,
  type Denied,
  type Identify,
  type Identity,
  identifier,
} from "./identify.ts";
import { readJsonFile } from "./json-file.ts";
import { readKeys, type StoredKey } from "./key-file.ts";
import { passwordCheck } from "./password-check.ts";
import { type Holders, holdersOf, type Sessions, sealedSessions, sessionCookie } from "./sessions.ts";
import { signInQueue } from "./sign-in-queue.ts";

/** Lists the options of `openAccess`. */
export interface AccessOptions {
  /** The access file. */
  readonly file: string;
  /** The file of API keys. Default: no key is accepted. */
  readonly keys?: string | undefined;
  /** Called for each request that is not let in, without its credentials; must not throw. */
  readonly onDenial?: ((denial: AccessDenial) => void) | undefined;
  /** The clock, for the times in tokens. */
  readonly now?: () => Date;
  /** A clock that only goes forward, in milliseconds: for throttles and for remembered passwords. */
  readonly elapsed?: () => number;
  /** What seals the cookies of browsers that are signed in: 32 random bytes, the same in all processes. Default: its own for each process. */
  readonly sessionKey?: Uint8Array | undefined;
}

/** Access by the rules and credentials of files. */
export interface Access {
  /** For `router({ filters })`, behind `cors` and before everything else. */
  readonly filter: AccessFilter;
  /** What the files have, as they were last read. */
  readonly content: AccessContent;
  /** Returns whether every client may GET a path, without credentials. */
  isOpen(path: string): boolean;
  /**
   * Reads the files again. Requests that come meanwhile are judged by what was read before.
   *
   * @throws FileError (rejects) when a file cannot be used: nothing has then changed
   */
  reload(): Promise<void>;
}

/** The content of the access file and of the file of keys. */
export interface AccessContent extends Pick<AccessFile, "rules" | "users" | "tokens"> {
  readonly keys: readonly StoredKey[];
}

/** A filter that lets in, and that answers what else its rules allow. */
export interface AccessFilter extends AroundFilter {
  /** Returns whether the caller of a request that was let in may make another request. */
  readonly may: (request: HttpRequest<unknown>, method: string, path: string) => boolean;
  /** Returns whether the caller of a request that was let in may GET a path. */
  readonly mayRead: (request: HttpRequest<unknown>, path: string) => boolean;
  /** Signs people in and out on the pages. */
  readonly signIn: SignIn;
  /** Returns the credentials that requests need by the rules of now, for an OpenAPI document; another object after each reload. */
  readonly security: () => SecurityOptions;
}

/** Begins and ends the sessions of browsers. */
export interface SignIn {
  /** Begins one by the value of an Authorization field, that of a password or an API key. */
  begin(request: HttpRequest<unknown>, authorization: string): Promise<SignInOutcome>;
  /** Ends the one that the request names, where it names one. */
  end(request: HttpRequest<unknown>): Promise<void>;
}

/** The sealed session; or why there is none. */
export type SignInOutcome =
  | { readonly kind: "begun"; readonly sealed: string }
  | { readonly kind: "wrong"; readonly retryAfter?: undefined }
  /** In so many seconds. */
  | { readonly kind: "later"; readonly retryAfter: number };

/**
 * Reads the access file and the file of keys.
 *
 * ```ts
 * const access = await openAccess({ file: "access.json", keys: "keys.json" });
 * openPersonService({ database, access: access.filter });
 * ```
 *
 * @throws FileError (rejects) when a file cannot be used; the message says where and why
 */
export async function openAccess(options: AccessOptions): Promise<Access> {
  const {
    file,
    keys: keyFile,
    onDenial = () => undefined,
    now = () => new Date(),
    elapsed = () => performance.now(),
  } = options;
  const sessions = sealedSessions(options.sessionKey ?? randomBytes(32), now);
  // Kept through a reload, which would otherwise reset every counter.
  const throttles = accessThrottles(elapsed);
  const signIns = signInQueue(elapsed);

  const readPolicy = async (): Promise<Policy & Pick<Access, "content">> => {
    const { realm, rules, users, tokens } = await readJsonFile(file, accessFileSchema);
    const content = { rules, users, tokens, keys: keyFile === undefined ? [] : await readKeys(keyFile) };
    const challenges = challengesOf(realm, users.length > 0);
    const identify = identifier({
      keys: content.keys,
      checkToken:
        tokens === undefined ? undefined : await (await import("./tokens.ts")).tokenCheck(tokens, file, now, elapsed),
      passwords: passwordCheck(users, signIns, elapsed),
      challenges,
      throttles,
    });
    const holders = holdersOf({ users }, content.keys);
    const policy = accessPolicy({
      schemes: securitySchemes({ bearer: keyFile !== undefined || tokens !== undefined, basic: users.length > 0 }),
      rules: [...rules, healthRule],
      identify,
      challenges,
      onDenial,
      sessions,
      holders,
    });
    return { ...policy, content };
  };

  let policy = await readPolicy();
  let lastReload: Promise<void> = Promise.resolve();
  return {
    filter: {
      ...access((request) => policy.decide(request)),
      may: (request, method, path) => policy.may(request, method, path),
      mayRead: (request, path) => policy.may(request, "GET", path),
      signIn: {
        begin: (request, authorization) => policy.begin(request, authorization),
        end: async (request) => {
          const sealed = sealedIn(request);
          if (sealed !== undefined) await sessions.end(sealed);
        },
      },
      security: () => policy.security,
    },
    get content() {
      return policy.content;
    },
    isOpen: (path) => policy.isOpen(path),
    reload() {
      // One after the other, so that the files that were read last are in force.
      const reload = lastReload.then(async () => {
        policy = await readPolicy();
      });
      lastReload = reload.catch(() => undefined);
      return reload;
    },
  };
}

/** The session that a request names; credentials of its own go before it. */
function sealedIn(request: HttpRequest<unknown>): string | undefined {
  if (request.headers.has("Authorization") || !request.headers.has("Cookie")) return undefined;
  return request.cookies.get(sessionCookie);
}

/** Behind all rules of the file: monitors have no credentials, and health says nothing about people. */
const healthRule: AccessRule = { methods: ["GET"], path: "/health/*", anyone: true };

interface Policy extends Pick<AccessFilter, "may">, Pick<SignIn, "begin">, Pick<Access, "isOpen"> {
  /** Decides on a request by its method, path and Authorization, and never by its content. */
  decide(request: HttpRequest): Awaitable<AccessDecision>;
  readonly security: SecurityOptions;
}

interface PolicyParts {
  readonly schemes: SecurityOptions["schemes"];
  readonly rules: readonly AccessRule[];
  readonly identify: Identify;
  readonly challenges: Challenges;
  readonly onDenial: (denial: AccessDenial) => void;
  readonly sessions: Sessions;
  readonly holders: Holders;
}

/**
 * Makes a policy: the first rule that matches a request decides, and a request that no rule matches is denied. A client
 * without good credentials learns nothing of the rules: it gets the same answer for everything that is not for anyone.
 */
function accessPolicy({ schemes, rules, identify, challenges, onDenial, sessions, holders }: PolicyParts): Policy {
  const ruleFor = compileRules(rules);

  const judge = (rule: AccessRule | undefined, identity: Identity): Judgement => {
    if (identity.kind === "denied") return identity;
    const { caller, scheme } = identity;
    const required = rule?.scopes;
    if (required?.every((scope) => caller.scopes.includes(scope)) === true) return { kind: "allowed", caller };
    const reason = required === undefined ? "no rule for it" : `not in scope ${required.join(" ")}`;
    const decision: Denied =
      scheme === "Bearer"
        ? { kind: "forbidden", challenges: challenges.insufficientScope(required ?? []) }
        : { kind: "forbidden" };
    return { kind: "denied", decision, reason, caller: caller.id };
  };

  const may = (request: HttpRequest<unknown>, method: string, path: string): boolean => {
    const rule = ruleFor({ method, path });
    if (rule?.anyone === true) return true;
    // There is none where a rule for anyone let the request in.
    const known = request.attribute(caller);
    return known !== undefined && rule?.scopes?.every((scope) => known.scopes.includes(scope)) === true;
  };

  const decide = (request: HttpRequest): Awaitable<AccessDecision> => {
    const rule = ruleFor(request);
    const sealed = sealedIn(request);
    // What a page offers to everybody and to those who are signed in is not the same.
    if (rule?.anyone === true) {
      if (sealed === undefined) return { kind: "allowed" };
      return sessions.open(sealed, holders).then((caller) => ({ kind: "allowed", caller }));
    }
    const conclude = (identity: Identity): AccessDecision => {
      const judgement = judge(rule, identity);
      return judgement.kind === "allowed" ? judgement : deny(request, judgement);
    };
    if (sealed !== undefined) return identifySession(request, sealed).then(conclude);
    const identity = identify(request.header("Authorization"), keyOf(request));
    return identity instanceof Promise ? identity.then(conclude) : conclude(identity);
  };

  const deny = (request: HttpRequest<unknown>, { decision, reason, caller }: Denial): Denied => {
    const { method, path } = request;
    onDenial({ kind: decision.kind, reason, method, path, client: keyOf(request), caller });
    return decision;
  };

  const identifySession = async (request: HttpRequest, sealed: string): Promise<Identity> => {
    const caller = await sessions.open(sealed, holders);
    // One that ended is no session any more: the request has no credentials.
    return caller === undefined ? identify(undefined, keyOf(request)) : { kind: "known", caller, scheme: "Basic" };
  };

  const begin = async (request: HttpRequest<unknown>, authorization: string): Promise<SignInOutcome> => {
    const identity = await identify(authorization, keyOf(request));
    if (identity.kind === "denied") {
      const decision = deny(request, identity);
      const isLater = decision.kind === "throttled" || decision.kind === "unavailable";
      return isLater ? { kind: "later", retryAfter: decision.retryAfter } : { kind: "wrong" };
    }
    const holder = holders.get(identity.caller.id);
    // A token of another issuer has a life of its own.
    return holder === undefined ? { kind: "wrong" } : { kind: "begun", sealed: await sessions.seal(holder) };
  };
  const security: SecurityOptions = {
    schemes,
    requirementsOf(request) {
      const rule = ruleFor(request);
      return rule?.anyone === true ? [] : Object.keys(schemes).map((name) => ({ [name]: rule?.scopes ?? [] }));
    },
  };
  const isOpen = (path: string): boolean => ruleFor({ method: "GET", path })?.anyone === true;
  return { decide, may, begin, isOpen, security };
}

/** Describes the credentials that are accepted. */
function securitySchemes({ bearer, basic }: Readonly<Record<"bearer" | "basic", boolean>>): SecurityOptions["schemes"] {
  return {
    ...(bearer && { bearer: { type: "http", scheme: "bearer", description: "An API key, or a JSON Web Token." } }),
    ...(basic && { basic: { type: "http", scheme: "basic", description: "A name and a password." } }),
  };
}

type Judgement = Extract<AccessDecision, { readonly kind: "allowed" }> | Denial;
type Denial = Extract<Identity, { readonly kind: "denied" }>;

/**
 * Makes the function that returns the first rule for a method and a canonical path, the one that routes are found by.
 *
 * @throws PatternError when a path is malformed
 */
function compileRules(rules: readonly AccessRule[]): (request: RuledRequest) => AccessRule | undefined {
  const compiled = rules.map((rule) => ({ rule, takesPath: pathMatcher(rule.path), takesMethod: methodMatcher(rule) }));
  return ({ method, path }) =>
    compiled.find(({ takesMethod, takesPath }) => takesMethod(method) && takesPath(path))?.rule;
}

type RuledRequest = Pick<HttpRequest, "method" | "path">;

function methodMatcher({ methods }: AccessRule): (method: string) => boolean {
  if (methods === undefined) return () => true;
  const taken = new Set(methods);
  // A HEAD without a route of its own runs the handler of the GET route.
  if (taken.has("GET")) taken.add("HEAD");
  return (method) => taken.has(method);
}

/** Where nobody gives addresses, as in tests with `app.fetch`, all clients are one: guesses are limited all the same. */
const keyOf = (request: HttpRequest<unknown>): string =>
  request.client.address === undefined ? "unknown" : clientKey(request);
