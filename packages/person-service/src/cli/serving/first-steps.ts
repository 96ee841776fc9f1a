import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { Access } from "../../access/access.ts";
import type { TlsFiles } from "../settings/options.ts";
import { quotedForShell } from "../settings/setting.ts";
import { countPeople } from "../terminal/streams.ts";

/** A service that listens, as its first lines describe it. */
export interface StartedService {
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly publicUrl: string | undefined;
  /** The address of the database, without a password. */
  readonly database: string;
  /** The variable of a hosting platform that gave this address. */
  readonly databaseVariable: string | undefined;
  readonly readOnly: boolean;
  /** How many people there are; undefined where they could not be counted soon. */
  readonly people: number | undefined;
  /** The id of the first of them; undefined where there is nobody. */
  readonly firstId: number | undefined;
  readonly access: { readonly rules: Access; readonly files: readonly string[] } | undefined;
  readonly tls: { readonly files: TlsFiles; readonly cert: string | Buffer } | undefined;
}

/** Returns the lines that a service prints when it listens. The last one is a command that it answers with 200. */
export function firstSteps(service: StartedService): readonly string[] {
  const { url, publicUrl, database, databaseVariable, readOnly, people, access } = service;
  const counted = people === undefined ? "people not counted within a second" : countPeople(people);
  const from = databaseVariable === undefined ? "" : `, from ${databaseVariable}`;
  return [
    `listening on ${url}`,
    ...(publicUrl === undefined ? [] : [`links begin with ${publicUrl}`]),
    `database: ${database} (${counted}${readOnly ? ", read-only" : ""})${from}`,
    ...(access === undefined ? [] : [`access: ${summaryOf(access.rules)} (${access.files.join(", ")})`]),
    ...hints(service),
  ];
}

function summaryOf({ content: { rules, keys, users, tokens } }: Access): string {
  const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;
  const parts = [counted(rules.length, "rule"), counted(keys.length, "key"), counted(users.length, "user")];
  return [...parts, ...(tokens === undefined ? [] : [`tokens of ${tokens.issuer}`])].join(", ");
}

function hints(service: StartedService): readonly string[] {
  const { firstId, readOnly, access } = service;
  const curl = curlFor(service);
  const person = firstId === undefined ? "/person" : `/person/${firstId}`;
  const open = access === undefined ? person : [person, "/person", "/hello-world"].find(access.rules.isOpen);
  if (access === undefined && firstId === undefined && !readOnly) {
    const ada = `-H 'Content-Type: application/json' -d '{"name":"Ada Lovelace"}'`;
    return ["empty: store a person as below, or start with --demo for 537 people", `try: ${curl("/person", ada)}`];
  }
  const credentials = access === undefined || open === person ? undefined : credentialsFor(access.rules);
  const signedIn = credentials === undefined ? [] : [`with credentials: ${curl(person, credentials)}`];
  return [...signedIn, `try: ${curl(open ?? "/health/live")}`];
}

function credentialsFor({ content: { keys, users, tokens } }: Access): string | undefined {
  if (keys.length > 0) return "-H 'Authorization: Bearer KEY'";
  const [user] = users;
  if (user !== undefined) return `--user ${quotedForShell(user.name)}`;
  return tokens === undefined ? undefined : "-H 'Authorization: Bearer TOKEN'";
}

/** Returns a function that makes the command line of curl for a path of the service. */
function curlFor({ url, tls }: StartedService): (path: string, options?: string) => string {
  const { protocol, hostname, port: other } = new URL(url);
  const port = other === "" ? (protocol === "https:" ? 443 : 80) : other; // --resolve needs it
  // A client cannot connect to "any address" everywhere, and no certificate has it.
  const host = hostname === "0.0.0.0" || hostname === "[::]" ? "127.0.0.1" : hostname;
  const name = tls === undefined ? host : nameFor(new X509Certificate(tls.cert), host.replace(/[[\]]/g, ""));
  const options = tls === undefined ? [] : optionsFor(tls.files, new X509Certificate(tls.cert));
  if (name !== host) options.push(`--resolve ${name}:${port}:${host}`);
  return (path, more) =>
    ["curl", ...options, ...(more === undefined ? [] : [more]), `${protocol}//${name}:${port}${path}`].join(" ");
}

/** curl knows no self-signed certificate. */
const optionsFor = ({ cert }: TlsFiles, certificate: X509Certificate): string[] =>
  certificate.checkIssued(certificate) ? [`--cacert ${quotedForShell(cert)}`] : [];

/** Returns a name that the certificate is for: the host where it is one of them. */
function nameFor(certificate: X509Certificate, host: string): string {
  const isFor = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  if (isFor !== undefined) return isIP(host) === 6 ? `[${host}]` : host;
  return /DNS:([\w*.-]+)/.exec(certificate.subjectAltName ?? "")?.[1]?.replace("*", "www") ?? host;
}
