// For the packages of this project only, and never for a program: what adapters for a runtime are made of, and what writes messages. It
// may change with each version. What begins with `* as` is a room as a whole.
export { AdapterExchange } from "./adapter/adapter-exchange.ts";
export { andThen } from "./and-then.ts";
export * as jsonReferences from "./content/references.ts";
export * as contentRefusals from "./content/refusals.ts";
export * as schemaIssues from "./content/standard-schema.ts";
export { DeclarationSite } from "./declaration.ts";
export * as headerLists from "./fields/header-list.ts";
export * as syntax from "./fields/syntax.ts";
export { textForm } from "./input/from-text.ts";
export { requireOptions } from "./known-options.ts";
export { operationsOf } from "./openapi/operations.ts";
export * as requestTarget from "./path/target.ts";
export { parseTemplate } from "./path/template.ts";
export { checksPath } from "./path-check.ts";
export { reasonPhrase } from "./reason-phrase.ts";
export { exchangeOf } from "./request.ts";
export { openBody } from "./response-body.ts";
export { placeAt } from "./route.ts";
export { explainAnswer } from "./routing/explain-answer.ts";
export { samplePath } from "./routing/reach.ts";
export * as routerRefusals from "./routing/refusal.ts";
export * as sentFields from "./sent-fields.ts";
export { served } from "./served-app.ts";
export { memoizeText } from "./text-map.ts";
export * as wording from "./wording.ts";
