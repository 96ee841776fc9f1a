// For the packages of this project only: what writes their messages. It may change with each version.
export { escapeXml } from "./content/xml-text.ts";
export { requireKnownOptions } from "./known-options.ts";
export { escapeUnprintable, excerpt, positionAt, quote, type TextPosition } from "./message-text.ts";
export { nearestName, orNearest } from "./nearest-name.ts";
