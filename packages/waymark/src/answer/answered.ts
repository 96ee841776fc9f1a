import type { Awaitable } from "../common/and-then.ts";
import { type DeclarationSite, kindOf } from "../common/declaration.ts";
import type { ProblemType } from "../common/problem-document.ts";
import type { StandardSchemaV1 } from "../content/standard-schema.ts";
import type { Description } from "../description.ts";
import type { HttpRequest } from "../request.ts";
import type { HttpResponse, NoContent } from "../response.ts";

/** Stands for an answer without content: `answers({ 204: none })`. */
export const none: NoContent = { kind: "none" };

/** What an answer has as its content: what a schema describes, nothing, or a problem document. */
export type Answer = StandardSchemaV1 | NoContent | ProblemType;

/** What a handler answers, whatever its types. */
export interface AnswersData {
  readonly kind: "answers";
  readonly byStatus: Readonly<Record<string, Answer>>;
  readonly site: DeclarationSite;
  readonly handling: AnswerHandling;
}

/**
 * What is done with declared answers. It comes with what `answers(…)` makes, so that a program which declares none does not load how
 * they are sent and checked.
 */
export interface AnswerHandling {
  /** Returns what is said of an operation by what it answers. */
  describe(answers: AnswersData): Description;
  /**
   * Returns what puts the value of a JSON response through the schema of its status, so that members which the schema lacks are not
   * sent; undefined where no schema is declared. What is text already is sent as it is.
   *
   * @throws TypeError (or rejects) for a value that the schema refuses, with the place where the answers are declared
   */
  compile(answers: AnswersData): SendDeclared | undefined;
  readonly compileCheck: CompileAnswerCheck;
  /** Finds answers that cannot be, and those whose schemas keep members that they do not name: what a handler adds by mistake is sent. */
  find(answers: AnswersData): readonly { readonly kind: "invalid" | "open"; readonly message: string }[];
}

/** Sends of a response what is declared of it. */
export type SendDeclared = (response: HttpResponse) => Awaitable<HttpResponse>;

/** What is declared of the answers of a handler. */
export interface DeclaredAnswers {
  /** undefined where the route has no `answers(…)`. */
  readonly answers: AnswersData | undefined;
  /** What the groups, the handler and the route say for the document. */
  readonly descriptions: readonly Description[];
  /** What `accept` names. */
  readonly produces: readonly string[] | undefined;
  /** Of the route. */
  readonly site: DeclarationSite;
}

/** Compares a response with what is declared, and returns it; throws, or rejects, where they differ. */
export type AnswerCheck = (request: HttpRequest, response: HttpResponse) => Awaitable<HttpResponse>;

/** Makes what compares the responses of a handler; undefined where nothing is declared of them. */
export type CompileAnswerCheck = (declared: DeclaredAnswers) => AnswerCheck | undefined;

const compileKey: unique symbol = Symbol("compileAnswerCheck");

/** Returns the description with what compares answers with it: as with `answers(…)`, only a program that describes some loads it. */
export const comparedBy = (compileCheck: CompileAnswerCheck, description: Description): Description =>
  Object.assign({ [compileKey]: compileCheck }, description);

/** Makes what compares answers, where something is declared of them. */
export function answerCheckOf(declared: DeclaredAnswers): AnswerCheck | undefined {
  const described: { readonly [compileKey]?: CompileAnswerCheck } = Object.assign({}, ...declared.descriptions);
  const compile = declared.answers?.handling.compileCheck ?? described[compileKey];
  return compile?.(declared);
}

export const isAnswers = (value: unknown): value is AnswersData => kindOf(value) === "answers";

export const isNone = (answer: unknown): answer is NoContent => answer === none;

export const isProblemType = (answer: unknown): answer is ProblemType =>
  typeof (answer as Partial<ProblemType> | null | undefined)?.code === "string";
