/** Returns a number from 0 to 1, without 1. */
export type Random = () => number;

/** Makes a source of numbers that are the same for the same seed (xorshift32). */
export function randomSource(seed: number): Random {
  let state = 2 * seed + 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1));

/** Cuts bytes into pieces at random places. */
export function cut(bytes: Buffer, random: Random): readonly Buffer[] {
  const pieces: Buffer[] = [];
  const longest = pick(random, [1, 3, 20, 200]);
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + upTo(random, longest - 1);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

const requestLines = [
  ..."GET / HTTP/1.1|POST /a HTTP/1.1|PUT /a?b=c HTTP/1.1|HEAD / HTTP/1.0|GET http://a/b HTTP/1.1|OPTIONS * HTTP/1.1".split(
    "|",
  ),
  ..."GET /#x HTTP/1.1|FOO / HTTP/1.1|get / HTTP/1.1|GET  / HTTP/1.1|GET /  HTTP/1.1|GET / HTTP/2.1|GET /|POST /a HTTP/1.0".split(
    "|",
  ),
  ...'GET ?a HTTP/1.1|CONNECT a:1 HTTP/1.1|GET /\x80 HTTP/1.1|GET /\x7f HTTP/1.1|GET /"<>\\^`{|} HTTP/1.1|QUERY / HTTP/1.1'.split(
    "|",
  ),
  ...'GET http://a"b/ HTTP/1.1|GET http://u:p@a:1/?b HTTP/1.1|GET HTTPS://[::1]/%zz HTTP/1.1|GET http:/// HTTP/1.1|GET //a/.. HTTP/1.1'.split(
    "|",
  ),
  ..." GET / HTTP/1.1|GET\t/ HTTP/1.1|GET / http/1.1|GET / HTTP/1.1 |M-SEARCH * HTTP/1.1|GET / HTTP/01.1|GET x:y HTTP/1.1".split(
    "|",
  ),
];
const fieldLines = [
  ..."X: y|X:y|X:\ty \t|X:|X-A: b, c|Accept: */*|Cookie: a=b; c=d|X: \x80\xff|Connection: keep-alive|x_y: 1|X.y*z!: 1".split(
    "|",
  ),
  ..."Connection: close|Connection: x, close|Expect: 100-continue|Content-Type: a/b|TE: trailers|Trailer: X".split("|"),
  ...'X : y| X: y|X|: y|X: a\0b|X: a\rb|X: a\nb|X\0: y|X: \x7f|X[: y|X: "a:b"|X: a\r\n b|\tX: y|X: a\x0bb|(X): y'.split(
    "|",
  ),
  ..."Host: b|Host:|Host: a b|Connection: Close|Keep-Alive: timeout=5|Range: a|Range: b|Expect: x|Authorization: a".split(
    "|",
  ),
];
const lengths = [
  ..."3|0|03|+3|-1|3, 3|3 |0x3|3;x|3\t|99999999999999999999|\x0b3|3\xa0||1e1|9007199254740993|3,".split("|"),
];
const codings = [
  ..."chunked|Chunked|gzip, chunked|chunked, gzip|identity|chunked, chunked|chunked;a=b|x-chunked|chunked\t| chunked ".split(
    "|",
  ),
  ...'chunked,|,chunked|\x0bchunked|chunked\xa0|"chunked"|chunked\0|chu nked|chunkeD||gzip'.split("|"),
];
const lengthNames = [
  "Content-Length",
  "content-length",
  "CONTENT-LENGTH",
  "Content-Length ",
  "Content_Length",
  "Content-Length\t",
];
const codingNames = [
  "Transfer-Encoding",
  "transfer-encoding",
  "Transfer-encoding",
  "Transfer-Encoding ",
  "Transfer_Encoding",
];
const chunkParts = [
  ..."3\r\nabc\r\n|3\r\nabc\r\n|03\r\nabc\r\n|1\r\na\r\n|a\r\n0123456789\r\n|A\r\n0123456789\r\n|3;a=b\r\nabc\r\n|3;a\r\nabc\r\n".split(
    "|",
  ),
  ...'3;a="b;\\"c"\r\nabc\r\n|3 \r\nabc\r\n|3\nabc\r\n|3\r\nabc\n|3\r\nabcd\r\n|3\r\nab\r\n|0x3\r\nabc\r\n|-3\r\nabc\r\n|g\r\n'.split(
    "|",
  ),
  ..."3;\r\nabc\r\n|3; a=b\r\nabc\r\n|3;a = b\r\nabc\r\n|3;a=\r\nabc\r\n|3;=b\r\nabc\r\n|3\r\r\nabc\r\n|ffffffffffffffff\r\n".split(
    "|",
  ),
  ...'3;a\nb\r\nabc\r\n|3;a\0\r\nabc\r\n|3\t\r\nabc\r\n|\r\n3\r\nabc\r\n|3;a="b\r\nabc\r\n|00000000000000000003\r\nabc\r\n|3;a;b;c=1\r\nabc\r\n'.split(
    "|",
  ),
];
const chunkEnds = [
  ..."0\r\n\r\n|0\r\n\r\n|0\r\n\r\n|00\r\n\r\n|0;x\r\n\r\n|0\r\nX: y\r\n\r\n|0\r\nX: y\r\nZ: a\r\n\r\n|0\r\n|0\n\n|0\r\n\n|0\r\nX\r\n\r\n".split(
    "|",
  ),
  ..."0\r\nContent-Length: 5\r\n\r\n|0\r\nX : y\r\n\r\n|0\r\n X: y\r\n\r\n|0\r\nTransfer-Encoding: chunked\r\n\r\n|0\r\nX: a\0\r\n\r\n|".split(
    "|",
  ),
];

/** Generates some messages, most of them sound, half of the time with a mutation. */
export function generateMessages(random: Random): Buffer {
  let text = "";
  const count = 1 + upTo(random, 2);
  for (let i = 0; i < count; i++) text += generateMessage(random);
  if (random() < 0.5) text = mutate(text, random);
  // A known difference: Node refuses later minor versions.
  return Buffer.from(text.replace(/HTTP\/1\.[2-9]/g, "HTTP/1.1"), "latin1");
}

function generateMessage(random: Random): string {
  const lines = [random() < 0.8 ? "POST /a HTTP/1.1" : pick(random, requestLines)];
  if (random() < 0.95) lines.push("Host: a");
  for (let i = upTo(random, 3); i > 0; i--) lines.push(random() < 0.8 ? "X: y" : pick(random, fieldLines));
  let content = "";
  const framing = random();
  if (framing < 0.35) {
    lines.push(
      `${random() < 0.9 ? "Content-Length" : pick(random, lengthNames)}: ${random() < 0.8 ? "3" : pick(random, lengths)}`,
    );
    content = "abc";
  } else if (framing < 0.8) {
    lines.push(
      `${random() < 0.9 ? "Transfer-Encoding" : pick(random, codingNames)}: ${random() < 0.8 ? "chunked" : pick(random, codings)}`,
    );
    for (let i = upTo(random, 2); i > 0; i--) content += random() < 0.8 ? "3\r\nabc\r\n" : pick(random, chunkParts);
    content += random() < 0.7 ? "0\r\n\r\n" : pick(random, chunkEnds);
    if (random() < 0.1) lines.push(`Content-Length: ${pick(random, lengths)}`);
  }
  if (random() < 0.2) lines.splice(1, 0, lines.pop() as string);
  const end = random() < 0.95 ? "\r\n" : pick(random, ["\n", "\r", "\r\r\n", ""]);
  const before = random() < 0.9 ? "" : pick(random, ["\r\n", "\r\n\r\n", "\n", "\r", " "]);
  return `${before}${lines.join("\r\n")}\r\n${end}${content}`;
}

const inserted = [
  ...'\r|\n|\r\n|\0|\t| |:|,|;|0|1|a|\x80|\x7f|\x0b|"|GET / HTTP/1.1\r\n\r\n|Transfer-Encoding: chunked\r\n|Content-Length: 3\r\n'.split(
    "|",
  ),
];

function mutate(text: string, random: Random): string {
  const at = upTo(random, text.length);
  switch (upTo(random, 3)) {
    case 0:
      return text.slice(0, at) + pick(random, inserted) + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + upTo(random, 3));
    case 2:
      return text.slice(0, at) + String.fromCharCode(upTo(random, 255)) + text.slice(at + 1);
    default:
      return text.slice(0, at);
  }
}
