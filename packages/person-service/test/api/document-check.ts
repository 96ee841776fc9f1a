import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { HttpRequest } from "waymark";
import type { OpenApiDocument } from "waymark/openapi";
import type { MediaTypeObject, ReferenceObject, RequestBodyObject } from "../../../waymark/src/openapi/document.ts";
import { type ContentValue, contentValue, decoded, recordOf } from "../person/values/content-values.ts";
import type { Answer, Message } from "../tools/transports.ts";

/** Holds what a client sent, and what it got, against an OpenAPI document. */
export interface DocumentCheck {
  /** @throws AssertionError that says what the document does not have */
  check(method: string, target: string, message: Message, answer: Answer): void;
  /**
   * Returns the answers of operations that the document has, and that none of those checked so far was: by their status with
   * each media type, without content, and with each code of a problem.
   */
  unmet(): readonly string[];
}

/** A response as the document has it, without references. */
interface Candidate {
  readonly pointer: string;
  readonly response: OpenApiDocument.Response;
}

export function documentCheck(document: OpenApiDocument): DocumentCheck {
  const validateJson = validation(document, false);
  const validateText = validation(document, true);
  const met = new Set<string>();
  const faultOfContent = (
    pointer: string,
    content: Readonly<Record<string, MediaTypeObject>>,
    key: string,
    bytes: Uint8Array | string,
    isNarrowed: boolean,
  ): string | undefined => {
    let parsed: ContentValue;
    try {
      parsed = contentValue(key, bytes);
    } catch (error) {
      return `has content that is not ${key} (${error instanceof Error ? error.message : error})`;
    }
    const { value, isText, columns } = parsed;
    const validate = isText ? validateText : validateJson;
    // A schema of XML, or of lines, as text says nothing of its values; they are those of the JSON beside it.
    const isStructured = typeof value === "object" && isStringSchema(content[key]);
    const beside = ["application/json", "application/problem+json"].find((type) => type in content);
    if (isStructured && beside === undefined) return undefined;
    const schemaKey = isStructured ? (beside ?? key) : key;
    const schema = `${pointer}/content/${escapePointer(schemaKey)}/schema`;
    // What `fields` leaves out is missing, and may be what tells one alternative from another.
    const fault = validate(schema, value, (keyword) => !(isNarrowed && ["required", "anyOf"].includes(keyword)));
    if (fault !== undefined || columns === undefined) return fault;
    return validate(schema, [recordOf(columns)], (keyword) => keyword === "additionalProperties");
  };
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const pattern = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]*\}/g, "[^/]+");
    return { path, item, expression: new RegExp(`^${pattern}$`) };
  });
  const operationOf = (
    method: string,
    target: string,
  ): { readonly pointer: string; readonly line: string; readonly operation: OpenApiDocument.Operation } | undefined => {
    const pathname = canonicalPath(target);
    if (pathname === undefined) return undefined;
    if (method !== method.toUpperCase()) return undefined; // the names of methods are case-sensitive (RFC 9110 §9.1)
    const name = method === "HEAD" ? "get" : method.toLowerCase();
    // A path without variables comes before those with them, whatever its methods are (OpenAPI 3.1 §4.8.8.2).
    const found =
      paths.find(({ path }) => path === pathname) ?? paths.find(({ expression }) => expression.test(pathname));
    if (found === undefined || !(name in found.item)) return undefined;
    const operation = found.item[name] as OpenApiDocument.Operation; // `x-operations` is no name of a method
    const line = `${name.toUpperCase()} ${found.path}`;
    return { pointer: `/paths/${escapePointer(found.path)}/${name}`, line, operation };
  };
  const resolve = <T extends object>(
    value: T | ReferenceObject,
    pointer: string,
  ): { readonly pointer: string; readonly value: T } => {
    if (!("$ref" in value)) return { pointer, value };
    const at = value.$ref.slice(1);
    const parts = at.slice(1).split("/");
    // The document refers to its own components.
    return {
      pointer: at,
      value: parts.reduce((whole: unknown, part) => (whole as Record<string, unknown>)[part], document) as T,
    };
  };

  const faultIn = (
    { pointer, response }: Candidate,
    answer: Answer,
    isHead: boolean,
    isNarrowed: boolean,
  ): string | undefined => {
    const { content } = response;
    const undeclared = Object.keys(answer.headers).filter(
      (name) =>
        !everywhere.test(name) &&
        !Object.keys(response.headers ?? {}).some((declared) => declared.toLowerCase() === name),
    );
    if (undeclared.length > 0) return `has the fields ${undeclared.join(", ")}`;
    if (isHead) return undefined;
    const type = answer.headers["content-type"] ?? "";
    // A list of nobody in lines is no line.
    if (answer.bytes.length === 0 && type === "") {
      return content === undefined || response["x-content-optional"] === true ? undefined : "has no content";
    }
    // A refusal that has no content for programs has a page for browsers.
    if (answer.status >= 400 && content === undefined && plain(type) === "text/html") return undefined;
    const key = contentKey(content ?? {}, type);
    if (key === undefined) return `has content of the type "${type}"`;
    const bytes = decoded(answer.bytes, answer.headers["content-encoding"]);
    return faultOfContent(pointer, content ?? {}, key, bytes, isNarrowed);
  };

  return {
    check(method, target, message, answer) {
      const found = operationOf(method, target);
      if (found === undefined && method === "OPTIONS") return;
      const { status } = answer;
      const { responses = document["x-refusals"] } = found?.operation ?? {};
      const base = found === undefined ? "/x-refusals" : `${found.pointer}/responses`;
      // `default` is what the server refuses before an operation.
      const keys = [responses[status] === undefined && status < 300 ? "2XX" : `${status}`, "default"];
      const candidates = keys
        .flatMap((key) =>
          responses[key] === undefined ? [] : [resolve<OpenApiDocument.Response>(responses[key], `${base}/${key}`)],
        )
        .map(({ pointer, value }): Candidate => ({ pointer, response: value }));
      const asked = `${method} ${target.slice(0, 200)} → ${status}`;
      assert.notEqual(candidates.length, 0, `${asked} is not in the OpenAPI document`);
      const isNarrowed = /[?&]fields=/.test(target);
      const faults = candidates.map((candidate) => faultIn(candidate, answer, method === "HEAD", isNarrowed));
      if (!faults.includes(undefined))
        assert.fail(`${asked} ${faults[0]}, which the OpenAPI document does not have: ${answer.text.slice(0, 300)}`);
      if (found === undefined) return;
      if (responses[status] !== undefined && method !== "HEAD") meet(`${found.line} ${status}`, answer);
      if (status >= 300) return;
      assert.deepEqual(
        undeclaredParameters(found.operation, target, resolve),
        [],
        `${asked} has parameters that the OpenAPI document has not`,
      );
      if (found.operation.requestBody !== undefined)
        checkContent(found.pointer, found.operation.requestBody, target, message, asked);
    },
    unmet: () => documented().filter((answer) => !met.has(answer)),
  };

  function meet(status: string, { headers, bytes }: Answer): void {
    const type = plain(headers["content-type"] ?? "");
    met.add(`${status} ${type || nothing}`);
    if (type !== "application/problem+json") return;
    const problem = JSON.parse(new TextDecoder().decode(decoded(bytes, headers["content-encoding"])));
    met.add(`${status} ${problem.type.split("/").at(-1)}`);
  }

  function documented(): readonly string[] {
    return paths.flatMap(({ path, item }) =>
      Object.entries(item).flatMap(([method, operation]) =>
        // `x-operations` is not there.
        Object.entries((operation as OpenApiDocument.Operation).responses).flatMap(([status, response]) => {
          // Answers of the server are not those of the operation.
          if (status === "default") return [];
          const { content = {}, ...others } = resolve<OpenApiDocument.Response>(response, "").value;
          const mayBeEmpty = Object.keys(content).length === 0 || others["x-content-optional"] === true;
          const codes = Object.keys(content["application/problem+json"]?.examples ?? {});
          // A client that reads another form of problems gets no 406 where there is such a representation.
          const types = Object.keys(content).filter((type) => status !== "406" || type === "application/problem+json");
          return [...types.map(plain), ...codes, ...(mayBeEmpty ? [nothing] : [])].map(
            (what) => `${method.toUpperCase()} ${path} ${status} ${what}`,
          );
        }),
      ),
    );
  }

  function checkContent(
    pointer: string,
    { content }: RequestBodyObject,
    target: string,
    { headers = {}, body = "" }: Message,
    asked: string,
  ): void {
    const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
    const type = fields.get("content-type") ?? "";
    // The fields of a form are not JSON, which the schema is about.
    if (type === "application/x-www-form-urlencoded") return;
    const key = contentKey(content, type);
    assert.notEqual(key, undefined, `${asked} has content of the type "${type}", which the OpenAPI document has not`);
    // These are taken with records that are refused.
    const isLenient = /handling\s*=\s*"?lenient/i.test(fields.get("prefer") ?? "") || /[?&]dry-run=/.test(target);
    // What follows a charset or another parameter is for tests of the decoders.
    if (key === undefined || isLenient || /;/.test(type)) return;
    const bytes = typeof body === "string" ? body : decoded(body, fields.get("content-encoding"));
    const fault = faultOfContent(`${pointer}/requestBody`, content, key, bytes, false);
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    assert.equal(
      fault,
      undefined,
      `${asked} is taken, and the OpenAPI document does not allow its content: ${text.slice(0, 300)}`,
    );
  }
}

