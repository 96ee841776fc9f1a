export type { Explanation, ExplanationStep, Finding, RouteSummary, UnmetCondition } from "../app.ts";
export { and, not, or } from "../condition.ts";
export { accept } from "../conditions/accept.ts";
export { contentType } from "../conditions/content-type.ts";
export { header } from "../conditions/header.ts";
export { host } from "../conditions/host.ts";
export {
  type Condition,
  type ConditionKind,
  type ConditionParameter,
  condition,
  conditionKind,
  type Matches,
  type Place,
} from "../conditions/kind.ts";
export { method } from "../conditions/method.ts";
export { path } from "../conditions/path.ts";
export { query } from "../conditions/query.ts";
export { when } from "../conditions/when.ts";
export type { DeclarationSite } from "../declaration.ts";
export {
  type ContentDescription,
  type DescribedFilter,
  type Description,
  type DescriptionMember,
  describe,
  described,
  descriptionOf,
  descriptionOfFilter,
  type FilterDescription,
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
export { PatternError, parseTemplate, pathMatcher, type TemplatePart } from "../path/template.ts";
export { checksPath, type PathCheck } from "../path-check.ts";
export { name, type RouteName } from "../route.ts";
export { listRoutes } from "./list-routes.ts";
export { RoutingError } from "./validate.ts";
