import { type SaxesAttributeNSIncomplete, SaxesParser, type SaxesTagNS, type XMLDecl } from "saxes";
import { ContentError } from "waymark/content";
import { wording } from "waymark/internal";
import { toBoolean, toNumber } from "../../members/value.ts";
import { TurnShare } from "../../shares/turn-share.ts";
import { assertDeclaredEncoding, textStart, toXmlFault, type XmlText } from "./xml-text.ts";

/** How a document is read. */
export interface XmlDocumentRules {
  /** The local name of the outermost element. */
  readonly root: string;
  /** The only namespace that elements may have. */
  readonly namespace: string | undefined;
  /** The paths within the root of elements that are numbers, booleans or values of lists: `/address/number`. */
  readonly numbers: ReadonlySet<string>;
  readonly booleans: ReadonlySet<string>;
  readonly lists: ReadonlySet<string>;
  /** The length of the longest of these paths. */
  readonly longestPath: number;
}

/**
 * Reads the members of a document's root. Returns a promise when the document is long.
 *
 * @throws ContentError (or rejects) at the first error
 */
export function readXmlDocument({ text, encoding }: XmlText, rules: XmlDocumentRules): unknown {
  const parser = new SaxesParser({ xmlns: true, defaultXMLVersion: "1.0", forceXMLVersion: true });
  const open: OpenElement[] = [];
  let tag = { name: "", start: 0 };
  let elements = 0;
  let attributes = 0;
  let isAtEnd = false;
  let whole: unknown;

  const readInPieces = async (): Promise<unknown> => {
    const share = new TurnShare();
    for (let at = 0; at < text.length; at += pieceLength) {
      if (share.isUsed) await share.next();
      parser.write(text.slice(at, at + pieceLength));
    }
    const value = end();
    // What validates it begins in a turn of its own.
    await share.next();
    return value;
  };

  const end = (): unknown => {
    isAtEnd = true;
    parser.close();
    return whole;
  };

  const assertBeginning = (): void => {
    // The parser would ignore a second mark.
    if (text.startsWith("\ufeff")) throw refusal("The content begins with two byte order marks", 0);
    const documentType = documentTypeStart(text);
    if (documentType !== undefined) {
      throw refusal("A document type (<!DOCTYPE) is not read; leave it out", documentType);
    }
  };

  const readDeclaration = ({ version, encoding: declared }: XMLDecl): void => {
    if (version !== "1.0") throw refusal(`XML ${wording.excerpt(String(version))} is not read, only "1.0"`, 0);
    if (declared !== undefined) assertDeclaredEncoding(declared, encoding);
  };

  const beginTag = ({ name }: { readonly name: string }): void => {
    tag = { name, start: text.lastIndexOf("<", parser.position - 1) };
    if (++elements > maxElements) throw refusal(`There are more than ${maxElements} elements`);
    if (name.length > maxNameLength) {
      throw refusal(`The name of the element ${wording.excerpt(name)} is longer than ${maxNameLength} characters`);
    }
  };

  const readAttribute = ({ name, prefix, value }: SaxesAttributeNSIncomplete): void => {
    if (++attributes > maxAttributes) throw refusal(`There are more than ${maxAttributes} attributes`);
    if (name !== "xmlns" && prefix !== "xmlns") {
      throw refusal(`${tagPath()} has the attribute ${wording.excerpt(name)}; attributes are not allowed`);
    }
    assertNamespace(value);
  };

  const assertNamespace = (uri: string): void => {
    const { namespace } = rules;
    if (uri === "" || uri === namespace) return;
    const due = namespace === undefined ? "leave it out" : `only ${wording.excerpt(namespace)} is known here`;
    throw refusal(`${tagPath()} names the namespace ${wording.excerpt(uri)}; ${due}`);
  };

  const beginElement = ({ local, uri }: SaxesTagNS): void => {
    const { root, lists, longestPath } = rules;
    const parent = open.at(-1);
    assertNamespace(uri);
    if (parent === undefined && local !== root) {
      throw refusal(`The root element is ${wording.excerpt(local)}; it must be ${wording.excerpt(root)}`);
    }
    const above = parent?.path ?? "";
    // A path that is longer than all of these does not grow: names may be long, and nest deep.
    const path = parent === undefined || above.length > longestPath ? above : `${above}/${local}`;
    if (parent?.members.has(local) && !lists.has(path)) throw refusal(`${tagPath()} occurs twice`);
    if (open.length === maxDepth) throw refusal(`Elements nest more than ${maxDepth} deep`);
    if (parent !== undefined) {
      if (!isBlank(parent.text)) throw refusal(`${tagPath()} stands beside text`);
      parent.text = "";
    }
    open.push({ name: local, path, members: new Map(), text: "" });
  };

  const readText = (part: string, start: () => number): void => {
    const element = open.at(-1);
    if (element === undefined) return; // the parser refuses text outside the root, except white space
    if (open.length > 1 && element.members.size === 0) {
      element.text += part;
    } else if (!isBlank(part)) {
      throw refusal(`${pathTo(open)} has text; it may contain only elements`, start());
    }
  };

  const endElement = (): void => {
    const { name, path, members, text } = open.pop() as OpenElement; // the parser closes only open elements
    const parent = open.at(-1);
    const isObject = parent === undefined || members.size > 0;
    // Unlike an assignment, fromEntries makes even `__proto__` a member like any other.
    const value = isObject ? Object.fromEntries(members) : toScalar(path, text);
    if (parent === undefined) whole = value;
    else if (rules.lists.has(path)) addTo(parent.members, name, value);
    else parent.members.set(name, value);
  };

  const toScalar = (path: string, text: string): unknown => {
    if (rules.numbers.has(path)) return toNumber(text);
    return rules.booleans.has(path) ? toBoolean(text) : text;
  };

  const tagPath = (): string => pathTo([...open, tag]);
  const refusal = (detail: string, index = tag.start): ContentError =>
    new ContentError(detail, wording.positionAt(text, index));

  assertBeginning();
  parser.on("error", (error) => {
    throw toXmlFault(error, text, isAtEnd ? text.length : parser.position - 1);
  });
  parser.on("xmldecl", readDeclaration);
  parser.on("opentagstart", beginTag);
  parser.on("attribute", readAttribute);
  parser.on("opentag", beginElement);
  parser.on("closetag", endElement);
  // The parser has already read the "<" after a text, and the whole of a CDATA section.
  parser.on("text", (part) => readText(part, () => textStart(text, parser.position - 1)));
  parser.on("cdata", (part) => readText(part, () => text.lastIndexOf("<![CDATA[", parser.position)));
  if (text.length > pieceLength) return readInPieces();
  parser.write(text);
  return end();
}

