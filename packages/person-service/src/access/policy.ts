import { type Awaitable, type HttpRequest, notRepeatable } from "waymark";
import { type AccessDecision, type Caller, caller, clientKey } from "waymark/filters";
import type { SecurityOptions } from "waymark/openapi";
import { pathMatcher } from "waymark/routing";
import { knownCaller } from "../front/rights.ts";
import type { AccessRule } from "./access-file.ts";
import type { AccessDenial, Challenges, Denied, Identify, Identity } from "./identify.ts";
import { isPublicPath } from "./public-paths.ts";
import { type Holders, type Sessions, sessionCookie } from "./sessions.ts";

/** The decisions that the files lead to, until they are read again. */
export interface Policy {
  /** Decides on a request by its method, path and Authorization, and never by its content. */
  decide(request: HttpRequest<unknown>): Awaitable<AccessDecision>;
  /** Returns whether the caller of a request that was let in may make another request. */
  may(request: HttpRequest<unknown>, method: string, path: string): boolean;
  /** Begins a session with the value of an Authorization field: a password or an API key. */
  begin(request: HttpRequest<unknown>, authorization: string): Promise<SignInOutcome>;
  /** Returns whether every client may make a request, without credentials; by default a GET. */
  isOpen(path: string, method?: string): boolean;
  /** The credentials that requests need, for an OpenAPI document. */
  readonly security: SecurityOptions;
}

/** The sealed session, or why no session was begun. */
export type SignInOutcome =
  | { readonly kind: "begun"; readonly sealed: string }
  | { readonly kind: "wrong" }
  /** Too many attempts; the next is allowed after this many seconds. */
  | { readonly kind: "later"; readonly retryAfter: number };

