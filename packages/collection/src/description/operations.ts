import { problemTypes } from "waymark";
import type { Description, HeaderDescription, ParameterDescription, ResponseDescription } from "waymark/openapi";
import { changesRepresentations } from "../handlers/changes-query.ts";
import { greatestLimit } from "../lists/query.ts";
import { collectionProblemTypes as types } from "../problem-types.ts";
import { everyCaller } from "../settings.ts";
import type { DescribedCollection } from "./described-collection.ts";
import { changeOfManyTypes, changeTypes, contentTypes, itemTypes, listContentTypes, listTypes } from "./examples.ts";
import {
  bulkParameters,
  changePreconditions,
  choiceParameters,
  fieldsParameter,
  fieldsReadBy,
  fileField,
  formatOf,
  listParameters,
  prefer,
  preferenceApplied,
  readPreconditions,
  validatorFields,
} from "./parameters.ts";
import { changeProblems, created, done, ifPreferred, report, reportOfChanges, writtenAnswer } from "./responses.ts";
import { changesSchema, recordSchemas } from "./schemas.ts";

export type Operation =
  | "read"
  | "list"
  | "changes"
  | "create"
  | "createMany"
  | "amendMany"
  | "replace"
  | "amend"
  | "remove"
  | "refuseCreate";

/** Describes the operations of a collection for an OpenAPI document. */
export function describeOperations(settings: DescribedCollection): Readonly<Record<Operation, Description>> {
  const { nouns, members } = settings;
  const { one, many, schema: name } = nouns;
  const schemas = recordSchemas(settings);
  const plural = capitalized(many);
  const owners = Array.from(settings.path.matchAll(/\{([^}]*)\}/g), ([, owner = ""]) => owner);
  const shared: Description = {
    tags: [plural],
    variables: Object.fromEntries(owners.map((owner) => [owner, ownerIn])),
  };
  const ofOwner = owners.length === 0 ? [] : [types.invalidId];
  const ownerless = owners.length > 0 && { 404: { description: "The path names an owner that does not exist." } };
  const ofItem: Description = {
    ...shared,
    variables: {
      ...shared.variables,
      id: { description: `The id of the ${one}.`, schema: { type: "integer" }, example: 1 },
    },
  };
  const nobody: ResponseDescription = { description: `There is no ${one} with this id.` };
  const unavailable = [types.storeUnavailable];
  const unchanged = [types.storeUnavailable, types.readOnly];
  const written = writtenAnswer(settings, schemas);
  const preferred = settings.lenientSchema === undefined ? [] : ["handling=lenient"];
  const returned = prefer("return=representation", "return=minimal", ...preferred);
  // An array of records is of the content type of one record.
  const takesArrays = settings.listDecoders.some(({ arrays }) => arrays);
  const stored: ResponseDescription = {
    description: `The ${many} are stored.`,
    headers: preferenceApplied,
    types: { "application/json": { schema: report } },
  };
  const ofChanges = [
    types.unknownPreference,
    types.idempotencyKeyUnsupported,
    types.conflict,
    types.tooManyRecords,
    types.bulkTimeExceeded,
    types.bulkBusy,
    ...(settings.mayRead === everyCaller ? [] : [problemTypes.forbidden]),
    ...unchanged,
  ];
  const ofMany = [...ofChanges, problemTypes.contentExpandsTooFar];
  return {
    read: {
      ...ofItem,
      operationId: `read${name}`,
      summary: `Read a ${one}`,
      description: "The record with this id, in the form that `Accept` prefers.",
      query: { ...fieldsParameter(members), ...formatOf(settings.items) },
      headers: { ...readPreconditions, ...fieldsReadBy(settings.items) },
      responses: {
        200: {
          description: `The ${one}.`,
          headers: { ...validatorFields, ...fileField },
          types: itemTypes(settings, schemas.stored),
        },
        304: { description: "The copy is current.", headers: validatorFields },
        404: nobody,
      },
      problems: [types.invalidId, problemTypes.invalidParameters, types.preconditionFailed, ...unavailable],
    },
    list: {
      ...shared,
      operationId: `list${pascal(many)}`,
      summary: `List ${many}`,
      description: `All ${many} by ascending id, or those that the query asks for. A list of any length is streamed.`,
      query: { ...listParameters(settings), ...formatOf(settings.lists) },
      headers: { ...readPreconditions, ...prefer("count=exact"), ...fieldsReadBy(settings.lists) },
      responses: {
        200: {
          description: `The ${many}.`,
          headers: {
            ETag: { description: `The state of all ${many}.`, example: '"all-7-json"' },
            Link: { description: "The first page, the next and the previous one (RFC 8288); with `limit`." },
            "X-Total-Count": {
              description: "How many the filters leave; with `Prefer: count=exact`.",
              schema: { type: "integer", minimum: 0 },
            },
            ...preferenceApplied,
            ...fileField,
          },
          types: listTypes(settings, { type: "array", items: schemas.stored }),
        },
        304: { description: "The copy is current.", headers: validatorFields },
        ...ownerless,
      },
      problems: [
        ...ofOwner,
        problemTypes.invalidParameters,
        types.unknownPreference,
        types.preconditionFailed,
        types.listsBusy,
        ...unavailable,
      ],
    },
    changes: {
      ...shared,
      operationId: `list${name}Changes`,
      summary: `Follow the changes of ${many}`,
      description: `What has changed behind a cursor, the oldest change first: each ${one} once, in the latest state, or as removed. Without a cursor, from the beginning. An event stream goes on with the changes that come.`,
      query: {
        after: {
          description:
            "From `Link`: the cursor behind the changes that the client has. `now` begins with the next change.",
        },
        limit: {
          description: `How many to send at most; there may be fewer, though \`Link\` leads to more. Default: ${greatestLimit}.`,
          schema: { type: "integer", minimum: 1, maximum: greatestLimit },
        },
        ...fieldsParameter(members),
        ...formatOf(changesRepresentations),
      },
      headers: {
        ...prefer("wait=30"),
        "Last-Event-ID": { description: "Of an event stream: goes on behind the last `id` that the client has." },
      },
      responses: {
        200: {
          description: "The changes.",
          headers: {
            Link: {
              description:
                "What follows these changes, also where there is nothing yet (RFC 8288); not of an event stream.",
            },
            "X-Accel-Buffering": { description: "`no`: proxies should pass on an event stream as it comes." },
            ...preferenceApplied,
          },
          types: Object.fromEntries(
            changesRepresentations.map(({ mediaType }) => [
              mediaType,
              { schema: mediaType === "application/json" ? changesSchema(schemas) : { type: "string" } },
            ]),
          ),
        },
        ...ownerless,
      },
      problems: [
        ...ofOwner,
        problemTypes.invalidParameters,
        types.invalidCursor,
        types.cursorGone,
        problemTypes.notAcceptable,
        types.unknownPreference,
        types.listsBusy,
        ...(settings.mayRead === everyCaller ? [] : [problemTypes.forbidden]),
        ...unavailable,
      ],
    },
    create: {
      ...shared,
      operationId: `create${name}`,
      summary: `Store a ${one}`,
      headers: {
        ...returned,
        "Idempotency-Key": {
          description:
            "A text of 1 to 255 characters in quotes that makes the request safe to send again for 24 hours: the second attempt is answered as the first.",
          example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
        },
      },
      content: { types: contentTypes(settings, schemas.sent) },
      responses: { ...(takesArrays && { 200: stored }), ...created(settings, written), ...ownerless },
      problems: [
        ...ofOwner,
        problemTypes.invalidParameters,
        types.unknownPreference,
        types.invalidIdempotencyKey,
        types.conflict,
        types.idempotencyKeyInUse,
        types.idempotencyKeyReused,
        ...(takesArrays ? ofMany : unchanged),
      ],
    },
    createMany: {
      ...shared,
      operationId: `createMany${pascal(many)}`,
      summary: `Store many ${many}`,
      description: `Stores all of them, or none and says what is wrong with each. With \`Prefer: handling=lenient\` those that are good.`,
      query: bulkParameters(settings),
      headers: prefer("handling=lenient"),
      content: { types: listContentTypes(settings, schemas.replacing) },
      responses: { 200: stored, ...ownerless },
      problems: [...ofOwner, problemTypes.invalidParameters, ...ofMany],
    },
    amendMany: {
      ...shared,
      operationId: `changeMany${pascal(many)}`,
      summary: `Change or remove many ${many}`,
      description: `Changes the ${many} that the filters leave, or those that the content names: all of them, or none.`,
      query: choiceParameters(settings),
      headers: { "If-Match": { description: "The ETag that the list must still have, else 412." } },
      content: { types: changeOfManyTypes(settings, schemas.merged) },
      responses: {
        200: {
          description: `The ${many} are changed.`,
          headers: { ETag: { description: "The state of the list that was judged; of a dry run." } },
          types: { "application/json": { schema: reportOfChanges } },
        },
        ...ownerless,
      },
      problems: [
        ...ofOwner,
        problemTypes.invalidParameters,
        types.preconditionFailed,
        ...(settings.requirePreconditions ? [types.preconditionRequired] : []),
        ...ofChanges,
      ],
    },
    replace: {
      ...ofItem,
      operationId: `replace${name}`,
      summary: `Replace a ${one}`,
      description: "Replaces the whole record, and never creates one. What was read can be sent back.",
      headers: { ...changePreconditions, ...returned },
      content: { types: contentTypes(settings, schemas.replacing) },
      responses: { 200: { ...written, optional: false }, 204: done("It is replaced."), 404: nobody },
      problems: [
        ...changeProblems(settings),
        types.partialContent,
        types.unknownPreference,
        types.conflict,
        ...unchanged,
      ],
    },
    amend: {
      ...ofItem,
      operationId: `change${name}`,
      summary: `Change a ${one}`,
      description: "Changes members of the record by a JSON merge patch or a JSON Patch, all of it or nothing.",
      headers: { ...changePreconditions, ...returned },
      content: { types: changeTypes(settings, schemas.merged) },
      responses: {
        200: { ...written, optional: false, headers: { ...written.headers, ...validatorFields } },
        204: done("It is changed.", { ETag: validatorFields["ETag"] as HeaderDescription }), // it is there
        404: nobody,
      },
      problems: [
        ...changeProblems(settings),
        types.unknownPreference,
        // A JSON Patch would show the record to a caller who may not read it.
        ...(settings.mayRead === everyCaller ? [] : [problemTypes.forbidden]),
        types.conflict,
        types.patchConflict,
        types.patchTooLarge,
        ...unchanged,
      ],
    },
    remove: {
      ...ofItem,
      operationId: `remove${name}`,
      summary: `Remove a ${one}`,
      description: "No record has its id from then on.",
      headers: { ...changePreconditions, ...prefer("return=representation", "return=minimal") },
      responses: { 200: { ...written, description: `It is removed. ${ifPreferred}` }, 404: nobody },
      problems: [...changeProblems(settings), types.unknownPreference, ...unchanged],
    },
    refuseCreate: {
      ...ofItem,
      operationId: `create${name}Here`,
      summary: `Not allowed: answers 409, or 404`,
      description: `Use POST to the collection to store a ${one}, and PUT or PATCH to change this one.`,
      responses: { 404: nobody },
      problems: [types.invalidId, problemTypes.invalidParameters, types.conflict, ...unavailable],
    },
  };
}

const ownerIn: ParameterDescription = { description: "The id of the owner.", schema: { type: "integer" }, example: 1 };

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `order lines` as `OrderLines`. */
const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map(capitalized)
    .join("");
