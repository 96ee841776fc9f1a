// For the packages of this project only, and never for a program: what adapters for a runtime are made of, and what writes messages. It
// may change with each version.
export { AdapterExchange, answer, send } from "./adapter/adapter-exchange.ts";
export { cancelBody } from "./adapter/stream.ts";
export { andThen } from "./and-then.ts";
export type { AnswerRecording, RepeatedRequest, Repetition } from "./answer-recording.ts";
export { base } from "./base.ts";
export { inlineReferences, lookUp } from "./content/references.ts";
export { contentInterrupted, contentTooLarge } from "./content/refusals.ts";
export { saidForPrograms, toPointer, toShortPointer } from "./content/standard-schema.ts";
export { escapeXml } from "./content/xml-text.ts";
export { DeclarationSite, typeName } from "./declaration.ts";
export { docsOfFilter } from "./description.ts";
export { isFieldValue } from "./fields/field-line.ts";
export { forwardedHops } from "./fields/forwarded.ts";
export { addHttp2Fields, fieldLines, notedHeaders, parsedHeaders, rememberValues } from "./fields/header-list.ts";
export { findRepeated } from "./fields/repeated.ts";
export { isToken, quotedText, tokenList, tokenText, trimBlanks } from "./fields/syntax.ts";
export { uncodedTag } from "./filters/compress.ts";
export { turnOf } from "./filters/overload.ts";
export { toClientKey } from "./filters/rate-limit.ts";
export { textForm } from "./input/from-text.ts";
export { type OptionTypes, requireKnownOptions, requireOptions } from "./known-options.ts";
export {
  eitherOf,
  escapeUnprintable,
  excerpt,
  pascalCase,
  positionAt,
  quote,
  withCommas,
} from "./message-text.ts";
export { nearestName, orNearest } from "./nearest-name.ts";
export { parameterKey } from "./openapi/operation.ts";
export { operationsOf } from "./openapi/operations.ts";
export { faultOfCharacter, isHost, withTargetHost } from "./path/target.ts";
export { parseTemplate } from "./path/template.ts";
export { checksPath } from "./path-check.ts";
export { reasonPhrase } from "./reason-phrase.ts";
export { exchangeOf } from "./request.ts";
export { handlerFields, hasNoContent, isStreamed, representedFields } from "./response.ts";
export { openBody } from "./response-body.ts";
export { placeAt } from "./route.ts";
export { explainAnswer } from "./routing/explain-answer.ts";
export { samplePath } from "./routing/reach.ts";
export { isRefusedMessage, refuseUnknownMethod } from "./routing/refusal.ts";
export { type Servable, type ServedApp, served } from "./served-app.ts";
export { memoizeText } from "./text-map.ts";
