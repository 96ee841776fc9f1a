import type { App } from "waymark";
import { jsonReferences, operationsOf } from "waymark/internal";
import type { OpenApiDocument } from "waymark/openapi";

export type ParameterObject = NonNullable<OpenApiDocument.Operation["parameters"]>[number];
type RequestBodyObject = NonNullable<OpenApiDocument.Operation["requestBody"]>;
type ReferenceObject = Exclude<OpenApiDocument.Operation["responses"][string], OpenApiDocument.Response>;

type RoutedOperation = ReturnType<typeof operationsOf>[number];

/** The responses that are declared, by status. */
export type DeclaredResponses = Readonly<Record<string, OpenApiDocument.Response>>;

/** An operation of an app, with what a document says of it. */
export interface Operation extends RoutedOperation {
  /** `GET /notes/{id}` */
  readonly name: string;
  readonly parameters: readonly ParameterObject[];
  readonly body: RequestBodyObject | undefined;
  readonly responses: DeclaredResponses;
}

/** Returns the operations of an app that a document speaks of, in the order of the routes. */
export function describedOperations(app: App, document: OpenApiDocument): readonly Operation[] {
  return operationsOf(app).flatMap((routed): readonly Operation[] => {
    const { method, path } = routed;
    const item = document.paths[path];
    const described = item?.[method.toLowerCase()] ?? (item?.["x-operations"] as typeof item)?.[method];
    if (described === undefined) return [];
    return [{ ...routed, name: `${method} ${path}`, ...saidOf(described as OpenApiDocument.Operation, document) }]; // of a method
  });
}

/** Returns what a document says of an operation, without references. */
export function saidOf(
  { parameters = [], requestBody, responses = {} }: OpenApiDocument.Operation,
  document: OpenApiDocument,
): Pick<Operation, "parameters" | "body" | "responses"> {
  return {
    parameters: parameters.map((each) => resolved<ParameterObject>(document, each)),
    body: requestBody && resolved<RequestBodyObject>(document, requestBody),
    responses: resolvedResponses(responses, document),
  };
}

/** Returns responses without references. */
export function resolvedResponses(
  responses: Readonly<Record<string, OpenApiDocument.Response | ReferenceObject>>,
  document: OpenApiDocument,
): DeclaredResponses {
  const entries = Object.entries(responses).map(([status, each]) => [
    status,
    resolved<OpenApiDocument.Response>(document, each),
  ]);
  return Object.fromEntries(entries);
}

const resolved = <T extends object>(document: object, value: T | ReferenceObject): T =>
  "$ref" in value ? (jsonReferences.lookUp(document, value.$ref) as T) : value; // a document refers only to what it has
