import type { OpenApiDocument } from "../document.ts";
import type { Names } from "./names.ts";
import type { Problems } from "./problems.ts";
import type { Types } from "./types.ts";

/** What the parts of a client are written with. */
export interface Context {
  readonly document: OpenApiDocument;
  readonly names: Names;
  readonly types: Types;
  readonly problems: Problems;
}
