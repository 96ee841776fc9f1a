import { HttpRequest } from "waymark";
import { textForm } from "waymark/internal";
import type { Operation, ParameterObject } from "../operations.ts";
import type { Schemas } from "../schemas.ts";
import { brokenValues } from "./broken.ts";
import { nouns, textsOfParameters } from "./parameter-texts.ts";
import { type Content, type Making, type Parts, partsMaker, searchOf } from "./parts.ts";
import type { ContractRequest, Expectation } from "./request.ts";
import { valuesOf } from "./values.ts";

/** Requests for one operation. */
export interface RequestMaker {
  /**
   * Returns a request that is as declared.
   *
   * @throws TypeError when no value is found for something that is required
   */
  valid(): ContractRequest;
  /** Returns a request for each thing that can be wrong with one. */
  invalid(): readonly ContractRequest[];
  /** Returns a valid request without the credentials that others have: of the fields of every request it keeps the host. */
  withoutCredentials(expects: Expectation): ContractRequest;
}

/** Returns what makes the requests for one operation. */
export function requestMaker(operation: Operation, making: Making, schemas: Schemas): RequestMaker {
  const { document, random } = making;
  const values = valuesOf(document, schemas, random);
  const parameterTexts = textsOfParameters(operation, making.examples, schemas, values, random);
  const makeParts = partsMaker(operation, making, schemas, values, parameterTexts);

  const methodsAt = (target: string): readonly string[] | undefined =>
    making.methodsOf(HttpRequest.of({ target }).path);

  /** What is due at a path that may break an expression of the template: then no route is for it, or one of another template. */
  const answerOfRouter = (path: string): Expectation => {
    const allow = methodsAt(path);
    if (allow === undefined) return { statuses: [404], isOfRouter: true };
    return allow.includes(operation.method) ? {} : { statuses: [405], allow, isOfRouter: true };
  };

  const wrongParameter = (parts: Parts, parameter: ParameterObject): readonly ContractRequest[] => {
    const { taken, path } = operation;
    const { in: place, name } = parameter;
    const isTaken = taken.takes(parameter);
    const noun = `the ${nouns[place]} "${name}"`;
    const refused = (statuses: readonly number[]): Expectation => ({ statuses, error: { in: place, parameter: name } });
    const wrong = parameterTexts.wrong(parameter);
    if (place === "path") {
      return wrong.map((text) => {
        const changed = filled(path, parts.path, name, text);
        const expects = isTaken ? refused(taken.invalidPath) : answerOfRouter(changed);
        return requestOf(`${noun} is ${JSON.stringify(text)}`, { ...parts, path: changed }, expects);
      });
    }
    const expects = isTaken ? refused([400]) : {};
    const list = place === "query" ? "query" : "fields";
    const others = parts[list].filter((sent) => sent.parameter !== parameter);
    const withTexts = (kind: string, texts: readonly string[], expected: Expectation): ContractRequest =>
      requestOf(`${noun} is ${kind}`, { ...parts, [list]: [...others, { parameter, texts }] }, expected);
    const [good] = parameterTexts.good(parameter) ?? [];
    return [
      ...(parameter.required === true ? [withTexts("missing", [], expects)] : []),
      ...wrong.map((text) => withTexts(JSON.stringify(text), [text], expects)),
      ...(place === "query" &&
      good !== undefined &&
      isTaken &&
      !textForm(parameter.schema as Record<string, unknown>).isList
        ? [withTexts("given twice", [good, good], expects)]
        : []),
    ];
  };

  const unknownParameter = (parts: Parts): readonly ContractRequest[] => {
    if (!operation.taken.isStrict) return [];
    const parameter: ParameterObject = { name: "x-unknown", in: "query", schema: {} };
    const query = [...parts.query, { parameter, texts: ["1"] }];
    const expects: Expectation = { statuses: [400], error: { in: "query", parameter: "x-unknown" } };
    return [requestOf("a query parameter that is not declared", { ...parts, query }, expects)];
  };

  const wrongContent = (parts: Parts): readonly ContractRequest[] => {
    const { body, responses, taken } = operation;
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
      const request = requestOf(kind, { ...parts, content: { ...content, ...changed } }, expects);
      return { ...request, headers: { ...request.headers, ...fields } };
    };
    const general = [
      withContent("content of a type that is not read", { type: "application/x-nothing" }, refused(415)),
      withContent("content without a Content-Type", { type: "" }, refused(415)),
      withContent("a content coding that is not known", {}, refused(415), { "Content-Encoding": "x-nothing" }),
    ];
    const { format, schema, value } = content;
    if (format === undefined) return general;
    const isValidated = taken.body !== undefined;
    const malformed: Expectation = isValidated ? { statuses: [400, ...earlier] } : {};
    const isForm = content.text !== JSON.stringify(value);
    const ofJson = [
      withContent("malformed content", { text: content.text.slice(0, -1) || "{" }, malformed),
      withContent("content that has a name twice", { text: '{"a":1,"a":1}' }, malformed),
    ];
    const tooLong = operation.contentLimit <= longestContent && isValidated;
    const long = " ".repeat(operation.contentLimit + 1);
    return [
      ...general,
      ...(isForm ? [] : ofJson),
      ...(tooLong ? [withContent("content that is too long", { text: long }, { statuses: [413, ...earlier] })] : []),
      ...brokenValues(schema, value, document, schemas, values).flatMap((broken) => {
        const text = format.write(broken.value);
        if (text === undefined || !format.breaks(broken.value)) return [];
        const expects = isValidated ? { ...malformed, error: { pointer: broken.pointer } } : {};
        return [withContent(`content that breaks its schema at ${broken.pointer}: ${broken.how}`, { text }, expects)];
      }),
    ];
  };

  const wrongAccept = (parts: Parts): readonly ContractRequest[] => {
    const { produces, responses } = operation;
    if (produces.length === 0 || responses["406"] === undefined) return [];
    const request = requestOf("an Accept that is not met", parts, { statuses: [406] });
    return [{ ...request, headers: { ...request.headers, Accept: "application/x-nothing" } }];
  };

  const otherMethods = (parts: Parts): readonly ContractRequest[] => {
    const { method } = operation;
    const allow = methodsAt(parts.path) ?? [];
    const none: Parts = { ...parts, content: undefined };
    const as = (other: string, kind: string, expects: Expectation): ContractRequest => ({
      ...requestOf(kind, other === "HEAD" ? parts : none, expects),
      method: other,
    });
    const another = ["DELETE", "PATCH", "PUT", "POST", "GET"].find((each) => !allow.includes(each));
    return [
      ...(method === "GET" ? [as("HEAD", "HEAD in place of GET", {})] : []),
      ...(another === undefined || allow.length === 0
        ? []
        : [as(another, "another method", { statuses: [405], allow, isOfRouter: true })]),
    ];
  };

  const requestOf = (kind: string, parts: Parts, expects: Expectation, ofAll = making.headers): ContractRequest => {
    const { path, query, fields, content } = parts;
    const search = searchOf(query);
    return {
      kind,
      method: operation.method,
      target: search === "" ? path : `${path}?${search}`,
      headers: {
        ...ofAll,
        ...Object.fromEntries(
          fields
            .filter(({ texts }) => texts.length > 0)
            .map(({ parameter: { name }, texts }) => [name, texts.join(", ")]),
        ),
        ...(content !== undefined && content.type !== "" && { "Content-Type": content.type }),
      },
      ...(content !== undefined && { body: content.text }),
      parts,
      expects,
    };
  };

  return {
    valid() {
      const parts = makeParts();
      const request = requestOf("a valid request", parts, { isAllowed: true });
      const { produces, taken } = operation;
      // What a handler reads of the query by itself may choose the type, too.
      const isByAccept = parts.query.every(({ parameter }) => taken.takes(parameter));
      if (produces.length === 0 || !isByAccept || making.random.chance(0.3)) return request;
      const mediaType = making.random.pick(produces);
      return {
        ...request,
        headers: { ...request.headers, Accept: mediaType },
        expects: { ...request.expects, mediaType },
      };
    },
    withoutCredentials(expects) {
      const parts = makeParts(0);
      // A guard can take its credentials by takes(…), and miss them as any other field.
      const taken = parts.fields.filter(({ parameter }) => operation.taken.takes(parameter));
      const without = { ...parts, fields: parts.fields.filter((field) => !taken.includes(field)) };
      const { statuses } = expects;
      const due = statuses && taken.length > 0 ? { ...expects, statuses: [...statuses, 400] } : expects;
      const host = Object.entries(making.headers).filter(([name]) => name.toLowerCase() === "host");
      return requestOf("a valid request without credentials", without, due, Object.fromEntries(host));
    },
    invalid() {
      // What is wrong must be the one thing that is.
      const parts = makeParts(0);
      return [
        ...operation.parameters.flatMap((parameter) => wrongParameter(parts, parameter)),
        ...unknownParameter(parts),
        ...wrongContent(parts),
        ...wrongAccept(parts),
        ...otherMethods(parts),
      ];
    },
  };
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