/** The parts of a policy. */
export interface PolicyParts {
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
 * without valid credentials learns nothing about the rules: it gets the same answer for everything that is not open to anyone.
 */
export function accessPolicy(parts: PolicyParts): Policy {
  const { schemes, rules, identify, challenges, onDenial, sessions, holders } = parts;
  const ruleFor = compileRules(rules);

  const decide = (request: HttpRequest<unknown>): Awaitable<AccessDecision> => {
    const rule = ruleFor(request);
    const sealed = sealedIn(request);
    const isAsking = request.path === frontPath && request.headers.has("Authorization");
    // A page offers more to people who have signed in.
    if (rule?.anyone === true && !isAsking) {
      if (sealed === undefined) return { kind: "allowed" };
      notRepeatable(request);
      return sessions.open(sealed, holders).then((caller) => ({ kind: "allowed", caller }));
    }
    const conclude = (identity: Identity): AccessDecision => {
      // Only a key is good until the files are read again: tokens, sessions and passwords that are remembered end by time.
      if (identity.kind === "known" && !isOfKey(identity)) notRepeatable(request);
      const judgement = judge(rule, identity, challenges);
      return judgement.kind === "allowed" ? judgement : deny(request, judgement);
    };
    if (sealed !== undefined) return identifySession(request, sealed).then(conclude);
    const identity = identify(request.header("Authorization"), clientKey(request, shared));
    return identity instanceof Promise ? identity.then(conclude) : conclude(identity);
  };

  const identifySession = async (request: HttpRequest<unknown>, sealed: string): Promise<Identity> => {
    const caller = await sessions.open(sealed, holders);
    // A request with an ended session has no credentials.
    return caller === undefined
      ? identify(undefined, clientKey(request, shared))
      : { kind: "known", caller, scheme: "Basic" };
  };

  const deny = (request: HttpRequest<unknown>, { decision, reason, caller }: Denial): Denied => {
    const { method, path } = request;
    onDenial({ kind: decision.kind, reason, method, path, client: clientKey(request, shared), caller });
    return decision;
  };

  const begin = async (request: HttpRequest<unknown>, authorization: string): Promise<SignInOutcome> => {
    const identity = await identify(authorization, clientKey(request, shared));
    return identity.kind === "denied" ? refusedSignIn(deny(request, identity)) : beginSession(identity.caller, parts);
  };

  return {
    decide,
    begin,
    may: (request, method, path) => mayPass(ruleFor({ method, path }), request),
    isOpen: (path, method = "GET") => ruleFor({ method, path })?.anyone === true,
    security: {
      schemes,
      requirementsOf(request) {
        const rule = ruleFor(request);
        return rule?.anyone === true || isPublicPath(request.path)
          ? []
          : Object.keys(schemes).map((name) => ({ [name]: rule?.scopes ?? [] }));
      },
    },
  };
}

/** Judges whether this identity may make a request that the rule is for. Without a rule, none may. */
function judge(rule: AccessRule | undefined, identity: Identity, challenges: Challenges): Judgement {
  if (identity.kind === "denied") return identity;
  const { caller, scheme } = identity;
  if (rule?.anyone === true) return { kind: "allowed", caller };
  const required = rule?.scopes;
  if (required !== undefined && hasScopes(caller, required)) return { kind: "allowed", caller };
  const members = { caller: knownCaller(caller) };
  const reason = required === undefined ? "no rule for it" : `not in scope ${required.join(" ")}`;
  const decision: Denied =
    scheme === "Bearer"
      ? { kind: "forbidden", challenges: challenges.insufficientScope(required ?? []), members }
      : { kind: "forbidden", detail: withoutRight(caller, required), members };
  return { kind: "denied", decision, reason, caller: caller.id };
}

/** The name of a caller, as people know it. */
export const nameOf = (id: string): string => id.replace(/^\w+:/, "");

/** Says to a person who was refused, which right is missing, and whom to ask. */
function withoutRight({ id, scopes }: Caller, required: readonly string[] | undefined): string {
  const missing = required?.filter((scope) => !scopes.includes(scope));
  if (missing === undefined) return `${nameOf(id)} may not do this, and nobody else may.`;
  return `${nameOf(id)} may not do this, which takes the scope ${missing.join(" ")}. Ask the operator of the service for it.`;
}

/** Returns whether the caller of a request that was let in may make another one, which this rule is for. */
function mayPass(rule: AccessRule | undefined, request: HttpRequest<unknown>): boolean {
  if (rule?.anyone === true) return true;
  // A request that a rule for anyone let in may have no caller.
  const known = request.attribute(caller);
  return known !== undefined && rule?.scopes !== undefined && hasScopes(known, rule.scopes);
}

/** A session of a key has the scheme of a password. */
const isOfKey = ({ caller, scheme }: Extract<Identity, { readonly kind: "known" }>): boolean =>
  scheme === "Bearer" && caller.id.startsWith("key:");

const hasScopes = ({ scopes }: Caller, required: readonly string[]): boolean =>
  required.every((scope) => scopes.includes(scope));

function refusedSignIn(decision: Denied): SignInOutcome {
  const isLater = decision.kind === "throttled" || decision.kind === "unavailable";
  return isLater ? { kind: "later", retryAfter: decision.retryAfter } : { kind: "wrong" };
}

async function beginSession({ id }: Caller, { holders, sessions }: PolicyParts): Promise<SignInOutcome> {
  const holder = holders.get(id);
  // Tokens of an issuer have their own lifetime, and begin no session.
  return holder === undefined ? { kind: "wrong" } : { kind: "begun", sealed: await sessions.seal(holder) };
}

/** Returns the sealed session in the cookies of a request; undefined when it has credentials of its own. */
export function sealedIn(request: HttpRequest<unknown>): string | undefined {
  if (request.headers.has("Authorization") || !request.headers.has("Cookie")) return undefined;
  return request.cookies.get(sessionCookie);
}

type Judgement = Extract<AccessDecision, { readonly kind: "allowed" }> | Denial;
type Denial = Extract<Identity, { readonly kind: "denied" }>;

/**
 * Makes the function that returns the first rule for a method and a canonical path.
 *
 * @throws PatternError when a path is malformed
 */
function compileRules(rules: readonly AccessRule[]): (request: RuledRequest) => AccessRule | undefined {
  const compiled = [frontRule, ...rules].map((rule) => ({
    rule,
    takesPath: pathMatcher(rule.path),
    takesMethod: methodMatcher(rule),
  }));
  const find = ({ method, path }: RuledRequest): AccessRule | undefined =>
    compiled.find(({ takesMethod, takesPath }) => takesMethod(method) && takesPath(path))?.rule;
  return ({ method, path }) =>
    find({ method, path }) ?? (path === schemaPath ? find({ method, path: "/person" }) : undefined);
}

/** The path that says who asks, and what they may do. */
export const frontPath = "/";
/** It says nothing of any person, and whoever is to sign in reads how. */
const frontRule: AccessRule = { methods: ["GET"], path: frontPath, anyone: true };

/** The path of the members of a person, which has the rule of the list where it has none of its own. */
export const schemaPath = "/schemas/person";

type RuledRequest = Pick<HttpRequest, "method" | "path">;

function methodMatcher({ methods }: AccessRule): (method: string) => boolean {
  if (methods === undefined) return () => true;
  const taken = new Set(methods);
  // A HEAD without a route of its own runs the handler of the GET route.
  if (taken.has("GET")) taken.add("HEAD");
  return (method) => taken.has(method);
}

/** The key of all clients without addresses, as in tests with `app.fetch`: their guesses stay limited together. */
const shared = "unknown";
