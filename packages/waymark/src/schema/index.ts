export { type ManyOptions, many } from "./many.ts";
export {
  boolean,
  date,
  integer,
  type NumberOptions,
  number,
  oneOf,
  optional,
  type StringOptions,
  string,
} from "./scalars.ts";
export { type InnerSchema, type Keywords, type ValueSchema, valueSchema, type WithDefault } from "./value-schema.ts";
