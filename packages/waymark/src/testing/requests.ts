import { isJson } from "../fields/media-type.ts";
import { textForm } from "../input/from-text.ts";
import type { ParameterObject } from "../openapi/document.ts";
import { type Operation, parameterKey } from "./operations.ts";
import { nouns, ParameterTexts } from "./parameter-texts.ts";
import { type Content, type Making, type Parts, PartsMaker } from "./parts.ts";
import type { ContractRequest, Expectation } from "./request.ts";
import { Values } from "./values.ts";

/** Makes requests for one operation. */
export class RequestMaker {
  readonly #operation: Operation;
  readonly #making: Making;
  readonly #values: Values;
  readonly #texts: ParameterTexts;
  readonly #parts: PartsMaker;

  constructor(operation: Operation, making: Making) {
    this.#operation = operation;
    this.#making = making;
    this.#values = new Values(making.document, making.random);
    this.#texts = new ParameterTexts(operation, making.examples, this.#values, making.random);
    this.#parts = new PartsMaker(operation, making, this.#values, this.#texts);
  }

  /**
   * Returns a request that is as declared.
   *
   * @throws TypeError when no value is found for something that is required
   */
  valid(): ContractRequest {
    const parts = this.#parts.make();
    const request = this.#request("a valid request", parts, { isAllowed: true });
    const { produces, taken } = this.#operation;
    // What a handler reads of the query by itself may choose the type, too.
    const isByAccept = parts.query.every(({ parameter }) => taken.parameters.has(parameterKey(parameter)));
    if (produces.length === 0 || !isByAccept || this.#making.random.chance(0.3)) return request;
    const mediaType = this.#making.random.pick(produces);
    return {
      ...request,
      headers: { ...request.headers, Accept: mediaType },
      expects: { ...request.expects, mediaType },
    };
  }

  /** Returns a request for each thing that can be wrong with one. */
  invalid(): readonly ContractRequest[] {
    // What is wrong must be the one thing that is.
    const parts = this.#parts.make(0);
    return [
      ...this.#operation.parameters.flatMap((parameter) => this.#wrongParameter(parts, parameter)),
      ...this.#unknownParameter(parts),
      ...this.#wrongContent(parts),
      ...this.#wrongAccept(parts),
      ...this.#otherMethods(parts),
    ];
  }

  #wrongParameter(parts: Parts, parameter: ParameterObject): readonly ContractRequest[] {
    const { taken, path } = this.#operation;
    const { in: place, name } = parameter;
    const isTaken = taken.parameters.has(parameterKey(parameter));
    const noun = `the ${nouns[place]} "${name}"`;
    const expects = ({ isPath = false } = {}): Expectation =>
      isTaken ? { statuses: isPath ? taken.invalidPath : [400], error: { in: place, parameter: name } } : {};
    const wrong = this.#texts.wrong(parameter);
    if (place === "path") {
      return wrong.map((text) =>
        this.#request(
          `${noun} is ${JSON.stringify(text)}`,
          { ...parts, path: filled(path, parts.path, name, text) },
          expects({ isPath: true }),
        ),
      );
    }
    const list = place === "query" ? "query" : "fields";
    const others = parts[list].filter((sent) => sent.parameter !== parameter);
    const withTexts = (kind: string, texts: readonly string[], expected: Expectation): ContractRequest =>
      this.#request(`${noun} is ${kind}`, { ...parts, [list]: [...others, { parameter, texts }] }, expected);
    const [good] = this.#texts.good(parameter) ?? [];
    return [
      ...(parameter.required === true ? [withTexts("missing", [], expects())] : []),
      ...wrong.map((text) => withTexts(JSON.stringify(text), [text], expects())),
      ...(place === "query" &&
      good !== undefined &&
      isTaken &&
      !textForm(parameter.schema as Record<string, unknown>).isList
        ? [withTexts("given twice", [good, good], expects())]
        : []),
    ];
  }

  #unknownParameter(parts: Parts): readonly ContractRequest[] {
    if (!this.#operation.taken.isStrict) return [];
    const parameter: ParameterObject = { name: "x-unknown", in: "query", schema: {} };
    const query = [...parts.query, { parameter, texts: ["1"] }];
    const expects: Expectation = { statuses: [400], error: { in: "query", parameter: "x-unknown" } };
    return [this.#request("a query parameter that is not declared", { ...parts, query }, expects)];
  }

  #wrongContent(parts: Parts): readonly ContractRequest[] {
    const { body, responses, taken } = this.#operation;
    const { content } = parts;
    if (body === undefined || content === undefined) return [];
    const refused = (status: number): Expectation =>
      String(status) in responses
        ? { statuses: taken.body === undefined ? [status, 400, ...earlier] : [status, ...earlier] }
        : {};
    const withContent = (
      kind: string,
      changed: Partial<Content>,
      expects: Expectation,
      fields = {},
    ): ContractRequest => {
      const request = this.#request(kind, { ...parts, content: { ...content, ...changed } }, expects);
      return { ...request, headers: { ...request.headers, ...fields } };
    };
    const general = [
      withContent("content of a type that is not read", { type: "application/x-nothing" }, refused(415)),
      withContent("content without a Content-Type", { type: "" }, refused(415)),
      withContent("a content coding that is not known", {}, refused(415), { "Content-Encoding": "x-nothing" }),
    ];
    if (!isJson(content.type)) return general;
    const isValidated = taken.body !== undefined;
    const malformed: Expectation = isValidated ? { statuses: [400, ...earlier] } : {};
    const long = " ".repeat(this.#making.contentLimit + 1);
    const broken = this.#values.broken(content.schema, content.value);
    return [
      ...general,
      withContent("malformed content", { text: content.text.slice(0, -1) || "{" }, malformed),
      withContent("content that has a name twice", { text: '{"a":1,"a":1}' }, malformed),
      ...(this.#making.contentLimit <= longestContent && isValidated
        ? [withContent("content that is too long", { text: long }, { statuses: [413, ...earlier] })]
        : []),
      ...broken.map(({ value, how, pointer }) =>
        withContent(
          `content that breaks its schema: ${how}`,
          { text: JSON.stringify(value) },
          isValidated ? { ...malformed, error: { pointer } } : {},
        ),
      ),
    ];
  }

  #wrongAccept(parts: Parts): readonly ContractRequest[] {
    const { produces, responses } = this.#operation;
    if (produces.length === 0 || responses["406"] === undefined) return [];
    const request = this.#request("an Accept that is not met", parts, { statuses: [406] });
    return [{ ...request, headers: { ...request.headers, Accept: "application/x-nothing" } }];
  }

  #otherMethods(parts: Parts): readonly ContractRequest[] {
    const { method } = this.#operation;
    const { methodsOf } = this.#making;
    const allow = methodsOf(decodeURI(parts.path)) ?? [];
    const none: Parts = { ...parts, content: undefined };
    const as = (other: string, kind: string, expects: Expectation): ContractRequest => ({
      ...this.#request(kind, other === "HEAD" ? parts : none, expects),
      method: other,
    });
    const another = ["DELETE", "PATCH", "PUT", "POST", "GET"].find((each) => !allow.includes(each));
    return [
      ...(method === "GET" ? [as("HEAD", "HEAD in place of GET", {})] : []),
      ...(another === undefined || allow.length === 0
        ? []
        : [as(another, "another method", { statuses: [405], allow, isOfRouter: true })]),
    ];
  }

  #request(kind: string, { path, query, fields, content }: Parts, expects: Expectation): ContractRequest {
    const search = query.flatMap(({ parameter: { name }, texts }) =>
      texts.map((text) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`),
    );
    return {
      kind,
      method: this.#operation.method,
      target: search.length === 0 ? path : `${path}?${search.join("&")}`,
      headers: {
        ...this.#making.headers,
        ...Object.fromEntries(
          fields
            .filter(({ texts }) => texts.length > 0)
            .map(({ parameter: { name }, texts }) => [name, texts.join(", ")]),
        ),
        ...(content !== undefined && content.type !== "" && { "Content-Type": content.type }),
      },
      ...(content !== undefined && { body: content.text }),
      expects,
    };
  }
}

/** Statuses by which a handler may refuse before it reads content. */
const earlier: readonly number[] = [404, 409, 410, 412, 428];

const longestContent = 4 * 1024 * 1024;

/** Returns a path with another text for one of its variables. */
function filled(template: string, path: string, variable: string, text: string): string {
  const segments = template.split("/");
  const own = path.split("/");
  return segments
    .map((segment, i) =>
      segment.includes(`{${variable}}`) ? segment.replace(/\{[^}]*\}/g, encodeURIComponent(text)) : own[i],
    )
    .join("/");
}
