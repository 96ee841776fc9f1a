import { collection, openSqliteStore, type Store, xmlDecoder } from "@waymark/collection";
import {
  type App,
  type AroundFilter,
  type CorsPolicy,
  compress,
  cors,
  jsonDecoder,
  ok,
  type RouterOptions,
  router,
} from "waymark";
import { nodeCodings } from "waymark/node";
import { personSchema } from "./person.ts";
import { greetingRoutes, personRoutes, problemRoutes } from "./routes.ts";

export interface PersonServiceOptions extends Pick<RouterOptions, "filters" | "onFault"> {
  /** The path of the SQLite file, made if it is missing; or `:memory:`. */
  readonly database: string;
  /** Which pages of other origins may use the service, before all filters. Default: none. */
  readonly cors?: CorsPolicy;
  /** Who gets in, after `cors` and before all other filters: that of `openAccess`. Default: everybody. */
  readonly access?: AroundFilter | undefined;
  /** The clock, for times and for birth dates. */
  readonly now?: () => Date;
}

/** The service without a listener: `serve(service.app)` from `waymark/node` gives it one. */
export interface PersonService {
  readonly app: App;
  readonly people: Store;
}

/**
 * Opens the database and puts the routes on it.
 *
 * @throws StoreOpenError when the database cannot be opened; the message says what to do
 * @throws CorsMistakes when the policy has some
 */
export function openPersonService(options: PersonServiceOptions): PersonService {
  const { database, now = () => new Date(), cors: policy, access, filters = [], ...routing } = options;
  // First, since it may throw, and the store must not stay open.
  const corsFilters = policy === undefined ? [] : [cors(policy)];
  const accessFilters = access === undefined ? [] : [access];
  const webFilters = [...corsFilters, ...accessFilters, compress({ codings: nodeCodings }), ...filters];
  const store = openSqliteStore({ file: database, collection: "person", unique: ["identifier"], now });
  const people = collection({
    path: "/person",
    store,
    schema: personSchema(now),
    decoders: [jsonDecoder, xmlDecoder({ root: "person", integers: ["id"] })],
    // Where collections answer 201, /person answers 200; the client learns the id all the same.
    created: (_record, location) => ok().withHeader("Location", location),
  });
  const app = router(
    { ...routing, filters: webFilters, codings: nodeCodings, strict: true },
    personRoutes(people),
    greetingRoutes,
    problemRoutes,
  );
  return { app, people: store };
}
