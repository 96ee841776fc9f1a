// For the packages of this project only, and never for a program: what adapters for a runtime are made of, and what writes messages. It
// may change with each version. What begins with `* as` is a room as a whole.
export { AdapterExchange } from "./adapter/adapter-exchange.ts";
export { openBody } from "./body/response-body.ts";
export * as sentFields from "./body/sent-fields.ts";
export { andThen } from "./common/and-then.ts";
export { DeclarationSite } from "./common/declaration.ts";
export { requireOptions } from "./common/known-options.ts";
export { checksPath } from "./common/path-check.ts";
export { reasonPhrase } from "./common/reason-phrase.ts";
export { memoizeText } from "./common/text-map.ts";
export * as wording from "./common/wording.ts";
export * as jsonReferences from "./content/references.ts";
export * as contentRefusals from "./content/refusals.ts";
export * as schemaIssues from "./content/standard-schema.ts";
export * as headerLists from "./fields/header-list.ts";
export * as syntax from "./fields/syntax.ts";
export { textForm } from "./input/from-text.ts";
export { operationsOf } from "./openapi/operations.ts";
export * as requestTarget from "./path/target.ts";
export { parseTemplate } from "./path/template.ts";
export { exchangeOf } from "./request.ts";
export { placeAt } from "./route.ts";
export * as routerRefusals from "./routing/dispatch/refusal.ts";
export { explainAnswer } from "./routing/explanation/explain-answer.ts";
export { samplePath } from "./routing/explanation/reach.ts";
export { served } from "./serving/served-app.ts";
