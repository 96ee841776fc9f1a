import { type Awaitable, type HttpRequest, repeatable } from "waymark";
import { type access, type Caller, caller, rateLimit } from "waymark/filters";
import type { openApi } from "waymark/openapi";
import { pathMatcher } from "waymark/routing";
import type { AccessRule } from "./files/access-file.ts";
import { knownCaller } from "./rights.ts";
import type { Challenges } from "./ways/challenges.ts";
import { type Credentials, parseCredentials } from "./ways/credentials.ts";
import { type Holders, type SignedIn, signedIn } from "./ways/session.ts";
import type { Denial, Denied, IdentifyCaller, Identity } from "./ways/ways.ts";

/** A request that was not let in, for a log. It has no part of the credentials. */
export interface AccessDenial {
  readonly kind: Denied["kind"];
  /** Why, for the log: the client gets less detail. */
  readonly reason: string;
  readonly method: string;
  /** The canonical path. */
  readonly path: string;
  /** The client's IPv4 address or its IPv6 network, as `rateLimit.clientKey` has it. */
  readonly client: string;
  /** The caller, or the user whose password was wrong. The name of no user is left out: it may be a password in the wrong field. */
  readonly caller: string | undefined;
}

/** The decisions that the files lead to, until they are read again. */
export interface Policy {
  /** Decides on a request by its method, path and credentials, and never by its content. */
  decide(request: HttpRequest<unknown>): Awaitable<access.Decision>;
  /** Returns whether the caller of a request that was let in may make another request. */
  may(request: HttpRequest<unknown>, method: string, path: string): boolean;
  /** Judges a password or an API key, for a session. */
  signIn(request: HttpRequest<unknown>, authorization: string): Promise<SignInOutcome>;
  /** Returns whether every client may make a request, without credentials; by default a GET. */
  isOpen(path: string, method?: string): boolean;
  /** The credentials that requests need, for an OpenAPI document. */
  readonly security: openApi.Security;
}

/** What a session is to say, or why there is none. */
export type SignInOutcome =
  | { readonly kind: "good"; readonly session: SignedIn }
  | { readonly kind: "wrong" }
  /** Too many attempts; the next is allowed after this many seconds. */
  | { readonly kind: "later"; readonly retryAfter: number };

/** The parts of a policy. */
export interface PolicyParts {
  readonly schemes: openApi.Security["schemes"];
  /** Those of the access file. */
  readonly rules: readonly AccessRule[];
  readonly identify: IdentifyCaller;
  readonly challenges: Challenges;
  readonly onDenial: (denial: AccessDenial) => void;
  readonly holders: Holders;
}

/**
 * Makes a policy: the first rule that matches a request decides, and a request that no rule matches is denied. A client
 * without valid credentials learns nothing about the rules: it gets the same answer for everything that is not open to anyone.
 */
export function accessPolicy(parts: PolicyParts): Policy {
  const { schemes, rules, identify, challenges, onDenial, holders } = parts;
  const ruleFor = compileRules(rules);

  const decide = (request: HttpRequest<unknown>): Awaitable<access.Decision> => {
    const rule = ruleFor(request);
    const session = request.attribute(signedIn);
    const isAsking = request.path === frontPath && request.headers.has("Authorization");
    // What is open to anyone offers more to people who have signed in.
    if (rule?.anyone === true && session === undefined && !isAsking) return { kind: "allowed" };
    const conclude = (identity: Identity): access.Decision => {
      if (identity.kind === "denied" || identity.isLasting !== true) repeatable.not(request);
      if (rule?.anyone === true && !isAsking)
        return { kind: "allowed", caller: identity.kind === "known" ? identity.caller : undefined };
      const judgement = judge(rule, identity, challenges);
      return judgement.kind === "allowed" ? judgement : deny(request, judgement);
    };
    const credentials: Credentials =
      session === undefined ? parseCredentials(request.header("Authorization")) : { kind: "session", session };
    const identity = identify(credentials, rateLimit.clientKey(request, shared));
    return identity instanceof Promise ? identity.then(conclude) : conclude(identity);
  };

  const deny = (request: HttpRequest<unknown>, { decision, reason, caller }: Denial): Denied => {
    const { method, path } = request;
    onDenial({ kind: decision.kind, reason, method, path, client: rateLimit.clientKey(request, shared), caller });
    return decision;
  };

  const signIn = async (request: HttpRequest<unknown>, authorization: string): Promise<SignInOutcome> => {
    const identity = await identify(parseCredentials(authorization), rateLimit.clientKey(request, shared));
    if (identity.kind === "denied") return refusedSignIn(deny(request, identity));
    const { id } = identity.caller;
    const proof = holders(id)?.proof;
    // Tokens of an issuer have their own lifetime, and begin no session.
    return proof === undefined ? { kind: "wrong" } : { kind: "good", session: { holder: id, proof } };
  };

  return {
    decide,
    signIn,
    may: (request, method, path) => mayPass(ruleFor({ method, path }), request),
    isOpen: (path, method = "GET") => ruleFor({ method, path })?.anyone === true,
    security: {
      schemes,
      requirementsOf(request) {
        const rule = ruleFor(request);
        return rule?.anyone === true ? [] : Object.keys(schemes).map((name) => ({ [name]: rule?.scopes ?? [] }));
      },
    },
  };
}

