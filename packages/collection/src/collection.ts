import {
  type Awaitable,
  created as createdAt,
  type Decoder,
  HeaderList,
  type HttpRequest,
  HttpResponse,
  notFound,
  problem,
  type StandardSchemaV1,
  toPointer,
} from "waymark";
import { begin } from "./begun-iteration.ts";
import { excerpt } from "./excerpt.ts";
import { jsonArray } from "./json-array.ts";
import { collectionProblemTypes } from "./problem-types.ts";
import { type Document, type Store, type StoredRecord, StoreUnavailable } from "./store.ts";

export interface CollectionOptions<T extends Document> {
  /** The path of the collection, without a trailing slash: a record's Location is this, `/` and its id. */
  readonly path: string;
  readonly store: Store;
  /** What a client may send as a record. */
  readonly schema: StandardSchemaV1<unknown, T>;
  /** The formats in which a client may send it. */
  readonly decoders: readonly Decoder[];
  /** The answer once a record is stored; unless told, 201 with the Location (RFC 9110 §15.3.2). */
  readonly created?: (record: StoredRecord, location: string) => HttpResponse;
}

/** The handlers of a collection, to be put on routes. */
export interface CollectionHandlers<T extends Document> {
  /** Type only: what a record says. */
  readonly type?: T;
  /** One record as JSON; 404 without content when nobody has the id, 400 when it is not an integer. */
  readonly read: (request: HttpRequest<{ readonly id: string }>) => Awaitable<HttpResponse>;
  /** Every record in one JSON array, by ascending id, streamed. */
  readonly list: (request: HttpRequest<unknown>) => Promise<HttpResponse>;
  /** Stores the record that is sent; 400 when it is not one, 409 when a value in it may occur once and does already. */
  readonly create: (request: HttpRequest<unknown>) => Promise<HttpResponse>;
}

/**
 * A REST collection over a store. Where the store cannot be used, each handler answers 503 with Retry-After.
 *
 * ```ts
 * const people = collection({ path: "/person", store, schema: personSchema, decoders: [jsonDecoder] });
 * group("/person", GET("/{id}", people.read), GET(people.list), POST(people.create));
 * ```
 */
export function collection<T extends Document>(options: CollectionOptions<T>): CollectionHandlers<T> {
  const { path, store, schema, decoders, created = (_record, location) => createdAt(location) } = options;
  return {
    read({ variables: { id } }) {
      if (!integerPattern.test(id)) return invalidId(id);
      try {
        const record = store.find(Number(id));
        return record instanceof Promise ? record.then(toResponse, toRefusal) : toResponse(record);
      } catch (error) {
        return toRefusal(error);
      }
    },

    async list() {
      try {
        return new HttpResponse(200, jsonFields, await begin(jsonArray(store.list())));
      } catch (error) {
        return toRefusal(error);
      }
    },

    async create(request) {
      const document = await request.body(schema, { decoders });
      try {
        const creation = await store.create(document);
        if (creation.kind === "conflict") return conflict(creation.member);
        return created(creation.record, `${path}/${creation.record.id}`);
      } catch (error) {
        return toRefusal(error);
      }
    },
  };
}

/** Canonical decimal form, so that each record has one path. */
const integerPattern = /^(?:0|-?[1-9][0-9]*)$/;

const jsonFields = HeaderList.of({ "Content-Type": "application/json" });

const toResponse = (record: StoredRecord | undefined): HttpResponse =>
  record === undefined ? notFound() : new HttpResponse(200, jsonFields, record.json);

function invalidId(id: string): HttpResponse {
  const detail = `${excerpt(id)} is not an integer in decimal digits, such as 7.`;
  return problem(collectionProblemTypes.invalidId, { detail });
}

function conflict(member: string): HttpResponse {
  const detail = `Another record has the same ${member}.`;
  const errors = [{ detail: "is that of another record", pointer: toPointer([member]) }];
  return problem(collectionProblemTypes.conflict, { detail, errors });
}

function toRefusal(error: unknown): HttpResponse {
  if (!(error instanceof StoreUnavailable)) throw error;
  const detail = "The store cannot be used just now, and nothing was changed.";
  return problem(collectionProblemTypes.storeUnavailable, { detail }).withHeader("Retry-After", "1");
}
