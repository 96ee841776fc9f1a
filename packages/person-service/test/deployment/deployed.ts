import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";

/** The path of `deploy/`. */
export const deployFolder: string = fileURLToPath(new URL("../../../../deploy", import.meta.url));

/** Returns the text of a file of `deploy/`. */
export const deployed = (file: string): string => readFileSync(`${deployFolder}/${file}`, "utf8");

/** Returns the documents of a YAML file of `deploy/`. */
export function deployedYaml(file: string): readonly unknown[] {
  return parseAllDocuments(deployed(file)).map((document) => {
    if (document.errors.length > 0) throw new AggregateError(document.errors, file);
    return document.toJS();
  });
}
