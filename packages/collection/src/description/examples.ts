import { HttpRequest } from "waymark";
import type { MediaTypeDescription, NamedSchema, Schema } from "waymark/openapi";
import { wholeListText } from "../formats/list-text.ts";
import { jsonPatchType, mergePatchType } from "../handlers/change.ts";
import { amendmentOfManyDecoder } from "../patch/amendment-of-many.ts";
import type { ItemOptions } from "../representation.ts";
import type { Document, StoredRecord } from "../store.ts";
import { TurnShare } from "../turn-share.ts";
import type { DescribedCollection } from "./described-collection.ts";
import { changeOfManySchema, jsonPatchSchema } from "./schemas.ts";

type Types = Readonly<Record<string, MediaTypeDescription>>;

/** What a record is sent as, with the example in each form as the collection itself makes it. */
export function itemTypes<T extends Document>(settings: DescribedCollection<T>, json: Schema): Types {
  return Object.fromEntries(
    settings.items.map((representation) => [
      representation.mediaType,
      typeOf(representation.mediaType, json, exampleRecord(settings), (record) =>
        representation.item(record, optionsOf(settings)),
      ),
    ]),
  );
}

/** What a list is sent as, likewise. */
export function listTypes<T extends Document>(settings: DescribedCollection<T>, json: Schema): Types {
  return Object.fromEntries(
    settings.lists.map((representation) => [
      representation.mediaType,
      typeOf(representation.mediaType, json, exampleRecord(settings), (record) =>
        wholeListText([record], representation.list(optionsOf(settings)), new TurnShare()),
      ),
    ]),
  );
}

/** What a record can be sent to the service in. */
export function contentTypes<T extends Document>(settings: DescribedCollection<T>, json: Schema): Types {
  const { example, items } = settings;
  const record = example && { ...recordOf(example), json: JSON.stringify(example) };
  return Object.fromEntries(
    settings.decoders.flatMap(({ mediaTypes }) =>
      mediaTypes.map((type) => {
        const representation = items.find(({ mediaType }) => mediaType === type);
        return [
          type,
          typeOf(type, json, representation && record, (sent) => representation?.item(sent, optionsOf(settings))),
        ];
      }),
    ),
  );
}

/** What many records can be sent to the service in. */
export function listContentTypes<T extends Document>(settings: DescribedCollection<T>, json: Schema): Types {
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
        return [type, typeOf(type, { type: "array", items: json }, list && record, write)];
      }),
  );
}

/** What a record can be changed by. */
export function changeTypes<T extends Document>({ example }: DescribedCollection<T>, merged: Schema): Types {
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
export function changeOfManyTypes<T extends Document>({ example }: DescribedCollection<T>, merged: NamedSchema): Types {
  const [[name, value] = []] = Object.entries(example ?? {});
  const schema = changeOfManySchema({ merged });
  return Object.fromEntries(
    amendmentOfManyDecoder.mediaTypes.map((type) => [
      type,
      { schema, ...(name !== undefined && { example: { records: [{ id: 1 }], merge: { [name]: value } } }) },
    ]),
  );
}

/** JSON has a schema, and an example that is a value; of other forms OpenAPI knows that they are text. */
function typeOf(
  mediaType: string,
  json: Schema,
  record: StoredRecord | undefined,
  write: (record: StoredRecord) => string | undefined | Promise<string>,
): MediaTypeDescription {
  const isJson = /[/+]json$/.test(mediaType);
  const schema: Schema = mediaType === "application/json" ? json : isJson ? { type: "object" } : { type: "string" };
  // A page for people is long, and not an interface.
  if (record === undefined || mediaType === "text/html") return { schema };
  const example = async (): Promise<unknown> => {
    const text = await write(record);
    return isJson && text !== undefined ? JSON.parse(text) : text;
  };
  return { schema, example };
}

const optionsOf = <T extends Document>({ path }: DescribedCollection<T>): ItemOptions => ({
  url: path,
  request: HttpRequest.of({ target: encodeURI(path) }),
});

const exampleRecord = <T extends Document>({ example }: DescribedCollection<T>): StoredRecord | undefined =>
  example && recordOf(example);

function recordOf(document: Document): StoredRecord {
  const time = "2026-06-15T12:00:00.000Z";
  const json = JSON.stringify({ id: 1, ...document, createdAt: time, updatedAt: time });
  return { id: 1, revision: 1, updatedAt: Date.parse(time), json };
}
