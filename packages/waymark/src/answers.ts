import type { StandardSchemaV1, TypedSchema, ValueOf } from "./content/standard-schema.ts";
import { DeclarationSite, kindOf } from "./declaration.ts";
import type { Description } from "./description.ts";
import { isSchema } from "./input/from-text.ts";
import { shownSchema } from "./input/parameters.ts";
import type { NoMembers } from "./input/takes.ts";
import type { ProblemType } from "./problem-types.ts";
import { reasonPhrase } from "./reason-phrase.ts";
import type { HttpResponse, NoContent, ResponseOf } from "./response.ts";
import { typeName } from "./wording.ts";

/** Stands for an answer without content: `answers({ 204: none })`. */
export const none: NoContent = { kind: "none" };

/** What an answer has as its content: what a schema describes, nothing, or a problem document. */
export type Answer = StandardSchemaV1 | NoContent | ProblemType;

/** What a handler answers, by status. `A` is the type of its responses. */
export interface Answers<A = unknown> extends AnswersData {
  /** Type only. */
  readonly response?: A;
}

/** What a handler answers, whatever its types. */
export interface AnswersData {
  readonly kind: "answers";
  readonly byStatus: Readonly<Record<string, Answer>>;
  readonly site: DeclarationSite;
}

/**
 * Declares what the handler of a route answers: the schema of its content by status, `none`, or the type of a problem. A handler
 * that returns another status or another shape does not compile, and the OpenAPI document has these responses. Problems of
 * waymark itself need no word.
 *
 * ```ts
 * GET("/{id}", takes({ variables: { id: integer() } }), answers({ 200: Note, 404: none }), (_, { variables }) =>
 *   found(notes.get(variables.id)))
 * ```
 *
 * @throws TypeError when it is not an object
 */
export function answers<const R extends Readonly<Record<number, TypedSchema | NoContent | ProblemType>>>(
  byStatus: keyof R extends number ? R : NoMembers,
): Answers<DeclaredResponse<R>>;
// As with `takes`: what is right is done with by the first overload, and what is wrong is said in words by the last.
export function answers<const R extends object>(byStatus: R & AnswersByStatus<R>): Answers<DeclaredResponse<R>>;
export function answers(byStatus: object): AnswersData {
  if (typeof byStatus !== "object" || byStatus === null) {
    throw new TypeError(`answers(…) takes an object, such as { 200: schema, 404: none }, not ${typeName(byStatus)}`);
  }
  // So says the type of the parameter; the router refuses what JavaScript callers pass.
  return { kind: "answers", byStatus: { ...byStatus } as AnswersData["byStatus"], site: new DeclarationSite(answers) };
}

/** The answers where they are right; else a text that says what is wrong, for the message of the compiler. */
export type AnswersByStatus<R> = R extends StandardSchemaV1
  ? WithoutStatus
  : {
      readonly [S in keyof R]: S extends number
        ? R[S] extends Answer
          ? R[S]
          : "an answer is a schema, none, or the type of a problem"
        : WithoutStatus;
    };

type WithoutStatus = "answers have statuses: answers({ 200: schema, 404: none })";

/** The type of the responses that are declared. */
export type DeclaredResponse<R> = ResponseFor<R, keyof R>;

type ResponseFor<R, S extends keyof R> = S extends number ? ResponseOf<S, ContentOf<R[S]>> : never;

type ContentOf<A> = A extends NoContent ? NoContent : Unchanging<ValueOf<A>>;

/** A value that nobody changes, as deep as it goes: literals that a handler returns are such. */
type Unchanging<T> = T extends object ? { readonly [K in keyof T]: Unchanging<T[K]> } : T;

/** The type of what a handler returns whose route has these members: any response, unless they declare some. */
export type AnsweredBy<M> =
  Extract<M, AnswersData> extends Answers<infer A> ? (unknown extends A ? HttpResponse | Response : A) : never;

export const isAnswers = (value: unknown): value is AnswersData => kindOf(value) === "answers";

export const isNone = (answer: unknown): answer is NoContent => answer === none;

export const isProblemType = (answer: unknown): answer is ProblemType =>
  typeof (answer as Partial<ProblemType> | null | undefined)?.code === "string";

/** Returns what is said of an operation by what it answers. */
export function describeAnswers({ byStatus }: AnswersData): Description {
  const all = Object.entries(byStatus);
  const responses = all
    .filter(([, answer]) => isNone(answer) || isSchema(answer))
    .map(([status, answer]): readonly [string, Description.Response] => [
      status,
      {
        description: `${reasonPhrase(Number(status)) ?? `Status ${status}`}.`,
        ...(isSchema(answer) && { schema: shownSchema(answer) }),
      },
    ]);
  return {
    responses: Object.fromEntries(responses),
    problems: all.map(([, answer]) => answer).filter(isProblemType),
  };
}
