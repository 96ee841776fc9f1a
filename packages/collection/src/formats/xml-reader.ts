import { type SaxesAttributeNSIncomplete, SaxesParser, type SaxesTagNS, type XMLDecl } from "saxes";
import { ContentError } from "waymark/content";
import { excerpt, positionAt } from "waymark/internal";
import { toBoolean, toNumber } from "../members/value.ts";
import { TurnShare } from "../shares/turn-share.ts";
import { assertDeclaredEncoding, textStart, toXmlFault, type XmlText } from "./xml-text.ts";

/** How a document is read. */
export interface XmlDocumentRules {
  /** The local name of the outermost element. */
  readonly root: string;
  /** The only namespace that elements may have. */
  readonly namespace: string | undefined;
  /** The known members of the root. */
  readonly known: KnownMember;
}

/** A known member: whether it is a number, a boolean or a list, and the known members inside it. */
export interface KnownMember {
  readonly isNumber: boolean;
  readonly isBoolean: boolean;
  readonly isList: boolean;
  readonly members: ReadonlyMap<string, KnownMember>;
}

/**
 * Reads the members of a document's root. Returns a promise when the document is long.
 *
 * @throws ContentError (or rejects) at the first error
 */
export function readXmlDocument(document: XmlText, rules: XmlDocumentRules): unknown {
  return new DocumentReader(document, rules).read();
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
  readonly known: KnownMember | undefined;
  readonly members: Map<string, unknown>;
  /** Empty once the element has elements: white space between them is not kept. */
  text: string;
}

class DocumentReader {
  readonly #text: string;
  readonly #encoding: XmlText["encoding"];
  readonly #rules: XmlDocumentRules;
  readonly #parser = new SaxesParser({ xmlns: true, defaultXMLVersion: "1.0", forceXMLVersion: true });
  readonly #open: OpenElement[] = [];
  #tag = { name: "", start: 0 };
  #elements = 0;
  #attributes = 0;
  #isAtEnd = false;
  #value: unknown;

  constructor({ text, encoding }: XmlText, rules: XmlDocumentRules) {
    this.#text = text;
    this.#encoding = encoding;
    this.#rules = rules;
  }

