import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import type { OpenApiDocument } from "waymark/openapi";

/** JSON Schema 2020-12, as documents have it. */
export type Schema = Readonly<Record<string, unknown>>;

/** A place in a value that its schema does not allow. */
export interface SchemaFault {
  /** A JSON Pointer as the fragment of a URI. */
  readonly pointer: string;
  readonly message: string;
}

/** Judges values by the schemas of one document. */
export interface Schemas {
  /** Returns where a value breaks its schema. */
  faultsOf(schema: unknown, value: unknown): readonly SchemaFault[];
  allows(schema: unknown, value: unknown): boolean;
}

/**
 * Returns what judges values by the schemas of a document.
 *
 * @param members whether objects may have members beside those that are declared; by default as the schemas say
 */
export function schemasOf(document: OpenApiDocument, members: "declared" | "open" = "declared"): Schemas {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, code: { regExp: expressionMaker } });
  ajvFormats.default(ajv);
  const compiled = new Map<unknown, ValidateFunction>();
  const validatorOf = (schema: unknown): ValidateFunction => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    // References begin at the root of what is compiled.
    const root = { schemas: document.components?.schemas ?? {} };
    const whole = typeof schema === "object" ? { ...schema, components: root } : schema !== false;
    const made = ajv.compile(members === "open" ? opened(whole) : whole);
    compiled.set(schema, made);
    return made;
  };
  return {
    faultsOf(schema, value) {
      const validate = validatorOf(schema);
      if (validate(value)) return [];
      const errors = validate.errors ?? [];
      return errors.map(({ instancePath, message = "is wrong" }) => ({ pointer: `#${instancePath}`, message }));
    },
    allows: (schema, value) => validatorOf(schema)(value),
  };
}

/** Returns a schema whose objects may have more members. */
const opened = (schema: object | boolean): object | boolean =>
  JSON.parse(JSON.stringify(schema), (name, value) =>
    value === false && /^(?:additional|unevaluated)Properties$/.test(name) ? undefined : value,
  );

/** Returns a pattern of JSON Schema as an expression: those that are not Unicode's are read as they were written. */
export function expression(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}

const expressionMaker = Object.assign(expression, { code: "expression" });
