export { type Access, type AccessOptions, openAccess } from "./access/access.ts";
export { FileMistakes } from "./access/json-file.ts";
export type { AccessRefusal } from "./access/refusal.ts";
export { type Health, healthRoutes } from "./health-routes.ts";
export { type Address, type Person, type PersonSchema, personSchema } from "./person.ts";
export { personCollection } from "./person-collection.ts";
export { personRepresentations } from "./person-representations.ts";
export { greetingRoutes, personRoutes, problemRoutes } from "./routes.ts";
export { openPersonService, type PersonService, type PersonServiceOptions } from "./service.ts";
