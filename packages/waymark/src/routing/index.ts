export type { Explanation, ExplanationStep, Finding, Refusal, RouteSummary, UnmetCondition } from "../app.ts";
export {
  type Condition,
  type ConditionKind,
  type ConditionParameter,
  condition,
  conditionKind,
  type Matches,
  type Place,
} from "../conditions/kind.ts";
export type { DeclarationSite } from "../declaration.ts";
export { PatternError, parseTemplate, pathMatcher, type TemplatePart } from "../path/template.ts";
export { checksPath, type PathCheck } from "../path-check.ts";
export { name, type RouteName } from "../route.ts";
export { listRoutes } from "./list-routes.ts";
export { RoutingError } from "./validate.ts";
