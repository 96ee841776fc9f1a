import { HttpRequest } from "waymark";
import type { Description, Schema } from "waymark/openapi";
import { wholeListText } from "../formats/list-text.ts";
import type { ListOptions, Representation } from "../representation.ts";
import { TurnShare } from "../shares/turn-share.ts";
import type { Document, StoredRecord } from "../stores/contract/store.ts";
import type { DescribedCollection } from "./described-collection.ts";

/** Content by its media type. */
export type Types = Readonly<Record<string, Description.MediaType>>;

/** What a record is sent as, with the example in each form as the collection itself makes it. */
export const itemTypes = (place: DescribedCollection): Types =>
  typesOf(typesIn(place.items), itemForms(place), place.schemas.stored, () => storedExample(place));

/** What a list is sent as, likewise. */
export const listTypes = (place: DescribedCollection): Types =>
  typesOf(typesIn(place.lists), listForms(place), arrayOf(place.schemas.stored), () => storedExample(place));

/** What a record can be sent to the service in. */
export const contentTypes = (place: DescribedCollection, json: Schema): Types =>
  typesOf(
    place.decoders.flatMap(({ mediaTypes }) => mediaTypes),
    itemForms(place),
    json,
    sentExample(place),
  );

/** What many records can be sent to the service in. */
export function listContentTypes(place: DescribedCollection): Types {
  const forms = listForms(place, Object.keys(place.example ?? {}));
  const array = arrayOf(place.schemas.replacing);
  const all = place.listDecoders.map(({ mediaTypes, example }): Types => {
    if (example === undefined) return typesOf(mediaTypes, forms, array, sentExample(place));
    return Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: "string" }, example }]));
  });
  return Object.assign({}, ...all);
}

/** How a record becomes content of a media type. */
interface Form extends Pick<Representation, "mediaType" | "schema" | "whole"> {
  readonly write: (record: StoredRecord) => string | Promise<string>;
}

const itemForms = (place: DescribedCollection): readonly Form[] =>
  place.items.map((each) => ({ ...each, write: (record) => each.item(record, optionsOf(place)) }));

const listForms = (place: DescribedCollection, fields?: readonly string[]): readonly Form[] =>
  place.lists.map(({ schema, list, ...each }) => ({
    ...each,
    ...(schema && { schema: arrayOf(schema) }),
    write: (record) => wholeListText([record], list({ ...optionsOf(place), fields }), new TurnShare()),
  }));

/**
 * @param json the schema of JSON; of other forms without a schema OpenAPI knows that they are text
 * @param exampleOf returns the record that a form writes as its example
 */
function typesOf(
  mediaTypes: readonly string[],
  forms: readonly Form[],
  json: Schema,
  exampleOf: (form: Form) => StoredRecord | undefined,
): Types {
  const typeOf = (type: string): Description.MediaType => {
    const form = forms.find(({ mediaType }) => mediaType === type || mediaType.startsWith(`${type};`));
    const text = { type: isJson(type) ? "object" : "string" };
    const schema = type === "application/json" ? json : (form?.schema ?? text);
    const record = form && exampleOf(form);
    // A page for people is long, and not an interface.
    if (form === undefined || record === undefined || type === "text/html") return { schema };
    const example = async (): Promise<unknown> => {
      const written = await form.write(record);
      return isJson(type) ? JSON.parse(written) : written;
    };
    return { schema, example };
  };
  return Object.fromEntries(mediaTypes.map((type) => [type, typeOf(type)]));
}

const typesIn = (representations: readonly Representation[]): readonly string[] =>
  representations.map(({ mediaType }) => mediaType);

const arrayOf = (items: Schema): Schema => ({ type: "array", items });

const isJson = (mediaType: string): boolean => /[/+]json$/.test(mediaType);

const optionsOf = ({ path }: DescribedCollection): ListOptions => ({
  url: path,
  request: HttpRequest.of({ target: encodeURI(path) }),
});

/** A form that needs all of a record has an id and times, also of one that is sent to the service. */
const sentExample =
  (place: DescribedCollection) =>
  ({ whole }: Form): StoredRecord | undefined =>
    whole === true ? storedExample(place) : place.example && recordOf(place.example);

const storedExample = ({ example }: DescribedCollection): StoredRecord | undefined =>
  example && recordOf({ id: 1, ...example, createdAt: time, updatedAt: time });

const time = "2026-06-15T12:00:00.000Z";

const recordOf = (document: Document): StoredRecord => ({
  ...{ id: 1, revision: 1, updatedAt: Date.parse(time) },
  json: JSON.stringify(document),
});