  read(): unknown {
    const text = this.#text;
    const parser = this.#parser;
    this.#assertBeginning();
    parser.on("error", (error) => {
      throw toXmlFault(error, text, this.#isAtEnd ? text.length : parser.position - 1);
    });
    parser.on("xmldecl", (declaration) => this.#readDeclaration(declaration));
    parser.on("opentagstart", ({ name }) => this.#beginTag(name));
    parser.on("attribute", (attribute) => this.#readAttribute(attribute));
    parser.on("opentag", (tag) => this.#beginElement(tag));
    parser.on("closetag", () => this.#endElement());
    // The parser has already read the "<" after a text, and the whole of a CDATA section.
    parser.on("text", (part) => this.#readText(part, () => textStart(text, parser.position - 1)));
    parser.on("cdata", (part) => this.#readText(part, () => text.lastIndexOf("<![CDATA[", parser.position)));
    if (text.length > pieceLength) return this.#readInPieces();
    parser.write(text);
    return this.#end();
  }

  async #readInPieces(): Promise<unknown> {
    const share = new TurnShare();
    for (let at = 0; at < this.#text.length; at += pieceLength) {
      if (share.isUsed) await share.next();
      this.#parser.write(this.#text.slice(at, at + pieceLength));
    }
    const value = this.#end();
    // What validates it begins in a turn of its own.
    await share.next();
    return value;
  }

  #end(): unknown {
    this.#isAtEnd = true;
    this.#parser.close();
    return this.#value;
  }

  #assertBeginning(): void {
    // The parser would ignore a second mark.
    if (this.#text.startsWith("\ufeff")) throw this.#refusal("The content begins with two byte order marks", 0);
    const documentType = documentTypeStart(this.#text);
    if (documentType !== undefined) {
      throw this.#refusal("A document type (<!DOCTYPE) is not read; leave it out", documentType);
    }
  }

  #readDeclaration({ version, encoding }: XMLDecl): void {
    if (version !== "1.0") throw this.#refusal(`XML ${excerpt(String(version))} is not read, only "1.0"`, 0);
    if (encoding !== undefined) assertDeclaredEncoding(encoding, this.#encoding);
  }

  #beginTag(name: string): void {
    this.#tag = { name, start: this.#text.lastIndexOf("<", this.#parser.position - 1) };
    if (++this.#elements > maxElements) throw this.#refusal(`There are more than ${maxElements} elements`);
    if (name.length > maxNameLength) {
      throw this.#refusal(`The name of the element ${excerpt(name)} is longer than ${maxNameLength} characters`);
    }
  }

  #readAttribute({ name, prefix, value }: SaxesAttributeNSIncomplete): void {
    if (++this.#attributes > maxAttributes) throw this.#refusal(`There are more than ${maxAttributes} attributes`);
    if (name !== "xmlns" && prefix !== "xmlns") {
      throw this.#refusal(`${this.#tagPath()} has the attribute ${excerpt(name)}; attributes are not allowed`);
    }
    this.#assertNamespace(value);
  }

  #assertNamespace(uri: string): void {
    const { namespace } = this.#rules;
    if (uri === "" || uri === namespace) return;
    const due = namespace === undefined ? "leave it out" : `only ${excerpt(namespace)} is known here`;
    throw this.#refusal(`${this.#tagPath()} names the namespace ${excerpt(uri)}; ${due}`);
  }

  #beginElement({ local, uri }: SaxesTagNS): void {
    const { root } = this.#rules;
    const parent = this.#open.at(-1);
    this.#assertNamespace(uri);
    if (parent === undefined && local !== root) {
      throw this.#refusal(`The root element is ${excerpt(local)}; it must be ${excerpt(root)}`);
    }
    const known = parent === undefined ? this.#rules.known : parent.known?.members.get(local);
    if (parent?.members.has(local) && known?.isList !== true) throw this.#refusal(`${this.#tagPath()} occurs twice`);
    if (this.#open.length === maxDepth) throw this.#refusal(`Elements nest more than ${maxDepth} deep`);
    if (parent !== undefined) {
      if (!isBlank(parent.text)) throw this.#refusal(`${this.#tagPath()} stands beside text`);
      parent.text = "";
    }
    this.#open.push({ name: local, known, members: new Map(), text: "" });
  }

  #readText(part: string, start: () => number): void {
    const element = this.#open.at(-1);
    if (element === undefined) return; // the parser refuses text outside the root, except white space
    if (this.#open.length > 1 && element.members.size === 0) {
      element.text += part;
    } else if (!isBlank(part)) {
      throw this.#refusal(`${pathTo(this.#open)} has text; it may contain only elements`, start());
    }
  }

  #endElement(): void {
    const { name, known, members, text } = this.#open.pop() as OpenElement; // the parser closes only open elements
    const parent = this.#open.at(-1);
    const isObject = parent === undefined || members.size > 0;
    // Unlike an assignment, fromEntries makes even `__proto__` a member like any other.
    const value = isObject ? Object.fromEntries(members) : toScalar(text, known);
    if (parent === undefined) this.#value = value;
    else if (known?.isList === true) addTo(parent.members, name, value);
    else parent.members.set(name, value);
  }

  #tagPath(): string {
    return pathTo([...this.#open, this.#tag]);
  }

  #refusal(detail: string, index: number = this.#tag.start): ContentError {
    return new ContentError(detail, positionAt(this.#text, index));
  }
}

function toScalar(text: string, known: KnownMember | undefined): unknown {
  if (known?.isNumber === true) return toNumber(text);
  return known?.isBoolean === true ? toBoolean(text) : text;
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
  excerpt(elements.map(({ name }) => name).join("/"));

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