/** @param counts whether a breach of the keyword counts */
type Validate = (pointer: string, value: unknown, counts: (keyword: string) => boolean) => string | undefined;

/** @param isText whether text may stand for a number or a boolean, */
function validation(document: OpenApiDocument, isText: boolean): Validate {
  // The schemas are compiled once for each process: what makes validators faster, and checks `$ref` as a schema, took most of the time.
  const compiling = { inlineRefs: false, code: { optimize: false }, validateSchema: false };
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...compiling, ...(isText && { coerceTypes: true }) });
  formats.default(ajv);
  ajv.addSchema(document, "document");
  const validators = new Map<string, ValidateFunction>();
  return (pointer, value, counts) => {
    let validator = validators.get(pointer);
    if (validator === undefined) {
      validator = ajv.compile({ $ref: `document#${pointer}` });
      validators.set(pointer, validator);
    }
    validator(value);
    const errors = (validator.errors ?? []).filter(({ keyword }) => counts(keyword));
    return errors.length === 0 ? undefined : ajv.errorsText(errors);
  };
}

const isStringSchema = (mediaType: MediaTypeObject | undefined): boolean =>
  (mediaType?.schema as { readonly type?: unknown } | undefined)?.type === "string";

function undeclaredParameters(
  { parameters = [], responses, ...operation }: OpenApiDocument.Operation,
  target: string,
  resolve: <T extends object>(value: T | ReferenceObject, pointer: string) => { readonly value: T },
): readonly string[] {
  const query = target.replace(/^[^?]*\??/s, "");
  if (query === "") return [];
  const declared = parameters.map((each) => resolve(each, "").value).filter((each) => each.in === "query");
  const names = new Set(declared.map(({ name }) => name));
  // Clients have the patterns in an extension, in place of the parameter that stands for all of them.
  const { "x-comparisons": filters = {} } = operation as { "x-comparisons"?: object };
  const patterns = [filters, ...declared.map(({ schema }) => schema)].flatMap((schema) =>
    Object.keys((schema as { patternProperties?: object }).patternProperties ?? {}),
  );
  // Other operations have nothing against a query that they do not read.
  const refusal = responses[400] && resolve(responses[400], "").value;
  if (!JSON.stringify(refusal ?? "").includes("/problems/invalid-parameters")) return [];
  const sent = [...new URLSearchParams(query).keys()];
  return sent.filter((name) => !names.has(name) && !patterns.some((pattern) => new RegExp(pattern).test(name)));
}

/** Returns the media type of the record that a Content-Type is meant by. */
function contentKey(content: Readonly<Record<string, MediaTypeObject>>, contentType: string): string | undefined {
  return Object.keys(content).find((type) => plain(type) === plain(contentType));
}

const plain = (type: string): string => type.toLowerCase().replace(/\s*;.*$/s, "");

/** What an answer has that has no content. */
const nothing = "without content";

/** Returns the path as the routes see it; undefined for a target that is malformed. */
function canonicalPath(target: string): string | undefined {
  try {
    return HttpRequest.of({ target }).path;
  } catch {
    return undefined;
  }
}

/** As a fragment of a URI. */
const escapePointer = (text: string): string => encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"));

/** Fields of the connection, of content in general, of caches, of security and of CORS, which any response may have. */
const everywhere =
  /^(?:content-(?:type|length|encoding|security-policy)|cache-control|vary|accept-ranges|x-content-type-options|referrer-policy|cross-origin-resource-policy|strict-transport-security|access-control-.*|timing-allow-origin)$/;
