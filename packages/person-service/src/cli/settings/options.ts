import { cors } from "waymark/filters";
import { isLoopback, nameIn } from "../../access/host-names.ts";
import { type MemberList, ourMembers } from "../../person/members/member-list.ts";
import { faultInCors } from "./schemas.ts";
import { quotedArgument, type Setting } from "./setting.ts";
import { type ServiceSettings, settings } from "./settings.ts";

/** Returns where the value of a setting is from, such as `--port` or `PERSON_SERVICE_PORT`; undefined for a default. */
export type SourceOf = (name: keyof ServiceSettings) => string | undefined;

/** What `serve` works with: the settings, and what follows from them. */
export interface Options extends Omit<ServiceSettings, "cors"> {
  readonly members: MemberList;
  /** The most bytes of answers that are kept in memory, of each process. */
  readonly answerMemory: number;
  /** Whether the command line has the password of the database. */
  readonly hasVisiblePassword: boolean;
  /** The variables of a hosting platform that gave a setting: `PORT`, `DATABASE_URL`. */
  readonly platformVariables: readonly string[];
  /** The hosts that are served; undefined for all. */
  readonly hostNames: readonly string[] | undefined;
  /** Which pages of other origins may use the service, and how; undefined where none may. */
  readonly cors: cors.Policy | undefined;
  /** Where the certificate and the key for TLS are; undefined without. */
  readonly tls: TlsFiles | undefined;
}

/** The paths of the certificate and its key, both PEM. */
export interface TlsFiles {
  /** The certificate and its intermediate certificates. */
  readonly cert: string;
  readonly key: string;
}

/** Returns what the service works with. */
export function toOptions(given: ServiceSettings, sourceOf: SourceOf): Options {
  const { tlsCert: cert, tlsKey: key, members = ourMembers, database } = given;
  return {
    ...given,
    members,
    answerMemory: given.answerMemory * 2 ** 20,
    hasVisiblePassword: sourceOf("database") === "--database" && hasPassword.test(database),
    platformVariables: Object.entries<Setting<unknown>>(settings).flatMap(
      ([name, { platform }]) =>
        platform !== undefined && sourceOf(name as keyof ServiceSettings) === platform ? platform : [], // a key of it
    ),
    hostNames: hostNamesOf(given),
    cors: corsOf(given),
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
  };
}

const hasPassword = /:\/\/[^/@]*:[^/@]+@|[?&]password=/;

function corsOf({ cors: origins, corsHeader, corsCredentials: credentials }: ServiceSettings): cors.Policy | undefined {
  if (origins.length === 0) return undefined;
  return { origins, requestHeaders: [...cors.defaults.requestHeaders, ...corsHeader], credentials };
}

/** A browser has no credentials for a page that is not the service's, so with an access file other hosts need no refusal. */
function hostNamesOf({ hostName, access, publicUrl, open }: ServiceSettings): readonly string[] | undefined {
  if (hostName.length > 0) return hostName;
  if (access !== undefined) return undefined;
  if (publicUrl !== undefined) return [nameIn(new URL(publicUrl).host)];
  return open ? undefined : [];
}

/** Returns what is wrong with a combination of settings, in a sentence. */
export function faultInOptions(options: Options, sourceOf: SourceOf): string | undefined {
  const { tlsCert, tlsKey, webhooks, members, admin, port, host, cors } = options;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    return tlsKey === undefined ? "--tls-cert needs --tls-key." : "--tls-key needs --tls-cert.";
  }
  const repeated = webhooks.find(({ url }, i) => webhooks.findIndex((other) => other.url === url) < i);
  if (repeated !== undefined) return `${sourceOf("webhooks")} has a URL of ${new URL(repeated.url).host} twice.`;
  const unknown = webhooks.flatMap(({ fields = [] }) => fields).find((name) => !members.names.includes(name));
  if (unknown !== undefined)
    return `${sourceOf("webhooks")} has the field ${quotedArgument(unknown)}, which is not a member of a person.`;
  if (admin !== undefined && admin.port === port && port !== 0 && admin.host === host) {
    return `--admin must be another port than --port, which is ${port}.`;
  }
  if (cors === undefined) {
    const alone = (["corsCredentials", "corsHeader"] as const).find((name) => sourceOf(name) !== undefined);
    if (alone !== undefined) return `${sourceOf(alone)} needs --cors ORIGIN: the pages that it is for.`;
  }
  const fault = cors === undefined ? undefined : faultInCors(cors);
  return fault === undefined ? faultInExposure(options) : `${sourceOf("cors")} ${fault}.`;
}

/** Returns what is wrong with the choice of clients: an access file, --open, or this machine only. */
function faultInExposure({ host, access, keys, sessionKey, open }: Options): string | undefined {
  if (access !== undefined) {
    return open ? "--open lets everybody in, and --access does not: leave one of them out." : undefined;
  }
  if (keys !== undefined) return "--keys needs --access FILE: the rules that say what a key may do.";
  if (sessionKey !== undefined) return "--session-key needs --access FILE: without it nobody signs in.";
  if (open || isLoopback(host)) return undefined;
  return `--host ${quotedArgument(host)} lets other machines in: add --access FILE, the rules that say who may do what, or --open to let everybody in.`;
}
