import type { App } from "waymark";
import { ContractError, type ContractOptions, contract } from "../contract.ts";
import { PublishedError } from "../published.ts";
import { type CommandResult, UsageError } from "./command-result.ts";

/**
 * Holds an app to what it declares or to what clients have, and reports in Markdown. The code is 1 for the changes that are to fail.
 *
 * @throws UsageError (rejects) when the document of the clients cannot be used
 */
export async function reportContract(
  app: App,
  options: ContractOptions,
  failOn: readonly string[],
): Promise<CommandResult> {
  const cases = await contract(app, options).catch((error: unknown) => {
    throw error instanceof PublishedError ? new UsageError(error.message) : error;
  });
  const sections: string[] = [];
  const changes = new Set<string>();
  for (const { name, run } of cases) {
    const failures = await run().then(
      () => [],
      (error: unknown) => {
        if (error instanceof ContractError) return error.failures;
        throw error;
      },
    );
    for (const change of ["breaks", "opens"]) {
      const own = failures.filter((failure) => (failure.change ?? "breaks") === change);
      if (own.length > 0) changes.add(change);
      const [shown, rest] = [own.slice(0, 3), own.length - 3];
      const lines = shown.flatMap(({ kind, curl, expected, came }) => [
        `- ${kind}`,
        `  \`\`\`sh\n  ${curl}\n  \`\`\``,
        `  before: ${expected}  `,
        `  now: ${came.replaceAll("\n", " ")}`,
      ]);
      if (own.length > 0)
        sections.push([`### ${name} ${change}`, "", ...lines, ...(rest > 0 ? [`- and ${rest} more`] : [])].join("\n"));
    }
  }
  const said =
    sections.length === 0
      ? " are answered as declared"
      : `, ${sections.length} change${sections.length === 1 ? "" : "s"}`;
  const text = [`${cases.length} operations${said}`, ...sections].join("\n\n");
  return { code: failOn.some((each) => changes.has(each)) ? 1 : 0, text, isReport: true };
}
