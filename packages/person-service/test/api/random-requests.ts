import { it } from "node:test";
import fc from "fast-check";
import { openCallers } from "../tools/callers.ts";
import { describeInMemory } from "../tools/transports.ts";
import { randomRequests } from "./request-space.ts";

/** The requests that one database gets: with more, most of the time would go into lists of those whom they have stored. */
const requestsAtOnce = 2000;

/**
 * Sends random requests by random callers. Every answer is held against the OpenAPI document, and none may be a fault of the service
 * (transports.ts).
 *
 * @param count a multiple of 2,000
 */
export function describeRandomRequests(count: number): void {
  for (let sent = 0; sent < count; sent += requestsAtOnce) {
    describeInMemory(`random requests from no. ${sent + 1} on`, (openService) => {
      const callers = openCallers(openService);
      it("are answered as the OpenAPI document says", async () => {
        const anyone = fc.constantFrom(...callers.all);
        const property = fc.asyncProperty(anyone, randomRequests(callers.places()), async (caller, request) => {
          const { method, target, headers, body } = request;
          const fields = { ...caller.fields, ...headers };
          await caller.service.send(method, target, { headers: fields, ...(body !== undefined && { body }) });
        });
        await fc.assert(property, { numRuns: requestsAtOnce });
      });
    });
  }
}
