/** A message that one of two parsers takes, and the other refuses. */
export interface Difference {
  /** What differs; docs/architecture.md leads here. */
  readonly what: string;
  readonly message: string;
  /** The status that waymark answers with, and what it says. */
  readonly status: number;
  readonly reason: RegExp;
}

const head = "POST /a HTTP/1.1\r\nHost: a\r\n";
const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;

/** The messages that Node.js takes, and waymark refuses. */
export const stricter: readonly Difference[] = [
  { what: "no Host", message: "GET / HTTP/1.1\r\n\r\n", status: 400, reason: /no Host line/ },
  { what: "two Host lines", message: `${head}Host: a\r\n\r\n`, status: 400, reason: /more than one host line/ },
  {
    what: "a Host that is not a host and an optional port",
    message: "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
    status: 400,
    reason: /Host must be/,
  },
  {
    what: "two lines of Authorization, or of another field that decides something and has one value",
    message: `${head}Authorization: a\r\nAuthorization: b\r\n\r\n`,
    status: 400,
    reason: /more than one [\w-]+ line/,
  },
  {
    what: "a lone CR before the request line",
    message: `\r${head}\r\n`,
    status: 400,
    reason: /The request line has no method|The bytes are not a request/,
  },
  {
    what: "a lone LF before the request line, or at its end",
    message: `\n${head}\r\n`,
    status: 400,
    reason: /^A line ends without a carriage return/,
  },
  {
    what: "more than one space before or after the target",
    message: "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
    status: 400,
    reason: /^The request target has a character|^The request line has more than/,
  },
  {
    what: "HTTP/0.9, HTTP/2.0 in a request line, and other protocols",
    message: "GET /\r\n\r\n",
    status: 505,
    reason: /version-not-supported/,
  },
  { what: "CONNECT", message: "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", status: 501, reason: /^CONNECT/ },
  {
    what: "a target that is not a path, an http URI, or the asterisk of OPTIONS",
    message: "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
    status: 400,
    reason: /^The (?:target|path|query)|^The request target is neither/,
  },
  {
    what: "a transfer coding beside chunked",
    message: `${head}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    status: 501,
    reason: /^The only transfer coding/,
  },
  {
    what: "Transfer-Encoding in HTTP/1.0",
    message: "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    status: 400,
    reason: /which HTTP\/1.0 does not know/,
  },
  {
    what: "a tab beside the value of Content-Length or Transfer-Encoding",
    message: `${head}Content-Length:\t3\r\n\r\nabc`,
    status: 400,
    reason: /^[\w-]+ has a tab/,
  },
  {
    what: "a length of more than 16 digits",
    message: `${head}Content-Length: 00000000000000003\r\n\r\nabc`,
    status: 400,
    reason: /^Content-Length must be one number/,
  },
  {
    what: "the size of a chunk in more than 16 digits, and an extension without its value",
    message: `${chunked}3;a=\r\nabc\r\n0\r\n\r\n`,
    status: 400,
    reason: /^A chunk extension is malformed|^A chunk has no size/,
  },
  {
    what: "a trailer that frames or routes a message",
    message: `${chunked}0\r\nHost: b\r\n\r\n`,
    status: 400,
    reason: /cannot be a trailer/,
  },
  {
    what: "an expectation other than 100-continue",
    message: `${head}Expect: x\r\n\r\n`,
    status: 417,
    reason: /^The only expectation/,
  },
];

/** The messages that waymark takes, and Node.js refuses, or takes for the last one of their connection. */
export const laxer: readonly Pick<Difference, "what" | "message">[] = [
  { what: "HTTP/1.2 to HTTP/1.9, served as HTTP/1.1", message: "GET / HTTP/1.2\r\nHost: a\r\n\r\n" },
  { what: "Proxy-Connection, which is ignored", message: `${head}Proxy-Connection: close\r\n\r\n${head}\r\n` },
  {
    what: "a wish for an upgrade, which is ignored",
    message: `${head}Connection: upgrade\r\nUpgrade: x\r\n\r\n${head}\r\n`,
  },
];
