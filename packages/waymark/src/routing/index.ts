export type { Explanation, Finding, RouteSummary } from "../app.ts";
export { type Condition, type ConditionKind, condition, conditionKind } from "../conditions/kind.ts";
export { PatternError, parseTemplate, pathMatcher, type TemplatePart } from "../path/template.ts";
export { checksPath } from "../path-check.ts";
export { name } from "../route.ts";
export { listRoutes } from "./list-routes.ts";
export { samplePath } from "./reach.ts";
export { RoutingError } from "./validate.ts";
