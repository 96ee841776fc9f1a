import { type Duplex, Readable } from "node:stream";
import {
  constants,
  createBrotliCompress,
  createBrotliDecompress,
  createGunzip,
  createGzip,
  createZstdCompress,
  createZstdDecompress,
} from "node:zlib";
import type { ContentCoding } from "waymark/content";

type CodingStream = ReturnType<ContentCoding["encode"]>;

/**
 * Makes a pair of web streams of a stream of zlib. It ends when all pieces are coded: an end beside a piece has Node.js write an empty
 * frame of zstd behind the last one, which its decoder before Node 26 refuses. `Duplex.toWeb` does not wait.
 */
function toStream(duplex: Duplex): CodingStream {
  const settled = (act: (done: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())));
  const writable = new WritableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      // Also when nobody wants to read any more.
      const end = (error: Error = new Error("The coding has ended")): void => controller.error(error);
      duplex.once("error", end).once("close", end);
    },
    write: (piece) => settled((done) => duplex.write(piece, done)),
    close: () => settled((done) => duplex.end(done)),
    abort: (reason) => {
      duplex.destroy(reason instanceof Error ? reason : new Error("The coding was ended early", { cause: reason }));
    },
  });
  // The streams of the web and of Node.js have types of their own, of one class.
  return {
    writable: writable as CodingStream["writable"],
    readable: Readable.toWeb(duplex) as CodingStream["readable"],
  };
}

// The parameters are for content that is made for each response: the 316 KB of JSON of 537 people take zstd 0.4 ms, br 2.7
// and gzip 1.5, and become 32, 32 and 35 KB; the next level of each takes twice as long or more for 2 to 10 % less. The
// windows of 256 KiB bound what a slow client's encoder holds. Each piece is flushed: it waits for no other.

const zstd: ContentCoding = {
  name: "zstd",
  aliases: [],
  encode: () =>
    toStream(createZstdCompress({ flush: constants.ZSTD_e_flush, params: { [constants.ZSTD_c_windowLog]: 18 } })),
  // A frame may ask for any window: those of this coding have at most 8 MiB (RFC 9659 §3).
  decode: () =>
    toStream(createZstdDecompress({ rejectGarbageAfterEnd: true, params: { [constants.ZSTD_d_windowLogMax]: 23 } })),
};

const br: ContentCoding = {
  name: "br",
  aliases: [],
  encode: () =>
    toStream(
      createBrotliCompress({
        flush: constants.BROTLI_OPERATION_FLUSH,
        params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
      }),
    ),
  decode: () => toStream(createBrotliDecompress({ rejectGarbageAfterEnd: true })),
};

const gzip: ContentCoding = {
  name: "gzip",
  aliases: ["x-gzip"],
  encode: () => toStream(createGzip({ level: 4, flush: constants.Z_SYNC_FLUSH })),
  // Several members may follow each other (RFC 1952 §2.2), and garbage is no member.
  decode: () => toStream(createGunzip()),
};

/**
 * The content codings of Node: zstd (RFC 8878), br (RFC 7932) and gzip (RFC 1952), the cheapest first. The deflate coding is
 * left out: half of its implementations send another format under that name.
 */
export const nodeCodings: readonly ContentCoding[] = [zstd, br, gzip];
