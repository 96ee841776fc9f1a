import { randomBytes } from "node:crypto";
import { type AnswerSource, dependsOn, type Filter, type HttpRequest, problemTypes } from "waymark";
import { access, caller } from "waymark/filters";
import { type Description, docsOfFilter, type SecurityOptions } from "waymark/openapi";
import { type AccessFile, type AccessRule, accessFileSchema } from "./access-file.ts";
import { type AccessDenial, accessThrottles, challengesOf, identifier } from "./identify.ts";
import { readJsonFile } from "./json-file.ts";
import { readKeys, type StoredKey } from "./key-file.ts";
import { passwordCheck } from "./password-check.ts";
import { accessPolicy, frontPath, type Policy, sealedIn } from "./policy.ts";
import { exceptPublicPaths } from "./public-paths.ts";
import { holdersOf, sealedSessions } from "./sessions.ts";
import { signInQueue } from "./sign-in-queue.ts";

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
  /** A clock that only goes forward, in milliseconds: for throttles and for remembered passwords. */
  readonly elapsed?: () => number;
  /** The key that seals session cookies: 32 random bytes, the same in all processes. Default: a random key for each process. */
  readonly sessionKey?: Uint8Array | undefined;
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
  readonly security: () => SecurityOptions;
}

/** Begins and ends the sessions of browsers. */
export interface SignIn extends Pick<Policy, "begin"> {
  /** Ends the session of the request, if it has one. */
  end(request: HttpRequest<unknown>): Promise<void>;
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
  const sessions = sealedSessions(options.sessionKey ?? randomBytes(32), now);
  // Reloads keep the counters.
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
  let reloads = 0;
  const files: AnswerSource = { revision: () => reloads };
  let lastReload: Promise<void> = Promise.resolve();
  const guard = access((request) => {
    dependsOn(request, files);
    return policy.decide(request);
  });
  return {
    filter: {
      ...exceptPublicPaths({
        ...guard,
        repeatable: true,
        describes: (sample) =>
          !policy.isOpen(sample.path, sample.method)
            ? docsOfFilter(guard, sample)
            : sample.path === frontPath
              ? ofFrontPath
              : ofOpenPath,
      }),
      may: (request, method, path) => policy.may(request, method, path),
      async readmit(request) {
        const decision = await policy.decide(request);
        if (decision.kind !== "allowed") return undefined;
        return decision.caller === undefined ? request : request.withAttribute(caller, decision.caller);
      },
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

const open = "a rule of the access file lets in anyone";

/** Credentials are not looked at where anyone may, but two fields of them are refused everywhere. */
const ofOpenPath: Description = { open, problems: [problemTypes.ambiguousCredentials] };

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

/** Applies after all rules of the file: monitors have no credentials, and health says nothing about people. */
const healthRule: AccessRule = { methods: ["GET"], path: "/health/{check:live|ready}", anyone: true };

/** Describes the credentials that are accepted. */
function securitySchemes({ bearer, basic }: Readonly<Record<"bearer" | "basic", boolean>>): SecurityOptions["schemes"] {
  return {
    ...(bearer && { bearer: { type: "http", scheme: "bearer", description: "An API key, or a JSON Web Token." } }),
    ...(basic && { basic: { type: "http", scheme: "basic", description: "A name and a password." } }),
  };
}
