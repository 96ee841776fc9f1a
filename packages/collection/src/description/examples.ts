import { HttpRequest } from "waymark";
import type { MediaTypeDescription, NamedSchema, Schema } from "waymark/openapi";
import { wholeListText } from "../formats/list-text.ts";
import { jsonPatchType, mergePatchType } from "../handlers/change.ts";
import { amendmentOfManyDecoder } from "../patch/amendment-of-many.ts";
import type { ItemOptions, Representation } from "../representation.ts";
import { TurnShare } from "../shares/turn-share.ts";
import type { Document, StoredRecord } from "../stores/contract/store.ts";
import type { DescribedCollection } from "./described-collection.ts";
import { changeOfManySchema, jsonPatchSchema } from "./schemas.ts";

type Types = Readonly<Record<string, MediaTypeDescription>>;

/** What a record is sent as, with the example in each form as the collection itself makes it. */
export function itemTypes(settings: DescribedCollection, json: Schema): Types {
  return Object.fromEntries(
    settings.items.map((representation) => [
      representation.mediaType,
      typeOf(representation.mediaType, schemaOf(representation, json), exampleRecord(settings), (record) =>
        representation.item(record, optionsOf(settings)),
      ),
    ]),
  );
}

/** What a list is sent as, likewise. */
export function listTypes(settings: DescribedCollection, json: Schema): Types {
  return Object.fromEntries(
    settings.lists.map((representation) => [
      representation.mediaType,
      typeOf(representation.mediaType, listSchemaOf(representation, json), exampleRecord(settings), (record) =>
        wholeListText([record], representation.list(optionsOf(settings)), new TurnShare()),
      ),
    ]),
  );
}

/** What a record can be sent to the service in. */
export function contentTypes(settings: DescribedCollection, json: Schema): Types {
  const { example, items } = settings;
  const record = example && { ...recordOf(example), json: JSON.stringify(example) };
  return Object.fromEntries(
    settings.decoders.flatMap(({ mediaTypes }) =>
      mediaTypes.map((type) => {
        const representation = items.find(({ mediaType }) => mediaType === type);
        return [
          type,
          typeOf(type, schemaOf({ mediaType: type, ...representation }, json), representation && record, (sent) =>
            representation?.item(sent, optionsOf(settings)),
          ),
        ];
      }),
    ),
  );
}

/** What many records can be sent to the service in. */
export function listContentTypes(settings: DescribedCollection, json: Schema): Types {
  const { example, listDecoders, lists } = settings;
  const record = example && { ...recordOf(example), json: JSON.stringify(example) };
  return Object.fromEntries(
    listDecoders
      .flatMap(({ mediaTypes, example: content }) => mediaTypes.map((type) => [type, content] as const))
      .map(([type, content]) => {
        if (content !== undefined) return [type, { schema: { type: "string" }, example: content }];
        const list = lists.find(({ mediaType }) => mediaType === type);
        const options = { ...optionsOf(settings), fields: Object.keys(example ?? {}) };
        const write = (sent: StoredRecord) => list && wholeListText([sent], list.list(options), new TurnShare());
        const schema = listSchemaOf({ mediaType: type, ...list }, { type: "array", items: json });
        return [type, typeOf(type, schema, list && record, write)];
      }),
  );
}

/** What a record can be changed by. */
export function changeTypes({ example }: DescribedCollection, merged: Schema): Types {
  const [[name, value] = []] = Object.entries(example ?? {});
  const patch = { schema: merged, ...(name !== undefined && { example: { [name]: value } }) };
  const operations =
    name === undefined
      ? {}
      : { example: [{ op: "replace", path: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, value }] };
  return {
    [mergePatchType]: patch,
    [jsonPatchType]: { schema: jsonPatchSchema, ...operations },
    "application/json": patch,
  };
}

/** What many records can be changed by. */
export function changeOfManyTypes({ example }: DescribedCollection, merged: NamedSchema): Types {
  const [[name, value] = []] = Object.entries(example ?? {});
  const schema = changeOfManySchema({ merged });
  return Object.fromEntries(
    amendmentOfManyDecoder.mediaTypes.map((type) => [
      type,
      { schema, ...(name !== undefined && { example: { records: [{ id: 1 }], merge: { [name]: value } } }) },
    ]),
  );
}

type Form = Pick<Representation, "mediaType" | "schema">;

/** JSON has a schema; of other forms OpenAPI knows that they are text. */
function schemaOf({ mediaType, schema }: Form, json: Schema): Schema {
  if (mediaType === "application/json") return json;
  return schema ?? { type: isJson(mediaType) ? "object" : "string" };
}

function listSchemaOf({ mediaType, schema: items }: Form, json: Schema): Schema {
  return schemaOf({ mediaType, ...(items && { schema: { type: "array", items } }) }, json);
}

const isJson = (mediaType: string): boolean => /[/+]json$/.test(mediaType);

/** JSON has an example that is a value. */
function typeOf(
  mediaType: string,
  schema: Schema,
  record: StoredRecord | undefined,
  write: (record: StoredRecord) => string | undefined | Promise<string>,
): MediaTypeDescription {
  // A page for people is long, and not an interface.
  if (record === undefined || mediaType === "text/html") return { schema };
  const example = async (): Promise<unknown> => {
    const text = await write(record);
    return isJson(mediaType) && text !== undefined ? JSON.parse(text) : text;
  };
  return { schema, example };
}

const optionsOf = ({ path }: DescribedCollection): ItemOptions => ({
  url: path,
  request: HttpRequest.of({ target: encodeURI(path) }),
});

const exampleRecord = ({ example }: DescribedCollection): StoredRecord | undefined => example && recordOf(example);

function recordOf(document: Document): StoredRecord {
  const time = "2026-06-15T12:00:00.000Z";
  const json = JSON.stringify({ id: 1, ...document, createdAt: time, updatedAt: time });
  return { id: 1, revision: 1, updatedAt: Date.parse(time), json };
}
