import { randomBytes } from "node:crypto";
import { type AnswerSource, type Filter, type HttpRequest, problemTypes, repeatable } from "waymark";
import { access, caller } from "waymark/filters";
import type { Description, openApi } from "waymark/openapi";
import { type AccessFile, accessFileSchema } from "./files/access-file.ts";
import type { StoredKey } from "./files/api-key.ts";
import { readJsonFile } from "./files/json-file.ts";
import { readKeys } from "./files/key-file.ts";
import { type AccessDenial, accessPolicy, frontPath, type Policy } from "./policy.ts";
import { challengesOf } from "./ways/challenges.ts";
import { failureLimit } from "./ways/failure-limit.ts";
import { passwordCheck, twoAtATime } from "./ways/passwords.ts";
import { holdersOf, opening, type Sessions, sessionsOf } from "./ways/session.ts";
import { byKey, byPassword, bySession, byToken, eitherWay } from "./ways/ways.ts";

/** The options of `openAccess`. */
export interface AccessOptions {
  /** The access file. */
  readonly file: string;
  /** The file of API keys. Default: no key is accepted. */
  readonly keys?: string | undefined;
  /** Called for each request that is denied access, without its credentials; must not throw. */
  readonly onDenial?: ((denial: AccessDenial) => void) | undefined;
  /** The clock, for the times in tokens. */
  readonly now?: () => Date;
  /** A clock that only goes forward, in milliseconds: for failed attempts and for remembered passwords. */
  readonly elapsed?: () => number;
  /**
   * The secrets that seal session cookies, of at least 32 characters, the same in all processes: the first seals, all open. Default: a
   * random one for each process.
   */
  readonly sessionKey?: string | readonly string[] | undefined;
}

/** Access by the rules and credentials of files. */
export interface Access {
  /** For `router({ filters })`, after `cors` and before everything else. */
  readonly filter: AccessFilter;
  /** The content of the files when they were last read. */
  readonly content: AccessContent;
  /** Returns whether every client may GET a path, without credentials. */
  isOpen(path: string): boolean;
  /**
   * Reads the files again. The old content applies to requests meanwhile.
   *
   * @throws FileError (rejects) when a file cannot be used: then nothing has changed
   */
  reload(): Promise<void>;
}

/** The content of the access file and of the file of keys. */
export interface AccessContent extends Pick<AccessFile, "rules" | "users" | "tokens"> {
  readonly keys: readonly StoredKey[];
}

/** A filter that decides which requests are let in, and answers what else its rules allow. */
export interface AccessFilter extends Filter, Pick<Policy, "may"> {
  /**
   * Decides again on a request that was let in, by the present rules and keys; returns it with its caller as it is now, or undefined
   * where it would not be let in.
   */
  readonly readmit: (request: HttpRequest<unknown>) => Promise<HttpRequest<unknown> | undefined>;
  /** Signs people in and out on the pages. */
  readonly signIn: SignIn;
  /** Returns the credentials that requests need by the present rules, for an OpenAPI document; a new object after each reload. */
  readonly security: () => openApi.Security;
}

/** Begins the sessions of browsers. */
export interface SignIn {
  /** Judges a password or an API key, the value of an Authorization field. */
  readonly judge: Policy["signIn"];
  readonly sessions: Sessions;
  /** Returns the ways to begin one. */
  readonly ways: () => readonly ("password" | "key")[];
}

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
  const sessions = sessionsOf(options.sessionKey ?? randomBytes(32).toString("base64"));
  // Reloads keep the counters.
  const limit = failureLimit(elapsed);
  const inTurn = twoAtATime();

  const readPolicy = async (): Promise<Policy & Pick<Access, "content">> => {
    const { realm, rules, users, tokens } = await readJsonFile(file, accessFileSchema);
    const keys = keyFile === undefined ? [] : await readKeys(keyFile);
    const challenges = challengesOf(realm, users.length > 0);
    const holders = holdersOf({ users }, keys, now);
    const ways = [bySession(holders), byKey(keys, challenges, limit, now)];
    if (tokens !== undefined) {
      const { tokenCheck } = await import("./ways/tokens.ts");
      ways.push(byToken(await tokenCheck(tokens, file, now, elapsed), challenges, limit));
    }
    ways.push(byPassword(passwordCheck(users, inTurn, elapsed), challenges, limit));
    const policy = accessPolicy({
      schemes: securitySchemes({ bearer: keyFile !== undefined || tokens !== undefined, basic: users.length > 0 }),
      rules,
      identify: eitherWay(ways, challenges, limit),
      challenges,
      onDenial,
      holders,
    });
    return { ...policy, content: { rules, users, tokens, keys } };
  };

  let policy = await readPolicy();
  let reloads = 0;
  const files: AnswerSource = { revision: () => reloads };
  let lastReload: Promise<void> = Promise.resolve();
  const guard = access((request) => {
    repeatable.dependsOn(request, files);
    return policy.decide(request);
  });
  const withSession = opening(sessions);
  return {
    filter: {
      ...guard,
      repeatable: true,
      apply: (request, next) => withSession(request, (opened) => guard.apply(opened, next)),
      describes: (sample) =>
        policy.isOpen(sample.path, sample.method)
          ? sample.path === frontPath
            ? ofFrontPath
            : ofOpenPath
          : (guard.describes as Description), // the same of every request
      may: (request, method, path) => policy.may(request, method, path),
      async readmit(request) {
        const decision = await policy.decide(request);
        if (decision.kind !== "allowed") return undefined;
        return decision.caller === undefined ? request : request.withAttribute(caller, decision.caller);
      },
      signIn: {
        judge: (request, authorization) => policy.signIn(request, authorization),
        sessions,
        ways: () => [
          ...(policy.content.users.length > 0 ? (["password"] as const) : []),
          ...(policy.content.keys.length > 0 ? (["key"] as const) : []),
        ],
      },
      security: () => policy.security,
    },
    get content() {
      return policy.content;
    },
    isOpen: (path) => policy.isOpen(path),
    reload() {
      // One after the other, so that the last content that was read applies.
      const reload = lastReload.then(async () => {
        policy = await readPolicy();
        reloads++;
      });
      lastReload = reload.catch(() => undefined);
      return reload;
    },
  };
}

/** Credentials are not looked at where anyone may, but two fields of them are refused everywhere. */
const ofOpenPath: Description = {
  open: "a rule of the access file lets in anyone, or nobody could sign in without it",
  problems: [problemTypes.ambiguousCredentials],
};

/** Whoever sends credentials asks whether they are good. */
const ofFrontPath: Description = {
  open: "it says who asks",
  responses: {
    401: {
      description: "The credentials are not good here.",
      headers: { "WWW-Authenticate": { description: "How to authenticate (RFC 9110 §11.6.1)." } },
    },
  },
  problems: [problemTypes.ambiguousCredentials, problemTypes.tooManyAttempts, problemTypes.accessUndecided],
};

/** Describes the credentials that are accepted. */
function securitySchemes({
  bearer,
  basic,
}: Readonly<Record<"bearer" | "basic", boolean>>): openApi.Security["schemes"] {
  return {
    ...(bearer && { bearer: { type: "http", scheme: "bearer", description: "An API key, or a JSON Web Token." } }),
    ...(basic && { basic: { type: "http", scheme: "basic", description: "A name and a password." } }),
  };
}
