export { type Condition, condition, conditionKind } from "../conditions/kind.ts";
export { PatternError, pathMatcher } from "../path/template.ts";
export { name } from "../route.ts";
export { listRoutes } from "./list-routes.ts";
export { RoutingError } from "./validate.ts";
