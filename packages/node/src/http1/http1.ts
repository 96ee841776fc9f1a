import type { Socket } from "node:net";
import type { ServeContext } from "../exchange/context.ts";
import { openMemory } from "../memory/answer-memory.ts";
import { Http1Connection } from "./connection.ts";
import { SharedFields } from "./head/known-fields.ts";
import { type HeadText, ResponseHeads } from "./head/response-head.ts";

/**
 * Speaks HTTP/1.1 on connections, by our own reader and writer: the door of this folder, through which everything of it is used.
 *
 * It is here for two reasons: an answer from memory costs less than `node:http` needs to read its request, and a request is read
 * strictly by RFC 9112, with a message that names what is wrong. Who needs neither deletes the folder, this call in `serve.ts` and
 * `answerMemory`: `engine: "node:http"` serves the same app, and is held to the same tests.
 */
export function speakHttp1(context: ServeContext): (socket: Socket) => void {
  const heads = new ResponseHeads(context.keepAliveTimeout);
  const shared = { fields: new SharedFields(), heads, memory: openMemory<HeadText>(context) };
  return (socket) => {
    if (!socket.destroyed) new Http1Connection(socket, context, shared);
  };
}
