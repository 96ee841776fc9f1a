import type { AroundFilter, Awaitable, HttpRequest } from "waymark";
import { type AccessDecision, access, clientKey } from "waymark/filters";
import { pathMatcher } from "waymark/routing";
import { type AccessRule, accessFileSchema } from "./access-file.ts";
import {
  type AccessRefusal,
  accessThrottles,
  type Challenges,
  challengesOf,
  type Identify,
  type Identity,
  identifier,
  type Refused,
} from "./identify.ts";
import { readJsonFile } from "./json-file.ts";
import { readKeys } from "./key-file.ts";
import { passwordCheck } from "./password-check.ts";
import { tokenCheck } from "./tokens.ts";

export interface AccessOptions {
  /** The access file: rules, users, and whose tokens are taken. */
  readonly file: string;
  /** The file of API keys. Default: none are taken. */
  readonly keys?: string | undefined;
  /** Told of each request that is not let in, never with its credentials; must not throw. Default: nobody is. */
  readonly onRefusal?: (refusal: AccessRefusal) => void;
  /** The clock, for the times in tokens. */
  readonly now?: () => Date;
  /** A clock that only goes forward, in milliseconds: for how long attempts count, and passwords are remembered. */
  readonly elapsed?: () => number;
}

/** Who gets in, as files say it. */
export interface Access {
  /** For `router({ filters })`, behind `cors` and before everything else. */
  readonly filter: AroundFilter;
  /**
   * Reads the files again; requests that come meanwhile are judged by what was read before.
   *
   * @throws FileError (rejects) when one of them cannot be used: everything then stays as it was
   */
  reload(): Promise<void>;
}

/**
 * Reads who gets in.
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
    keys,
    onRefusal = () => undefined,
    now = () => new Date(),
    elapsed = () => performance.now(),
  } = options;
  // Not made anew by a reload, which would forgive everybody.
  const throttles = accessThrottles(elapsed);

  const readPolicy = async (): Promise<Policy> => {
    const { realm, rules, users, tokens } = await readJsonFile(file, accessFileSchema);
    const challenges = challengesOf(realm, users.length > 0);
    const identify = identifier({
      keys: keys === undefined ? [] : await readKeys(keys),
      checkToken: tokens === undefined ? undefined : await tokenCheck(tokens, file, now),
      passwords: passwordCheck(users, elapsed),
      challenges,
      throttles,
    });
    return accessPolicy({ rules, identify, challenges, onRefusal });
  };

  let policy = await readPolicy();
  let lastReload: Promise<void> = Promise.resolve();
  return {
    filter: access((request) => policy(request)),
    reload() {
      // One after the other: what was read first must not come into force last.
      const reload = lastReload.then(async () => {
        policy = await readPolicy();
      });
      lastReload = reload.catch(() => undefined);
      return reload;
    },
  };
}

/** Decides on a request. What it reads of it is method, path and Authorization, and never the content. */
type Policy = (request: HttpRequest) => Awaitable<AccessDecision>;

/** Who comes in by which rules. */
interface PolicyParts {
  readonly rules: readonly AccessRule[];
  readonly identify: Identify;
  readonly challenges: Challenges;
  /** Told of each request that is not let in; must not throw. */
  readonly onRefusal: (refusal: AccessRefusal) => void;
}

/**
 * The policy: the first rule that takes a request decides, and where none does, nobody may. Who has not shown who he is learns
 * nothing of the rules: whatever is not for anyone is answered alike.
 */
function accessPolicy({ rules, identify, challenges, onRefusal }: PolicyParts): Policy {
  const ruleFor = compileRules(rules);

  const judge = (rule: AccessRule | undefined, identity: Identity): Judgement => {
    if (identity.kind === "refused") return identity;
    const { caller, scheme } = identity;
    const required = rule?.scopes;
    if (required?.every((scope) => caller.scopes.includes(scope)) === true) return { kind: "allowed", caller };
    const reason = required === undefined ? "no rule for it" : `not in scope ${required.join(" ")}`;
    const decision: Refused =
      scheme === "Bearer"
        ? { kind: "forbidden", challenges: challenges.insufficientScope(required ?? []) }
        : { kind: "forbidden" };
    return { kind: "refused", decision, reason, caller: caller.id };
  };

  return (request) => {
    const rule = ruleFor(request);
    if (rule?.anyone === true) return { kind: "allowed" };
    const client = clientKey(request);
    const conclude = (identity: Identity): AccessDecision => {
      const judgement = judge(rule, identity);
      if (judgement.kind === "allowed") return judgement;
      const { decision, reason, caller } = judgement;
      const { method, path } = request;
      onRefusal({ kind: decision.kind, reason, method, path, client, caller });
      return decision;
    };
    const identity = identify(request.header("Authorization"), client);
    return identity instanceof Promise ? identity.then(conclude) : conclude(identity);
  };
}

type Judgement =
  | Extract<AccessDecision, { readonly kind: "allowed" }>
  | Extract<Identity, { readonly kind: "refused" }>;

/**
 * The first rule that takes a request, by its method and its canonical path, which is the one that routes are found by.
 *
 * @throws PatternError when a path is malformed
 */
function compileRules(rules: readonly AccessRule[]): (request: HttpRequest) => AccessRule | undefined {
  const compiled = rules.map((rule) => ({ rule, takesPath: pathMatcher(rule.path), takesMethod: methodMatcher(rule) }));
  return ({ method, path }) =>
    compiled.find(({ takesMethod, takesPath }) => takesMethod(method) && takesPath(path))?.rule;
}

function methodMatcher({ methods }: AccessRule): (method: string) => boolean {
  if (methods === undefined) return () => true;
  const taken = new Set(methods);
  // A HEAD that no route is for runs the handler of the GET route.
  if (taken.has("GET")) taken.add("HEAD");
  return (method) => taken.has(method);
}
