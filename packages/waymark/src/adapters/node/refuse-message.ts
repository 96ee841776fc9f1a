import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Awaitable } from "../../filter.ts";
import { HeaderList } from "../../header-list.ts";
import { HttpRequest } from "../../request.ts";
import type { HttpResponse } from "../../response.ts";
import { nodeClient } from "./node-client.ts";
import type { ServeContext } from "./node-request.ts";
import { canonicalAddress } from "./trusted-proxies.ts";

/**
 * The refusal of a message that Node makes no exchange of, as the app's web filters leave it. They see the path `*`, and of a
 * message whose head is not known neither method nor fields.
 */
export function refuseMessage(
  context: ServeContext,
  socket: Socket,
  refusal: HttpResponse,
  message?: IncomingMessage,
): Awaitable<HttpResponse> {
  const request = HttpRequest.of({
    method: message?.method ?? "",
    target: "*",
    headers: HeaderList.fromParsed(message?.rawHeaders ?? []),
    client:
      message === undefined
        ? {
            address: canonicalAddress(socket.remoteAddress ?? ""),
            scheme: socket instanceof TLSSocket ? "https" : "http",
          }
        : nodeClient(message, context),
  });
  return context.app.refuse(request, refusal, "message");
}