const maxDepth = 64;
const maxElements = 10_000;
/** In the whole document. */
const maxAttributes = 1000;
const maxNameLength = 1000;

/** In characters, for which the parser takes up to a millisecond. */
const pieceLength = 2048;

/** An element whose end tag has not been read yet. */
interface OpenElement {
  readonly name: string;
  /** Its path within the root, `/address/number`, or the beginning of it where that is longer than every one that is looked for. */
  readonly path: string;
  readonly members: Map<string, unknown>;
  /** Empty once the element has elements: white space between them is not kept. */
  text: string;
}

/** Adds a value to a list, of which nothing else has the array. */
function addTo(members: Map<string, unknown>, name: string, value: unknown): void {
  const values = members.get(name);
  if (Array.isArray(values)) values.push(value);
  else members.set(name, [value]);
}

const isBlank = (text: string): boolean => !/[^\t\n\r ]/.test(text);

/** `"person/address"` */
const pathTo = (elements: readonly { readonly name: string }[]): string =>
  wording.excerpt(elements.map(({ name }) => name).join("/"));

/** Returns where a document type begins. Only white space, comments and processing instructions may precede one. */
function documentTypeStart(document: string): number | undefined {
  const skipped = /[\t\n\r ]*(<!DOCTYPE|<!--|<\?)/y;
  for (;;) {
    const begin = skipped.exec(document)?.[1];
    if (begin === undefined) return undefined;
    if (begin === "<!DOCTYPE") return skipped.lastIndex - begin.length;
    const end = begin === "<!--" ? "-->" : "?>";
    const ended = document.indexOf(end, skipped.lastIndex);
    if (ended < 0) return undefined;
    skipped.lastIndex = ended + end.length;
  }
}
