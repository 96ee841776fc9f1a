export type { Explanation, ExplanationFailure, ExplanationStep, Finding, RouteSummary } from "../app.ts";
export { accept, and, type Condition, contentType, header, method, not, or, path, query, test } from "../condition.ts";
export type { DeclarationSite } from "../declaration.ts";
export { PatternMistake, pathMatcher } from "../path/template.ts";
export { listRoutes } from "./explain.ts";
export { type Mistake, RoutingMistakes } from "./mistake.ts";