type Judgement = Extract<access.Decision, { readonly kind: "allowed" }> | Denial;

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

/** Says to a person who was refused, which right is missing, and whom to ask. */
function withoutRight(caller: Caller, required: readonly string[] | undefined): string {
  const { name } = knownCaller(caller);
  const missing = required?.filter((scope) => !caller.scopes.includes(scope));
  if (missing === undefined) return `${name} may not do this, and nobody else may.`;
  return `${name} may not do this, which takes the scope ${missing.join(" ")}. Ask the operator of the service for it.`;
}

/** Returns whether the caller of a request that was let in may make another one, which this rule is for. */
function mayPass(rule: AccessRule | undefined, request: HttpRequest<unknown>): boolean {
  if (rule?.anyone === true) return true;
  // A request that a rule for anyone let in may have no caller.
  const known = request.attribute(caller);
  return known !== undefined && rule?.scopes !== undefined && hasScopes(known, rule.scopes);
}

const hasScopes = ({ scopes }: Caller, required: readonly string[]): boolean =>
  required.every((scope) => scopes.includes(scope));

function refusedSignIn(decision: Denied): SignInOutcome {
  const isLater = decision.kind === "throttled" || decision.kind === "unavailable";
  return isLater ? { kind: "later", retryAfter: decision.retryAfter } : { kind: "wrong" };
}

/**
 * Makes the function that returns the first rule for a method and a canonical path.
 *
 * @throws PatternError when a path is malformed
 */
function compileRules(rules: readonly AccessRule[]): (request: RuledRequest) => AccessRule | undefined {
  const all = [...firstRules, ...rules, ...lastRules];
  const compiled = all.map((rule) => ({ rule, takesPath: pathMatcher(rule.path), takesMethod: methodMatcher(rule) }));
  const find = ({ method, path }: RuledRequest): AccessRule | undefined =>
    compiled.find(({ takesMethod, takesPath }) => takesMethod(method) && takesPath(path))?.rule;
  return ({ method, path }) =>
    find({ method, path }) ?? (path === schemaPath ? find({ method, path: "/person" }) : undefined);
}

type RuledRequest = Pick<HttpRequest, "method" | "path">;

/** The path that says who asks, and what they may do. */
export const frontPath = "/";

/** The path of the members of a person, which has the rule of the list where it has none of its own. */
export const schemaPath = "/schemas/person";

const open = (path: string, ...methods: readonly string[]): AccessRule => ({
  path,
  anyone: true,
  ...(methods.length > 0 && { methods }),
});

/** What no rule of a file closes: it says nothing of any person, and nobody could sign in otherwise. */
const firstRules: readonly AccessRule[] = [open(frontPath, "GET"), open("/assets/**", "GET"), open("/session")];

/** Monitors have no credentials, and health says nothing of people; a file may say otherwise. */
const lastRules: readonly AccessRule[] = [open("/health/{check:live|ready}", "GET")];

function methodMatcher({ methods }: AccessRule): (method: string) => boolean {
  if (methods === undefined) return () => true;
  const taken = new Set(methods);
  // A HEAD without a route of its own runs the handler of the GET route.
  if (taken.has("GET")) taken.add("HEAD");
  return (method) => taken.has(method);
}

/** The key of all clients without addresses, as in tests with `app.fetch`: their guesses stay limited together. */
const shared = "unknown";
