import {
  type BulkLimits,
  type CollectionDefinition,
  type CollectionHandlers,
  collection,
  type Database,
  type DatabaseOptions,
  openDatabase,
  type Store,
  xmlDecoder,
} from "@waymark/collection";
import { toBulkSettings } from "@waymark/collection/internal";
import { nodeCodings, observeRequests } from "@waymark/node";
import { type App, type Filter, type HttpRequest, ok, type RouterOptions, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import {
  compress,
  cors,
  describeProblems,
  nameRequests,
  noStoreErrors,
  overload,
  publicUrl,
  rateLimit,
  refuseCrossSite,
  securityHeaders,
} from "waymark/filters";
import { wording } from "waymark/internal";
import type { AccessFilter } from "./access/access.ts";
import { isAsset, onlyForHosts, parseHostName } from "./access/host-names.ts";
import { sessionRoutes } from "./access/session-routes.ts";
import { apiRoute } from "./api/routes.ts";
import type { Brand } from "./brand.ts";
import { frontRoute } from "./front/front.ts";
import { aboutPeople } from "./front/routes.ts";
import { healthRoutes, isHealthCheck } from "./health.ts";
import { joinObservers, type ServiceObserver } from "./observer.ts";
import { fileRoutes } from "./page/files.ts";
import { peoplePage, storeNoSessionPages } from "./page/page.ts";
import { javaWithoutAccept, problemPages } from "./page/problems.ts";
import { vcardDecoder } from "./person/cards/vcard-reader.ts";
import {
  personCollection,
  personCollectionOf,
  personForms,
  personListDecoders,
  personMatching,
  personNouns,
  personRepresentationsOf,
} from "./person/collection.ts";
import { type MemberList, ourMembers } from "./person/members/member-list.ts";
import type { Person } from "./person/members/person.ts";
import { personSchemas } from "./person/schema.ts";
import { greetingRoutes, personRoutes, problemRoutes } from "./routes.ts";
import type { Site } from "./site.ts";
import { peopleFileDecoder } from "./transfer/file-decoder.ts";

/** The options of `openPersonService`. */
export interface PersonServiceOptions
  extends Pick<RouterOptions, "filters" | "onFault" | "checkAnswers">,
    Pick<DatabaseOptions, "onForgotten"> {
  /**
   * The path of the SQLite file, made if it is missing; `:memory:`; the URL of a PostgreSQL database; or a database with the
   * `personCollection`, already open.
   */
  readonly database: string | Database;
  /** Collections of the database beside that of the people. Default: none. */
  readonly collections?: readonly CollectionDefinition[];
  /** The members that people may have, with those of the service's own: `membersOf`. Default: no others than ours. */
  readonly members?: MemberList;
  /** The origins whose pages may use the service. Default: none. */
  readonly cors?: cors.Policy | undefined;
  /** Decides which requests are let in: the filter of `openAccess`. Default: all. */
  readonly access?: (Filter & Partial<Pick<AccessFilter, "may" | "readmit" | "security" | "signIn">>) | undefined;
  /**
   * The names or addresses, without a port, of the hosts that requests may be for, besides the loopback names of this machine; those
   * for other hosts get 421. Default: any host.
   */
  readonly hostNames?: readonly string[] | undefined;
  /** The most requests of each client in a window, without health checks. Default: no limit. */
  readonly rateLimit?: Pick<Parameters<typeof rateLimit>[0], "limit" | "window"> | undefined;
  /**
   * The longest that requests may wait for the processor, in milliseconds; above it some are refused, but no health checks.
   * Default: 250.
   */
  readonly maxDelay?: number | undefined;
  /** The most requests in progress at once, without health checks. Default: no limit. */
  readonly maxInFlight?: number | undefined;
  /** The limits of requests with many people. Default: those of a collection. */
  readonly bulk?: BulkLimits | undefined;
  /** What makes the pages somebody's own. Default: nothing. */
  readonly brand?: Brand | undefined;
  /** Whether requests arrive over TLS: browsers then stay with https. Default: as `request.client` says. */
  readonly https?: NonNullable<Parameters<typeof securityHeaders>[0]>["https"];
  /** Where clients reach the service, for its links: see `publicUrl` of waymark. Default: links are paths. */
  readonly publicUrl?: string | undefined;
  /** Receive what the service does. A `database` that is open already has an observer of its own. */
  readonly observers?: readonly ServiceObserver[];
  /** Returns false while the service is about to stop, so that requests go elsewhere. Default: always true. */
  readonly isReady?: () => boolean;
  /** The clock, for times and for birth dates. */
  readonly now?: () => Date;
}

/** The service without a listener; `serve(service.app)` of `@waymark/node` adds one. */
export interface PersonService {
  readonly app: App;
  readonly people: Store;
  readonly database: Database;
  /** Returns how many follow the changes of people in this process, and how far behind they are. */
  readonly followers: CollectionHandlers<Person>["followers"];
}

/**
 * Opens the database and puts the routes on it.
 *
 * @throws StoreOpenError (rejects) when the database cannot be opened; the message says what to do
 * @throws cors.PolicyError (rejects) when the policy for other origins has a fault
 * @throws TypeError (rejects) when the public URL or the name of a host is not one
 */
export async function openPersonService(options: PersonServiceOptions): Promise<PersonService> {
  const { database: address, now = () => new Date(), access, brand = {}, observers = [] } = options;
  const { members = ourMembers } = options;
  const { maxBytes } = toBulkSettings(options.bulk ?? {});
  const may = access?.may ?? (() => true);
  const { signIn } = access ?? {};
  const site: Site = {
    may,
    brand,
    signsIn: signIn !== undefined,
    signInWays: signIn?.ways ?? (() => []),
    mostBytes: maxBytes,
    members,
  };
  const observer = joinObservers(observers);
  // Before the database is opened: a faulty policy or URL must leave no new file behind.
  const filters = filtersOf(options, observer, site);
  const collections = [personCollectionOf(members), ...(options.collections ?? [])];
  const database =
    typeof address === "string"
      ? await openDatabase(address, {
          collections,
          now,
          observer,
          onForgotten: options.onForgotten,
        })
      : address;
  try {
    const complete: Complete = { ...options, now, filters };
    const people = database.store(personCollection.name);
    const handlers = peopleOf(complete, site, people);
    return { app: appOf(complete, site, database, handlers), people, database, followers: handlers.followers };
  } catch (error) {
    // One that the caller has opened is the caller's to close.
    if (typeof address === "string") await database.close();
    throw error;
  }
}

/** The options, with the filters of the service around those that were given. */
type Complete = PersonServiceOptions & Required<Pick<PersonServiceOptions, "now" | "filters">>;

function appOf(options: Complete, site: Site, database: Database, people: CollectionHandlers<Person>): App {
  const { access, publicUrl, filters, onFault, checkAnswers = false, isReady = () => true } = options;
  const app: App = router(
    { ...(onFault !== undefined && { onFault }), checkAnswers, filters, codings: nodeCodings, strict: true },
    personRoutes(people),
    aboutPeople(site, database.store(personCollection.name)),
    frontRoute(site),
    fileRoutes(site.brand),
    ...(access?.signIn === undefined ? [] : [sessionRoutes(access.signIn)]),
    greetingRoutes,
    problemRoutes,
    healthRoutes({ check: () => database.check(), isReady }),
    apiRoute({ app: () => app, publicUrl, security: access?.security }),
  );
  return app;
}

function peopleOf({ now, bulk, access }: Complete, site: Site, store: Store): CollectionHandlers<Person> {
  const { members } = site;
  const may = access?.may;
  return collection({
    store,
    ...personSchemas(now, members),
    decoders: [jsonDecoder, xmlDecoder({ root: "person", ...personForms(members) }), vcardDecoder(members)],
    listDecoders: [...personListDecoders(members), peopleFileDecoder(members)],
    bulk,
    representations: [...personRepresentationsOf(members), peoplePage(site)],
    mayRead: may && ((request, path) => may(request, "GET", path)),
    mayChange: may,
    matching: personMatching,
    readmit: access?.readmit,
    nouns: personNouns,
    // Collections answer 201, but /person answers 200; the client gets the id from Location.
    created: (_record, location) => ok().withHeader("Location", location),
  });
}

/**
 * Makes the filters, the outermost first. Every response has an id, security fields and CORS fields, also a refusal by an inner
 * filter. CORS answers pre-flights, which need no access. Problems are described before they are compressed. Quotas are checked before credentials.
 */
function filtersOf(
  options: PersonServiceOptions,
  observer: ServiceObserver,
  site: Site,
): NonNullable<RouterOptions["filters"]> {
  const { cors: policy, rateLimit: quota, publicUrl: url, https } = options;
  const { maxDelay, maxInFlight, access, hostNames, observers = [], filters = [] } = options;
  const { onTurnedAway } = observer;
  const all = [
    ...observers.map(({ outerFilter }) => outerFilter),
    observer.onStart === undefined && observer.onEnd === undefined ? undefined : observeRequests(observer),
    nameRequests(),
    javaWithoutAccept(),
    url === undefined ? undefined : publicUrl(url),
    securityHeaders({ https }),
    noStoreErrors(),
    policy && cors(policy),
    compress({ codings: nodeCodings }),
    site.signsIn ? storeNoSessionPages : undefined,
    problemPages(site),
    describeProblems(),
    overload({ maxDelay, maxInFlight, onTurnedAway, except: isAlwaysServed }),
    quota &&
      rateLimit({ ...quota, except: isAlwaysServed, repeatable: true, onTurnedAway: () => onTurnedAway?.("quota") }),
    refuseCrossSite({ except: policy }),
    hostNames && onlyForHosts(hostNames.map(requireHostName)),
    access,
    ...observers.flatMap(({ filters: ofObserver = [] }) => ofObserver),
    ...filters,
  ];
  return all.filter((filter) => filter !== undefined);
}

/** What the pages load is in memory, and without it a refusal would have no face. */
const isAlwaysServed = (request: HttpRequest): boolean => isHealthCheck(request) || isAsset(request.path);

function requireHostName(text: string): string {
  const name = parseHostName(text);
  if (name === undefined)
    throw new TypeError(`hostNames has ${wording.quote(text)}, which is not a name or an address`);
  return name;
}
