import { GET, HttpRequest, type HttpResponse, ok, router } from "waymark";
import { hashApiKey, type StoredKey } from "../../src/access/files/api-key.ts";
import type { AccessFilter } from "../../src/index.ts";

/** An API key as the program makes them, its checksum included. */
export const testKey = "ps_00000000000000000000000000000000000000000001K0Ecg";

/** What the file of keys has of it. */
export const storedKey = (scopes: readonly string[] = [], name = "crm"): StoredKey => ({
  name,
  hash: hashApiKey(testKey),
  scopes,
  createdAt: "2026-01-31T12:00:00Z",
});

/** Returns what sends `GET /guarded` with this Authorization field to an app behind the filter, from this address. */
export function guardedBy(filter: AccessFilter): (authorization?: string, address?: string) => Promise<HttpResponse> {
  const app = router({ filters: [filter] }, GET("/guarded", ok));
  return async (authorization, address) => {
    const headers: Readonly<Record<string, string>> =
      authorization === undefined ? {} : { Authorization: authorization };
    return app.handle(HttpRequest.of({ target: "/guarded", headers, client: { address } }));
  };
}
