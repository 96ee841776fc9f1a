import { existsSync } from "node:fs";
import type { Database } from "@waymark/collection";
import { isReadableByOthers, kindOf } from "@waymark/collection/internal";
import type { App } from "waymark";
import { wording } from "waymark/internal";
import { pathMatcher } from "waymark/routing";
import type { AccessContent } from "../../access/access.ts";
import type { AccessRule } from "../../access/files/access-file.ts";
import { isLoopback } from "../../access/host-names.ts";
import type { Log } from "../../log/log.ts";
import type { Options } from "../settings/options.ts";
import { defaultKeysFile } from "../settings/settings.ts";
import { didYouMean } from "../settings/sources.ts";

type Route = Pick<App["routes"][number], "path" | "methods">;

/** Warns of a database file that others on the machine may read: one that was made before the service keeps its mode. */
export function warnOfReaders(address: string, log: Log): void {
  const file = kindOf(address).fileOf(address);
  if (file === undefined || !isReadableByOthers(file)) return;
  const message = `every user of this machine may read ${wording.quote(file)}; take that away with: chmod o-r ${file}*`;
  log.write("warn", "readable-by-others", message, { database: address });
}

/** Warns of a service on a hosting platform, which gave it the port, that listens where no other machine reaches it. */
export function warnOfLoopback({ platformVariables, host, port }: Options, log: Log): void {
  if (!platformVariables.includes("PORT") || !isLoopback(host)) return;
  const remedy = "on a hosting platform, give --host 0.0.0.0 and --access FILE";
  log.write(
    "warn",
    "loopback",
    `the port ${port} is from PORT, and only this machine can reach ${wording.quote(host)}: ${remedy}`,
  );
}

/** Warns of a service that lets everybody in for any name of a host: so does a web page that has the service's address. */
export function warnOfAnyHost({ access, hostNames }: Options, log: Log): void {
  if (access !== undefined || hostNames !== undefined) return;
  const remedy = "add --host-name for each name that the service has";
  log.write("warn", "any-host", `with --open, web pages can use the service by a host name of their own: ${remedy}`);
}

/** Warns of members of a database that the settings do not have. */
export function warnOfForgotten(members: readonly string[], log: Log): void {
  const message = `the settings do not have ${members.join(", ")} any more: people keep the values, and lists cannot be filtered by them`;
  log.write("warn", "forgotten-members", message);
}

/** Warns of indexes that no version of the service uses any more. */
export async function warnOfUnusedIndexes(database: Database, log: Log): Promise<void> {
  const unused = await database.unusedIndexes().catch(() => []); // what is wrong with the database is said elsewhere
  if (unused.length === 0) return;
  log.write("warn", "unused-indexes", `no version uses ${unused.join(", ")} any more: drop-indexes drops them`);
}

/** Warns of what has no effect in the files of access. */
export function warnOfAccess(
  content: AccessContent,
  files: readonly string[],
  routes: readonly Route[],
  log: Log,
): void {
  for (const warning of accessWarnings(content, routes)) {
    log.write("warn", "unused", `${files.join(", ")}: ${warning}`);
  }
}

/** Warns of a file of keys that nothing reads, and of secrets that other users of the machine can see. */
export function warnOfIdleFiles({ access, keys, sessionKey, hasVisiblePassword }: Options, log: Log): void {
  if (sessionKey !== undefined && isReadableByOthers(sessionKey)) {
    const message = `every user of this machine may read ${wording.quote(sessionKey)}, and sign in as anybody; take that away with: chmod 600 ${sessionKey}`;
    log.write("warn", "readable-by-others", message);
  }
  if (access !== undefined && keys === undefined && existsSync(defaultKeysFile)) {
    log.write("warn", "unused", `${defaultKeysFile} has keys that are not used: add --keys ${defaultKeysFile}`);
  }
  if (hasVisiblePassword) {
    const remedy = "use --database-file, PGPASSFILE or PGPASSWORD";
    log.write("warn", "visible-password", `other users of this machine can read the password in --database: ${remedy}`);
  }
}

/** Returns what has no effect in an access file: rules for what no route has, and scopes that nobody has or needs. */
export function accessWarnings(content: AccessContent, routes: readonly Route[]): readonly string[] {
  return [
    ...content.rules.flatMap((rule, i) => warningsOfRule(rule, `rules[${i}]`, routes)),
    ...warningsOfScopes(content),
  ];
}

function warningsOfRule(rule: AccessRule, name: string, routes: readonly Route[]): readonly string[] {
  const matching = routes.filter(({ path }) => meet(rule.path, path));
  if (matching.length === 0) {
    const wildcard = /\/(?:\*+|\{\*\w*\})$/.exec(rule.path)?.[0] ?? "";
    const paths = [...new Set(routes.map(({ path }) => path))];
    const meant = didYouMean(rule.path.slice(0, rule.path.length - wildcard.length), paths, (path) => path + wildcard);
    return [`${name} has the path ${wording.quote(rule.path)}, which no route has.${meant}`];
  }
  if (rule.methods === undefined || matching.some(({ methods }) => methods === undefined)) return [];
  // These come with other methods.
  const taken = ["HEAD", "OPTIONS", ...new Set(matching.flatMap(({ methods = [] }) => methods))];
  return rule.methods
    .filter((method) => !taken.includes(method))
    .map((method) => {
      const place = `which no route of ${wording.quote(rule.path)} has`;
      return `${name} has the method ${wording.quote(method)}, ${place}.${didYouMean(method, taken)}`;
    });
}

/** Returns whether some path is one of both templates: an example of one is a path of the other. */
function meet(one: string, other: string): boolean {
  const [isOfOne, isOfOther] = [pathMatcher(one), pathMatcher(other)];
  return examplesOf(other).some(isOfOne) || examplesOf(one).some(isOfOther);
}

const examplesOf = (template: string): readonly string[] =>
  ["1", "a"].map((text) => template.replace(/\{(?:[^{}]|\{[^{}]*\})*\}|\*+|\?/g, text));

function warningsOfScopes({ rules, users, keys, tokens }: AccessContent): readonly string[] {
  const holders = [
    ...users.map(({ name, scopes }) => ({ holder: `the user ${wording.quote(name)}`, scopes })),
    ...keys.map(({ name, scopes }) => ({ holder: `the key ${wording.quote(name)}`, scopes })),
  ];
  if (holders.length === 0) {
    const isNeeded = tokens === undefined && rules.some(({ scopes }) => scopes !== undefined);
    return isNeeded
      ? ["Nobody has credentials for the rules: there are no users, no tokens and no keys (--keys)."]
      : [];
  }
  const required = new Set(rules.flatMap(({ scopes = [] }) => scopes));
  const held = new Set(holders.flatMap(({ scopes }) => scopes));
  const idle = holders.flatMap(({ holder, scopes }) =>
    scopes
      .filter((scope) => !required.has(scope))
      .map((scope) => `No rule has the scope ${wording.quote(scope)} of ${holder}.${didYouMean(scope, [...required])}`),
  );
  // A token may have any scope: then only what looks like a slip is worth a word.
  const unmet = [...required].filter((scope) => !held.has(scope));
  const suspicious = unmet.filter(
    (scope) => tokens === undefined || wording.nearestName(scope, [...held]) !== undefined,
  );
  return [
    ...idle,
    ...suspicious.map(
      (scope) => `Nobody has the scope ${wording.quote(scope)} of the rules.${didYouMean(scope, [...held])}`,
    ),
  ];
}
