import { isPromise } from "../common/and-then.ts";
import * as problemTypes from "../common/problem-types.ts";
import { type Decoder, typesDecodedBy } from "../content/decoder.ts";
import type { StandardSchemaV1 } from "../content/standard-schema.ts";
import type { Description, JsonSchema, Schema } from "../description.ts";
import { describeForm, type FormSchemas, formTypes } from "./form.ts";
import { isSchema, jsonSchemaOf } from "./from-text.ts";
import type { DeclaredInputs, Inputs, NamedSchemas, TakesData } from "./taken.ts";

/** Where a parameter is: a key of `Inputs`, and of what the handler gets. */
export type ParameterPlace = "variables" | "query" | "fields";

/** Returns the schema of the content, of which the last that is declared holds; undefined where none is. */
export const bodySchemaOf = (declared: readonly Pick<DeclaredInputs, "inputs">[]): StandardSchemaV1 | undefined =>
  declared.map(({ inputs }) => inputs.body).findLast(isSchema);

/** Returns the form that is taken, of which the last that is declared holds. */
export const formOf = (declared: readonly Pick<DeclaredInputs, "inputs">[]): FormSchemas | undefined =>
  declared.map(({ inputs }) => inputs.form).findLast((form) => form !== undefined);

/** Returns the properties of the objects that a schema takes, as far as its library says them. */
export function namesOf(schema: StandardSchemaV1): readonly (readonly [string, JsonSchema])[] {
  return Object.entries((jsonSchemaOf(schema)?.["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>);
}

/** Returns what is said of an operation by what it takes. */
export function describeTakes({ declared }: TakesData): Description {
  const parameters = (describe: (inputs: Inputs) => ParameterDescriptions): ParameterDescriptions =>
    Object.assign({}, ...declared.map(({ inputs }) => describe(inputs)));
  const variables = parameters((inputs) => describeEach(inputs.variables ?? {}));
  const query = parameters(({ query = {} }) => (isSchema(query) ? describeProperties(query) : describeEach(query)));
  const headers = parameters((inputs) => describeEach(inputs.fields ?? {}));
  const body = bodySchemaOf(declared);
  const form = formOf(declared);
  const isOther = declared.some(({ inputs: { variables: own = {}, invalidPath } }) => {
    return invalidPath === 404 && Object.keys(own).length > 0;
  });
  const isInvalid =
    Object.keys({ ...query, ...headers }).length > 0 ||
    declared.some(({ inputs: { variables: own = {}, strict, invalidPath } }) => {
      return strict === true || (invalidPath !== 404 && Object.keys(own).length > 0);
    });
  const problems = [
    ...(isInvalid ? [problemTypes.invalidParameters] : []),
    // Such a path does not exist.
    ...(isOther ? [problemTypes.notFound] : []),
    ...(isGuarded(declared) ? [problemTypes.crossSiteRequest] : []),
  ];
  return {
    variables,
    query,
    headers,
    ...(form && describeForm(form, shownSchema)),
    ...(body !== undefined && { content: { schema: shownSchema(body) } }),
    ...(problems.length > 0 && { problems }),
  };
}

/** Returns the media types of the content that is taken, those of the decoders for a body. */
export function contentTypesTaken({ declared }: TakesData, decoders: readonly Decoder[]): readonly string[] {
  const form = formOf(declared);
  if (form !== undefined) return formTypes(form);
  return bodySchemaOf(declared) === undefined ? [] : typesDecodedBy(decoders);
}

/** Whether a form is taken that no page of another site may send. */
export const isGuarded = (declared: readonly Pick<DeclaredInputs, "inputs">[]): boolean =>
  formOf(declared) !== undefined && !declared.some(({ inputs }) => inputs.anySite === true);

type ParameterDescriptions = Readonly<Record<string, Description.Parameter>>;

const describeEach = (schemas: NamedSchemas): ParameterDescriptions =>
  Object.fromEntries(
    Object.entries(schemas)
      .filter(([, schema]) => isSchema(schema))
      .map(([name, schema]) => [name, { schema: shownSchema(schema), required: isRequired(schema) }]),
  );

function describeProperties(schema: StandardSchemaV1): ParameterDescriptions {
  const required = jsonSchemaOf(schema)?.["required"];
  return Object.fromEntries(
    namesOf(schema).map(([name, property]) => [
      name,
      { schema: property, required: Array.isArray(required) && required.includes(name) },
    ]),
  );
}

/** A schema that has no words in JSON Schema takes anything, as far as a document says. */
export const shownSchema = (schema: StandardSchemaV1): Schema =>
  jsonSchemaOf(schema) === undefined ? {} : (schema as StandardSchemaV1 & Schema); // it has a JSON Schema

/** Whether the schema refuses undefined, which is what it gets for a parameter that is not there. */
function isRequired(schema: StandardSchemaV1): boolean {
  const result = schema["~standard"].validate(undefined);
  if (!isPromise(result)) return result.issues !== undefined;
  // Nobody waits for it, and it may fail: what it asks may not be there yet.
  result.then(undefined, () => undefined);
  return false;
}
