export { type Condition, condition } from "../conditions/kind.ts";
export { pathMatcher } from "../path/template.ts";
export { name } from "../route.ts";
export { listRoutes } from "./explanation/list-routes.ts";
export { RoutingError } from "./findings/finding.ts";
