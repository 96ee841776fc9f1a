import { excerpt } from "../common/wording.ts";
import { bounded } from "../content/content-source.ts";
import { ContentError, chooseDecoder, decodeUtf8 } from "../content/decoder.ts";
import { type FormPart, joined, readParts } from "../content/multipart.ts";
import { invalidContent, malformedRefusal } from "../content/refusals.ts";
import type { StandardSchemaV1, ValueOf } from "../content/standard-schema.ts";
import type { Description, Schema } from "../description.ts";
import { matchesMediaType, parseMediaRange, parseMediaType } from "../fields/media-type.ts";
import type { HttpRequest } from "../request.ts";
import { isFile } from "./file.ts";
import { isSchema, jsonSchemaOf, textForm } from "./from-text.ts";

/** A file of a form while it arrives. */
export interface ReceivedFile {
  /** What the client calls it, without a path; nothing to name a file of the server by. */
  readonly name: string;
  /** As the client says. */
  readonly type: string;
  /** It fails with 413 beyond the bound of the file. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Puts files of a form somewhere, by the name of the field; what a function returns is the value of its field. */
type Stores<F> = {
  readonly [K in keyof F as F[K] extends { readonly kind: "file" } ? K : never]?: (file: ReceivedFile) => unknown;
};

/**
 * Reads the form and validates it, as `body` does. A file goes to the function that is given for its field, piece by piece as it
 * arrives, or into memory. Fields that a browser sends behind a file are known when that is stored; where one of them is refused, the
 * handler removes what it has stored.
 */
export interface FormReader<F> {
  (): Promise<{ readonly [K in keyof F]: ValueOf<F[K]> }>;
  <S extends Stores<F>>(
    stores: S,
  ): Promise<{ readonly [K in keyof F]: K extends keyof S ? StoredAs<ValueOf<F[K]>, S[K]> : ValueOf<F[K]> }>;
}

type StoredAs<V, S> = S extends (file: ReceivedFile) => infer T
  ? V extends readonly unknown[]
    ? readonly Awaited<T>[]
    : Awaited<T> | Extract<V, undefined>
  : V;

/** A form that a route takes, by the names of its fields. */
export type FormSchemas = Readonly<Record<string, StandardSchemaV1>>;

/** Returns the media types in which a form can come: one with files comes in parts. */
export const formTypes = (form: FormSchemas): readonly string[] => readersOf(form)[0].mediaTypes;

type FormReaders = readonly [{ readonly mediaTypes: readonly string[] }];

// Made once: what chooses by a Content-Type is kept with the list.
const ofFiles: FormReaders = [{ mediaTypes: ["multipart/form-data"] }];
const ofTexts: FormReaders = [{ mediaTypes: ["application/x-www-form-urlencoded", "multipart/form-data"] }];

const readersOf = (form: FormSchemas): FormReaders => (Object.values(form).some(isFile) ? ofFiles : ofTexts);

/** Returns what is said of an operation that takes the form. */
export function describeForm(form: FormSchemas, shown: (schema: StandardSchemaV1) => Schema): Description {
  const entries = Object.entries(form).filter(([, schema]) => isSchema(schema)); // The router reports the others.
  const required = entries.filter(([, schema]) => !takesNothing(schema)).map(([name]) => name);
  const properties = Object.fromEntries(entries.map(([name, schema]) => [name, shown(schema)]));
  return { content: { schema: { type: "object", properties, ...(required.length > 0 && { required }) } } };
}

function takesNothing(schema: StandardSchemaV1): boolean {
  const { isList } = textForm(jsonSchemaOf(schema));
  const result = schema["~standard"].validate(isList ? [] : undefined);
  return !("then" in result) && result.issues === undefined;
}

/** Reads the form of a request. */
export async function readForm(
  request: HttpRequest<unknown>,
  form: FormSchemas,
  stores: Readonly<Record<string, (file: ReceivedFile) => unknown>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { mediaType } = chooseDecoder(request.headers, readersOf(form));
  const reading = new FormReading(form, stores);
  if (mediaType.type === "application") {
    for (const [name, text] of new URLSearchParams(await request.text())) reading.add(name, text);
    return reading.values();
  }
  const files = Object.values(form).filter(isFile);
  const limit = files.reduce((sum, { most, count = 1 }) => sum + most * count, mostText);
  try {
    const parts = readParts(request.stream({ limit }), mediaType.parameters.get("boundary") ?? "");
    for await (const part of parts) await reading.take(part);
  } catch (cause) {
    throw malformedRefusal(cause) ?? cause;
  }
  return reading.values();
}

class FormReading {
  readonly #form: FormSchemas;
  readonly #stores: Readonly<Record<string, (file: ReceivedFile) => unknown>>;
  readonly #found = new Map<string, unknown[]>();
  readonly #issues: StandardSchemaV1.Issue[] = [];
  #textLeft = mostText;
  #partsLeft = mostParts;

