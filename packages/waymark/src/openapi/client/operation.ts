import type { OperationObject, ParameterObject } from "../document.ts";
import { resolve } from "../references.ts";
import { answersOf } from "./answers.ts";
import type { Context } from "./context.ts";
import { inputOf, pathOf, stylesOf } from "./input.ts";
import { toFunctionName, toTypeName } from "./names.ts";
import { comment, declareInterface, functionHead, literal, numbers, width } from "./text.ts";

/** The code of one operation. */
export interface OperationCode {
  readonly text: string;
  readonly hasVariables: boolean;
  readonly hasPages: boolean;
}

/**
 * Writes the types and the functions of an operation.
 *
 * @throws TypeError when a client cannot have it
 */
export function writeOperation(
  method: string,
  path: string,
  operation: OperationObject,
  context: Context,
): OperationCode {
  const { names, document } = context;
  const place = `${method} ${path}`;
  const functionName = toFunctionName(operation.operationId, `${method.toLowerCase()} ${path}`, names);
  names.takeFunction(functionName, place);
  const name = toTypeName(functionName);
  const parameters = (operation.parameters ?? []).map((each) => resolve<ParameterObject>(document, each));
  const taken = inputOf(operation, parameters, name, context);
  const answers = answersOf(method, operation, name, context);

  const parametersOfType = [...taken.content.parameters, ...answers.content.parameters];
  const typeParameters = parametersOfType.map(({ declaration }) => declaration);
  const lines = [...taken.lines, ...answers.content.lines];
  const hasInput = lines.length > 0;
  const inputType = hasInput ? names.type(`${name}Input`) : "Input";
  const declared = hasInput ? [declareInterface(inputType, lines, { typeParameters, base: "Input" })] : [];
  const given = parametersOfType.length === 0 ? "" : `<${parametersOfType.map((each) => each.name).join(", ")}>`;
  const input = `input: ${inputType}${given}${taken.isRequired ? "" : " = {}"}`;
  const head = (ofFunction: string, result: string): string =>
    functionHead(ofFunction, typeParameters, ["api: Api", input], result);
  const { summary, description } = operation;
  const texts = [summary === place ? "" : summary, description, `\`${place}\``, operation.deprecated && "@deprecated"];
  const send = [
    comment(texts.filter(Boolean).join("\n\n")) + head(functionName, `Promise<${answers.type}>`),
    `  return send<${answers.type}>(api, input, {`,
    `    method: ${literal(method)},`,
    `    path: ${pathOf(path)},`,
    numbers("    answers:", answers.statuses),
    numbers("    problems:", answers.problemStatuses),
    ...(answers.content.usual === undefined ? [] : [`    accept: ${literal(answers.content.usual)},`]),
    ...(taken.content.usual === undefined ? [] : [`    contentType: ${literal(taken.content.usual)},`]),
    ...stylesOf(parameters, place),
    "  });\n}",
  ].join("\n");
  const pages = answers.page === undefined ? [] : [pagesOf(functionName, answers.page, head)];
  if (pages.length > 0) names.takeFunction(`${functionName}Pages`, `the pages of ${place}`);
  return {
    text: [...taken.content.declarations, ...declared, ...answers.declarations, send, ...pages].join("\n\n"),
    hasVariables: parameters.some((each) => each.in === "path"),
    hasPages: pages.length > 0,
  };
}

function pagesOf(of: string, page: string, head: (name: string, result: string) => string): string {
  const about = comment(
    `Reads the pages of \`${of}\`, each when it is asked for. Throws an AnswerError where one is refused.`,
  );
  const call = [`  return follow<${page}>(api, (at) =>`, `${of}(at, input)`];
  const flat = `${call.join(" ")});`;
  const body = flat.length <= width ? flat : `${call.join("\n    ")},\n  );`;
  return `${about}${head(`${of}Pages`, `AsyncGenerator<${page}, void>`)}\n${body}\n}`;
}
