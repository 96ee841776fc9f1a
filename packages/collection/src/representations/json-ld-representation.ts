import type { ItemRepresentation, ListRepresentation } from "../representation.ts";
import type { StoredRecord } from "../store.ts";
import { listText } from "./list-text.ts";

export interface JsonLdRepresentationOptions {
  /** What gives the members their meaning: the URL of a context, or a context itself. */
  readonly context: string | object;
  /** The path of the collection: a record's `@id` is this, `/` and its id, relative to where it was read from. */
  readonly path: string;
  /** What is said of a record, its type included: from its members, of which a client may have chosen some. */
  readonly toNode: (members: Readonly<Record<string, unknown>>) => object;
}

/**
 * Records as `application/ld+json` (JSON-LD 1.1), so that whoever knows the vocabulary understands the members. A list is a
 * `@graph`.
 *
 * ```ts
 * jsonLdRepresentation({
 *   context: "https://schema.org",
 *   path: "/books",
 *   toNode: ({ title }) => ({ "@type": "Book", name: title }),
 * })
 * // {"@context":"https://schema.org","@id":"/books/7","@type":"Book","name":"Emma"}
 * ```
 */
export function jsonLdRepresentation({
  context,
  path,
  toNode,
}: JsonLdRepresentationOptions): ItemRepresentation & ListRepresentation {
  const withId = ({ id, json }: StoredRecord): object => ({ "@id": `${path}/${id}`, ...toNode(JSON.parse(json)) });
  return {
    name: "jsonld",
    mediaType: "application/ld+json",
    contentType: "application/ld+json",
    item: (record) => JSON.stringify({ "@context": context, ...withId(record) }),
    list: (batches) =>
      listText(batches, {
        before: `{"@context":${JSON.stringify(context)},"@graph":[`,
        item: (record) => JSON.stringify(withId(record)),
        between: ",",
        after: "]}",
      }),
  };
}
