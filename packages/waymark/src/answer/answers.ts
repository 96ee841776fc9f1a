import { DeclarationSite } from "../common/declaration.ts";
import type { ProblemType } from "../common/problem-document.ts";
import { reasonPhrase } from "../common/reason-phrase.ts";
import { typeName } from "../common/wording.ts";
import type { StandardSchemaV1, TypedSchema, ValueOf } from "../content/standard-schema.ts";
import type { Description } from "../description.ts";
import { isSchema } from "../input/from-text.ts";
import { shownSchema } from "../input/parameters.ts";
import type { NoMembers } from "../input/takes.ts";
import type { HttpResponse, NoContent, ResponseOf } from "../response.ts";
import { compileAnswerCheck } from "./answer-check.ts";
import { type Answer, type AnswerHandling, type AnswersData, isNone, isProblemType } from "./answered.ts";
import { compileDeclaredAnswer } from "./declared-answer.ts";
import { findInAnswers } from "./find-in-answers.ts";

/** What a handler answers, by status. `A` is the type of its responses. */
export interface Answers<A = unknown> extends AnswersData {
  /** Type only. */
  readonly response?: A;
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
  const declared = { ...byStatus } as AnswersData["byStatus"];
  return { kind: "answers", byStatus: declared, site: new DeclarationSite(answers), handling };
}

const handling: AnswerHandling = {
  describe: describeAnswers,
  compile: compileDeclaredAnswer,
  compileCheck: compileAnswerCheck,
  find: findInAnswers,
};

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

function describeAnswers({ byStatus }: AnswersData): Description {
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
