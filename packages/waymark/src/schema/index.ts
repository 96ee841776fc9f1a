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
export type { ValueSchema, WithDefault } from "./value-schema.ts";