  constructor(form: FormSchemas, stores: Readonly<Record<string, (file: ReceivedFile) => unknown>>) {
    this.#form = form;
    this.#stores = stores;
  }

  add(name: string, value: unknown): void {
    const known = this.#found.get(name);
    if (known === undefined) this.#found.set(name, [value]);
    else known.push(value);
  }

  async take({ name, fileName, type, pieces }: FormPart): Promise<void> {
    if (--this.#partsLeft < 0) throw new ContentError(`The form has more than ${mostParts} parts`);
    const schema = Object.hasOwn(this.#form, name) ? this.#form[name] : undefined;
    if (!isFile(schema)) {
      const bytes = await joined(pieces, this.#textLeft);
      this.#textLeft -= bytes.length;
      if (schema === undefined) return;
      if (fileName === undefined) this.add(name, decodeUtf8(bytes));
      else this.#refuse(name, "must be text, not a file");
      return;
    }
    // So browsers send a field for a file in which there is none; others leave out even the empty name.
    if (fileName === "" || (fileName === undefined && (await joined(pieces, this.#textLeft)).length === 0)) return;
    const sent = parseMediaType(type);
    const isOfType = schema.types.some((range) => {
      const wanted = parseMediaRange(range);
      return wanted !== undefined && sent !== undefined && matchesMediaType(wanted, sent);
    });
    if (fileName === undefined) this.#refuse(name, "must be a file, not text");
    else if (schema.types.length > 0 && !isOfType)
      this.#refuse(name, `must be a file of the type ${schema.types.join(" or ")}, not ${excerpt(type)}`);
    else if ((this.#found.get(name)?.length ?? 0) >= (schema.count ?? 1))
      this.#refuse(name, `must be at most ${schema.count ?? 1} files`);
    // What is refused in any case is not stored.
    if (this.#issues.length > 0 || fileName === undefined) return;
    const received = { name: fileName.replace(/^.*[/\\]/s, ""), type, content: bounded(pieces, schema.most) };
    const store = Object.hasOwn(this.#stores, name) ? this.#stores[name] : undefined;
    this.add(name, await (store ?? inMemory)(received));
  }

  /** @throws HttpError 400 that names each field that breaks a rule */
  async values(): Promise<Readonly<Record<string, unknown>>> {
    const values: [string, unknown][] = [];
    const refused = new Set(this.#issues.map(({ path = [] }) => path[0]));
    for (const [name, schema] of Object.entries(this.#form)) {
      if (refused.has(name)) continue;
      const found = this.#found.get(name) ?? [];
      if (isFile(schema)) values.push([name, schema.count === undefined ? found[0] : found]);
      else values.push([name, this.#textOf(name, schema, found as readonly string[])]); // of fields
    }
    const read = values.map(async ([name, value]): Promise<readonly [string, unknown]> => {
      // What a function returns for a file may be nothing: the file came all the same.
      if (isFile(this.#form[name]) && this.#found.has(name)) return [name, value];
      const result = await this.#form[name]?.["~standard"].validate(value);
      for (const issue of result?.issues ?? []) this.#issues.push({ ...issue, path: [name, ...(issue.path ?? [])] });
      return [name, result?.issues === undefined ? result?.value : undefined];
    });
    const all = await Promise.all(read);
    if (this.#issues.length > 0) throw invalidContent(this.#issues);
    return Object.fromEntries(all);
  }

  #textOf(name: string, schema: StandardSchemaV1, texts: readonly string[]): unknown {
    const { isList, convert } = textForm(jsonSchemaOf(schema));
    if (isList) return texts.map(convert);
    if (texts.length > 1) this.#refuse(name, "is given more than once", "repeated");
    const [text] = texts;
    // Browsers send a field in which nothing was typed as an empty text: it is no number.
    const isNoText = convert("1") !== "1" || convert("true") !== "true";
    return text === undefined || (text === "" && isNoText) ? undefined : convert(text);
  }

  #refuse(name: string, message: string, code?: string): void {
    this.#issues.push({ message, path: [name], ...(code !== undefined && { code }) });
  }
}

const inMemory = async ({ name, type, content }: ReceivedFile): Promise<File> =>
  // Of pieces that are in memory of their own.
  new File((await Array.fromAsync(content)) as Uint8Array<ArrayBuffer>[], name, { type });

/** In bytes: of all that is in a form beside its files. */
const mostText = 1_048_576;
const mostParts = 1_000;
