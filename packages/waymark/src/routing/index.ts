export { type Condition, condition } from "../conditions/kind.ts";
export { pathMatcher } from "../path/template.ts";
export { name } from "../route.ts";
export { listRoutes } from "./list-routes.ts";
export { RoutingError } from "./validate.ts";
