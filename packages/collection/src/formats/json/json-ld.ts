import { requireOptions } from "waymark/internal";
import type { ItemOptions, ItemRepresentation, ListRepresentation } from "../../representation.ts";
import type { StoredRecord } from "../../stores/contract/store.ts";

/** The options of `jsonLdRepresentation`. */
export interface JsonLdRepresentationOptions {
  /** The meaning of the members: the URL of a context, or a context. */
  readonly context: string | object;
  /** Returns the node for a record, with its type, from its members; a client may have chosen some. */
  readonly toNode: (members: Readonly<Record<string, unknown>>) => object;
}

/**
 * Sends records as `application/ld+json` (JSON-LD 1.1), for programs that know the vocabulary. Each has its URL as
 * `@id`; a list is a `@graph`.
 *
 * ```ts
 * jsonLdRepresentation({
 *   context: "https://schema.org",
 *   toNode: ({ title }) => ({ "@type": "Book", name: title }),
 * })
 * // {"@context":"https://schema.org","@id":"/books/7","@type":"Book","name":"Emma"}
 * ```
 */
export function jsonLdRepresentation(options: JsonLdRepresentationOptions): ItemRepresentation & ListRepresentation {
  requireOptions("jsonLdRepresentation({ … })", options, { context: undefined, toNode: "function" });
  const { context, toNode } = options;
  const withId = ({ id, json }: StoredRecord, { url }: ItemOptions): object => ({
    "@id": `${url}/${id}`,
    ...toNode(JSON.parse(json)),
  });
  return {
    name: "jsonld",
    extension: "jsonld",
    mediaType: "application/ld+json",
    contentType: "application/ld+json",
    item: (record, options) => JSON.stringify({ "@context": context, ...withId(record, options) }),
    list: (options) => ({
      before: `{"@context":${JSON.stringify(context)},"@graph":[`,
      item: (record) => JSON.stringify(withId(record, options)),
      between: ",",
      after: "]}",
    }),
  };
}
