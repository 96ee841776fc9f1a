export type { Explanation, ExplanationStep, Finding, RouteSummary, UnmetCondition } from "../app.ts";
export { accept, and, type Condition, contentType, header, method, not, or, path, query, test } from "../condition.ts";
export type { DeclarationSite } from "../declaration.ts";
export {
  type ContentDescription,
  type Description,
  type DescriptionMember,
  describe,
  described,
  descriptionOf,
  type HeaderDescription,
  type JsonSchema,
  type MediaTypeDescription,
  type NamedSchema,
  namedSchema,
  type ParameterDescription,
  type ResponseDescription,
  type Schema,
  type StandardJsonSchema,
} from "../description.ts";
export { PatternError, pathMatcher } from "../path/template.ts";
export { name, type RouteName } from "../route.ts";
export { listRoutes } from "./explain.ts";
export { RoutingError } from "./validate.ts";
