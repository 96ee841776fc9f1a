import type { MediaTypeObject } from "../document.ts";
import type { Context } from "./context.ts";
import { type Alternatives, comment, declareInterface, literal, member } from "./text.ts";

/** Content by media type, as a document has it. */
export type ContentByType = Readonly<Record<string, MediaTypeObject>>;

/** What an operation sends or gets, in one media type or in one of several. */
export interface Content {
  /** The interface that has the type of the content by media type, where there are several. */
  readonly declarations: readonly string[];
  /** The type of the content. */
  readonly alternatives: Alternatives;
  /** The media type where nothing else is said; undefined where there is no content. */
  readonly usual: string | undefined;
  /** What the type parameter of the function is, where there are several. */
  readonly parameters: readonly { readonly name: string; readonly declaration: string }[];
  /** The member of the input that chooses, where there are several. */
  readonly lines: readonly string[];
}

/** Says how the media type of content is chosen. */
interface Choice {
  /** The name of the type parameter. */
  readonly parameter: string;
  /** The member of the input. */
  readonly member: string;
  /** The wanted name of the interface. */
  readonly name: string;
}

/** Returns the content of which the types are these. */
export function contentOf(types: ReadonlyMap<string, Alternatives>, choice: Choice, { names }: Context): Content {
  const [usual] = [...types.keys()].toSorted((a, b) => Number(isJson(b)) - Number(isJson(a)));
  const [only = []] = types.values();
  if (types.size < 2) return { declarations: [], alternatives: only, usual, parameters: [], lines: [] };
  const name = names.type(choice.name);
  const members = [...types].map(([type, alternatives]) => member(type, true, alternatives));
  const declaration = `${choice.parameter} extends keyof ${name} = ${literal(usual as string)}`; // there are two at least
  return {
    declarations: [comment(`The content by \`${choice.member}\`.`) + declareInterface(name, members)],
    alternatives: [`${name}[${choice.parameter}]`],
    usual,
    parameters: [{ name: choice.parameter, declaration }],
    lines: [comment(`Default: \`${usual}\`.`, "  ") + member(choice.member, false, [choice.parameter, "undefined"])],
  };
}

const isJson = (mediaType: string): boolean => mediaType === "application/json";

/** Returns the type of content that is sent. */
export function sentType(
  mediaType: string,
  { schema }: MediaTypeObject,
  hint: string,
  { types }: Context,
): Alternatives {
  if (mediaType.startsWith("multipart/")) return ["FormData"];
  return hasJson.test(mediaType) || mediaType === "application/x-www-form-urlencoded"
    ? types.of(schema, hint)
    : ["RawContent"];
}

/** Returns the type of content that is read, as a client decodes it. */
export function readType(
  mediaType: string,
  { schema }: MediaTypeObject,
  hint: string,
  { types }: Context,
): Alternatives {
  if (hasJson.test(mediaType)) return types.of(schema, hint);
  const [essence = ""] = mediaType.split(";");
  if (essence === "text/event-stream") return ["ReadableStream<Uint8Array>"];
  if (!readsText.test(essence)) return ["Blob"];
  const ofText = types.of(schema, hint);
  return ofText.every((each) => /^["']|^string$/.test(each)) ? ofText : ["string"];
}

const hasJson = /[/+]json\b/;

/** Media types whose content is text. */
export const readsText: RegExp = /^text\/|[/+](?:xml|x-ndjson|ndjson|jsonl|yaml|javascript|x-www-form-urlencoded)$/;
