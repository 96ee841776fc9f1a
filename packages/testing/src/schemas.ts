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
  const prepared = (given: object): object =>
    JSON.parse(JSON.stringify(given), (name, value) => {
      if (name === "$ref" && typeof value === "string" && value.startsWith("#")) return `${whole}${value}`;
      const closes = members === "open" && value === false && /^(?:additional|unevaluated)Properties$/.test(name);
      return closes ? undefined : value;
    });
  ajv.addSchema(prepared(document), whole);
  const compiled = new Map<unknown, ValidateFunction>();
  const validatorOf = (schema: unknown): ValidateFunction => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const made = ajv.compile(typeof schema === "object" && schema !== null ? prepared(schema) : schema !== false);
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

/** The document, in which the references of each of its schemas begin. */
const whole = "urn:waymark:document";

/** Returns a pattern of JSON Schema as an expression: those that are not Unicode's are read as they were written. */
export function expression(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}

const expressionMaker = Object.assign(expression, { code: "expression" });
