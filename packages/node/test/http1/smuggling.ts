import { field, frame, frames, headers, postFields } from "../http2/http2-frames.ts";

/** Bytes in which two readers may find different requests. */
export interface Smuggling {
  readonly what: string;
  readonly bytes: string;
  /** The status that a server of waymark answers with; it closes the connection, unless that is 200. */
  readonly status: 200 | 400 | 417 | 501 | 505;
}

/** The request that is hidden in each of them, and that nobody may answer. */
export const hiddenTarget = "/hidden";
const hidden = `GET ${hiddenTarget} HTTP/1.1\r\nHost: a\r\n\r\n`;

const post = "POST /front HTTP/1.1\r\nHost: a\r\n";
const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`;
const hex = (text: string): string => text.length.toString(16);

/** The hidden request as content behind a field line that is to be mistaken: one reader counts it, another one does not. */
const counted = (line: string, status: Smuggling["status"] = 400): Omit<Smuggling, "what"> => ({
  bytes: `${post}${line}\r\n\r\n${hidden}`,
  status,
});

/** Content that ends with its first chunk, or with the length, in which the hidden request is. */
const either = (line: string, status: Smuggling["status"] = 400): Omit<Smuggling, "what"> => {
  const content = `0\r\n\r\n${hidden}`;
  return { bytes: `${post}Content-Length: ${content.length}\r\n${line}\r\n\r\n${content}`, status };
};

/** Chunked content, behind which the hidden request is for one reader, and in which it is for another. */
const inChunks = (content: string, status: Smuggling["status"] = 400): Omit<Smuggling, "what"> => ({
  bytes: `${chunked}${content}`,
  status,
});

const length = hidden.length;

/** The known ways to hide a request in another one. */
export const smuggling: readonly Smuggling[] = [
  // Content-Length and Transfer-Encoding (RFC 9112 §6.3)
  { what: "CL.TE", ...either("Transfer-Encoding: chunked") },
  {
    what: "TE.CL",
    bytes: `${post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${hex(hidden)}\r\n${hidden}\r\n0\r\n\r\n`,
    status: 400,
  },
  { what: "CL.TE with HTTP/1.0", ...replaced(either("Transfer-Encoding: chunked"), "HTTP/1.1", "HTTP/1.0") },
  { what: "TE with HTTP/1.0", ...replaced(inChunks(`0\r\n\r\n${hidden}`), "HTTP/1.1", "HTTP/1.0") },
  // Transfer-Encoding that one of two readers does not see
  { what: "TE.TE with a second line", ...either("Transfer-Encoding: chunked\r\nTransfer-Encoding: x") },
  { what: "TE.TE in another case", ...either("transfer-ENCODING: Chunked") },
  { what: "TE of an unknown coding", ...either("Transfer-Encoding: xchunked") },
  { what: "TE of identity", ...either("Transfer-Encoding: identity") },
  { what: "TE of chunked and identity", ...either("Transfer-Encoding: chunked, identity") },
  { what: "TE of chunked twice", ...withCoding("chunked, chunked") },
  { what: "TE of gzip and chunked", ...withCoding("gzip, chunked", 501) },
  { what: "TE of a quoted chunked", ...either('Transfer-Encoding: "chunked"') },
  { what: "TE with a parameter", ...withCoding("chunked;a=b") },
  { what: "TE with an empty member", ...withCoding(",chunked", 501) },
  { what: "TE without a value", ...either("Transfer-Encoding:") },
  { what: "TE behind a tab", ...either("Transfer-Encoding:\tchunked") },
  { what: "TE behind a vertical tab", ...either("Transfer-Encoding: \x0bchunked") },
  { what: "TE before a no-break space", ...either("Transfer-Encoding: chunked\xa0") },
  { what: "TE with NUL in the value", ...either("Transfer-Encoding: chunked\0") },
  { what: "TE with NUL in the name", ...either("Transfer\0-Encoding: chunked") },
  { what: "TE with a space before the colon", ...either("Transfer-Encoding : chunked") },
  { what: "TE with a tab before the colon", ...either("Transfer-Encoding\t: chunked") },
  { what: "TE with a space before the name", ...either(" Transfer-Encoding: chunked") },
  { what: "TE in a folded line", ...either("X: a\r\n Transfer-Encoding: chunked") },
  { what: "TE whose value is folded", ...either("Transfer-Encoding:\r\n chunked") },
  { what: "TE behind a lone LF", ...either("X: a\nTransfer-Encoding: chunked") },
  { what: "TE behind a lone CR", ...either("X: a\rTransfer-Encoding: chunked") },
  { what: "TE with a line feed before the colon", ...either("Transfer-Encoding\n: chunked") },
  { what: "TE behind another control character", ...either("\x01Transfer-Encoding: chunked") },
  { what: "TE with an underscore", ...either("Transfer_Encoding: chunked", 200) },
  // Content-Length that one of two readers does not see, or reads as another number
  { what: "CL.CL", ...counted(`Content-Length: 0\r\nContent-Length: ${length}`) },
  { what: "CL.CL of the same length", ...counted(`Content-Length: ${length}\r\nContent-Length: ${length}`) },
  { what: "a list of lengths", ...counted(`Content-Length: 0, ${length}`) },
  { what: "a list of the same lengths", ...counted(`Content-Length: ${length}, ${length}`) },
  { what: "CL with a sign", ...counted(`Content-Length: +${length}`) },
  { what: "CL below zero", ...counted("Content-Length: -1") },
  { what: "CL in hexadecimal", ...counted(`Content-Length: 0x${hex(hidden)}`) },
  { what: "CL with a parameter", ...counted(`Content-Length: ${length};a`) },
  { what: "CL of two numbers", ...counted(`Content-Length: 0 ${length}`) },
  { what: "CL with a fraction", ...counted(`Content-Length: ${length}.0`) },
  { what: "CL with an exponent", ...counted("Content-Length: 1e1") },
  { what: "CL with an underscore in the number", ...counted("Content-Length: 1_0") },
  { what: "CL beyond 64 bits", ...counted(`Content-Length: ${2n ** 64n + BigInt(length)}`) },
  { what: "CL without a value", ...counted("Content-Length:") },
  { what: "CL with a space before the colon", ...counted(`Content-Length : ${length}`) },
  { what: "CL whose value is folded", ...counted(`Content-Length:\r\n ${length}`) },
  { what: "CL behind a lone LF", ...counted(`X: a\nContent-Length: ${length}`) },
  { what: "CL behind a lone CR", ...counted(`X: a\rContent-Length: ${length}`) },
  { what: "CL with NUL in the value", ...counted(`Content-Length: ${length}\0`) },
  {
    what: "CL in a field of the connection",
    ...counted(`Content-Length: ${length}\r\nConnection: Content-Length`, 200),
  },
  { what: "0.CL: content of GET", ...replaced(counted(`Content-Length: ${length}`, 200), "POST", "GET") },
  {
    what: "CL.0: content that nobody reads",
    ...replaced(counted(`Content-Length: ${length}`, 200), "/front", "/unread"),
  },
  // Chunks (RFC 9112 §7.1)
  { what: "a chunk size that ends with LF", ...inChunks(`0\n\r\n${hidden}`) },
  { what: "a chunk extension that ends with LF", ...inChunks(`2;\nxx\r\n${hex(hidden)}\r\n${hidden}\r\n0\r\n\r\n`) },
  { what: "a lone CR in a chunk extension", ...inChunks(`0;\rx\r\n\r\n${hidden}`) },
  { what: "NUL in a chunk extension", ...inChunks(`0;\0\r\n\r\n${hidden}`) },
  { what: "a chunk longer than its size", ...inChunks(`1\r\nxy\r\n0\r\n\r\n${hidden}`) },
  { what: "a chunk that ends with LF", ...inChunks(`1\r\nx\n0\r\n\r\n${hidden}`) },
  { what: "a chunk that ends with CR", ...inChunks(`1\r\nx\r0\r\n\r\n${hidden}`) },
  { what: "a chunk that ends with two other bytes", ...inChunks(`1\r\nxab0\r\n\r\n${hidden}`) },
  { what: "a chunk size beyond 64 bits", ...inChunks(`10000000000000000\r\n\r\n${hidden}`) },
  { what: "a chunk size beyond 2^53", ...inChunks(`20000000000000\r\n${hidden}`) },
  { what: "a chunk size with 0x", ...inChunks(`0x0\r\n\r\n${hidden}`) },
  { what: "a chunk size with a sign", ...inChunks(`+0\r\n\r\n${hidden}`) },
  { what: "a chunk size below zero", ...inChunks(`-1\r\n\r\n${hidden}`) },
  { what: "a chunk size behind a space", ...inChunks(` 0\r\n\r\n${hidden}`) },
  { what: "a chunk size before a space", ...inChunks(`0 \r\n\r\n${hidden}`) },
  { what: "a chunk size with an underscore", ...inChunks(`1_0\r\n\r\n${hidden}`) },
  { what: "a chunk without a size", ...inChunks(`\r\n\r\n${hidden}`) },
  { what: "the last chunk without its end", ...inChunks(`0\r\n${hidden}`) },
  { what: "the last chunk with LF behind it", ...inChunks(`0\r\n\n${hidden}`) },
  { what: "a trailer that ends with LF", ...inChunks(`0\r\nX: a\n\r\n${hidden}`) },
  { what: "Content-Length as a trailer", ...inChunks(`0\r\nContent-Length: ${length}\r\n\r\n${hidden}`) },
  { what: "Transfer-Encoding as a trailer", ...inChunks(`0\r\nTransfer-Encoding: chunked\r\n\r\n${hidden}`) },
  { what: "Host as a trailer", ...inChunks(`0\r\nHost: b\r\n\r\n${hidden}`) },
  { what: "a folded trailer", ...inChunks(`0\r\nX: a\r\n b\r\n\r\n${hidden}`) },
  // The head
  { what: "a request line that ends with LF", bytes: `POST /front HTTP/1.1\nHost: a\r\n\r\n${hidden}`, status: 400 },
  { what: "a head that ends with LF", bytes: `${post}\n${hidden}`, status: 400 },
  { what: "NUL before the request line", bytes: `\0${post}\r\n${hidden}`, status: 400 },
  { what: "no version", bytes: `POST /front\r\nX: a\r\n\r\n${hidden}`, status: 505 },
  { what: "HTTP/2.0 in the request line", bytes: `POST /front HTTP/2.0\r\nHost: a\r\n\r\n${hidden}`, status: 505 },
  { what: "two hosts", bytes: `${post}Host: b\r\n\r\n${hidden}`, status: 400 },
  { what: "a host with a path", bytes: `GET /front HTTP/1.1\r\nHost: a/b\r\n\r\n${hidden}`, status: 400 },
  { what: "an expectation that is not known", ...counted(`Content-Length: ${length}\r\nExpect: x100-continue`, 417) },
  { what: "CONNECT", bytes: `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${hidden}`, status: 501 },
];

/** Chunked content with another value of Transfer-Encoding. */
function withCoding(coding: string, status: Smuggling["status"] = 400): Omit<Smuggling, "what"> {
  return { bytes: `${post}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n${hidden}`, status };
}

function replaced({ bytes, status }: Omit<Smuggling, "what">, from: string, to: string): Omit<Smuggling, "what"> {
  return { bytes: bytes.replace(from, to), status };
}

/** A request of HTTP/2 that becomes another one, or two, when a server in front makes HTTP/1.1 of it. */
export interface Http2Smuggling {
  readonly what: string;
  readonly frames: readonly Buffer[];
}

const withFields = (fields: readonly (readonly [string, string])[], content = hidden): readonly Buffer[] => [
  headers([...postFields, ...fields.flatMap(([name, value]) => field(name, value))]),
  frame(frames.data, 1, Buffer.from(content)),
];

export const http2Smuggling: readonly Http2Smuggling[] = [
  { what: "H2.CL", frames: withFields([["content-length", "0"]]) },
  {
    what: "H2.CL of two lengths",
    frames: withFields([
      ["content-length", "0"],
      ["content-length", String(length)],
    ]),
  },
  { what: "H2.TE", frames: withFields([["transfer-encoding", "chunked"]], `0\r\n\r\n${hidden}`) },
  { what: "H2.TE in a value", frames: withFields([["x", "a\r\ntransfer-encoding: chunked"]], `0\r\n\r\n${hidden}`) },
  { what: "H2.TE in a name", frames: withFields([["transfer-encoding: chunked\r\nx", "a"]], `0\r\n\r\n${hidden}`) },
  { what: "a request in a value", frames: withFields([["x", `a\r\n\r\n${hidden}`]]) },
  { what: "a request in the path", frames: withFields([[":path", `/ HTTP/1.1\r\nHost: a\r\n\r\n${hidden}`]]) },
  {
    what: "a request in the method",
    frames: withFields([[":method", `GET ${hiddenTarget} HTTP/1.1\r\nHost: a\r\n\r\nGET`]]),
  },
  {
    what: "a field of the connection",
    frames: withFields([
      ["connection", "transfer-encoding"],
      ["transfer-encoding", "chunked"],
    ]),
  },
];
