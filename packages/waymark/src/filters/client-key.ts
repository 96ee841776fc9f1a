import type { HttpRequest } from "../request.ts";

/** Is `rateLimit.clientKey`. */
export function clientKey(of: string | Pick<HttpRequest, "client" | "native" | "signal">, unknown?: string): string {
  const address = typeof of === "string" ? of : of.client.address;
  if (address !== undefined) return networkOf(address);
  if (unknown !== undefined) return unknown;
  // The connection of a client that has gone has no address any more, and nobody gets the answer.
  if (typeof of === "string" || of.native === undefined || of.signal.aborted) return "unknown";
  throw new TypeError(
    "The address of the client is unknown, so clients cannot be distinguished: serve the app by app.fetchHandler(…), " +
      "which takes the address from the runtime, or give rateLimit a key",
  );
}

function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [before = "", after] = address.replace(/%.*$/, "").split("::");
  const first = before === "" ? [] : before.split(":");
  const last = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? [] : new Array<string>(Math.max(8 - first.length - last.length, 0)).fill("0");
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`;
}
