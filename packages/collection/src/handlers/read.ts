import { type Awaitable, type HttpRequest, HttpResponse, notFound } from "waymark";
import { evaluatePreconditions } from "waymark/fields";
import { andThen } from "waymark/internal";
import type { Description } from "waymark/openapi";
import { conditionalRead, stateFields } from "../description/conditions.ts";
import type { DescribedCollection } from "../description/described-collection.ts";
import { itemTypes } from "../description/examples.ts";
import { narrow, recordQuery } from "../lists/fields.ts";
import { collectionUrl, requireRecordId } from "../record-scope.ts";
import type { ItemOptions } from "../representation.ts";
import type { CollectionSettings, ReadHandler } from "../settings.ts";
import type { Store, StoredRecord } from "../stores/contract/store.ts";
import { operation } from "./operation.ts";
import { refusePrecondition } from "./refusals.ts";
import {
  allowRepetition,
  asFile,
  chosenRepresentation,
  dependingOn,
  fileField,
  notModifiedAnswer,
  recordValidators,
  representationFields,
} from "./selected-representation.ts";

/** Makes the handler for a GET of a record. It answers without a promise when the store does. */
export function readRecord(settings: CollectionSettings): ReadHandler {
  const { scope, items, members } = settings;
  const query = recordQuery(members, items);
  return operation(settings, "record", describe, (request) => {
    const id = requireRecordId(request.variables.id);
    const representation = chosenRepresentation(request, items);
    // Most requests have no query.
    const fields = request.search === "" ? undefined : query.read(request.search, representation);

    const answer = (record: StoredRecord | undefined): HttpResponse => {
      if (record === undefined) return notFound();
      const validators = recordValidators(request, record, items, representation);
      const verdict = evaluatePreconditions(request, validators);
      if (verdict === "failed") return refusePrecondition(request, validators.entityTag);
      if (verdict === "not-modified") return notModifiedAnswer(representation, validators);
      const text = representation.item(
        fields === undefined ? record : narrow(record, fields),
        new RecordOptions(request, fields),
      );
      const response = new HttpResponse(200, representationFields(representation, validators), text);
      return asFile(response, request, { representation, id });
    };

    const find = (store: Store): Awaitable<HttpResponse> => {
      allowRepetition(request, store, representation);
      return andThen(store.find(id), answer);
    };

    return andThen(scope.storeOf(request, "record"), find);
  });
}

const describe = (place: DescribedCollection): readonly Description[] => {
  const { items, members, nouns } = place;
  return [
    conditionalRead(stateFields),
    dependingOn(items),
    {
      operationId: `read${nouns.schema}`,
      summary: `Read a ${nouns.one}`,
      description: "The record with this id, in the form that `Accept` prefers.",
      query: recordQuery(members, items).describe(),
      responses: {
        200: {
          description: `The ${nouns.one}.`,
          headers: { ...stateFields, ...fileField },
          types: itemTypes(place),
        },
      },
    },
  ];
};

/** What a representation gets besides the record. It makes the URL when it is asked for it, since JSON has none. */
class RecordOptions implements ItemOptions {
  readonly request: HttpRequest<unknown>;
  readonly fields: readonly string[] | undefined;

  constructor(request: HttpRequest<unknown>, fields: readonly string[] | undefined) {
    this.request = request;
    this.fields = fields;
  }

  get url(): string {
    return collectionUrl(this.request, "record");
  }
}
