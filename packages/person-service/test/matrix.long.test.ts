import assert from "node:assert/strict";
import { it } from "node:test";
import { isThorough } from "../../waymark/test/runs.ts";
import { openCallers, type TestCaller } from "./callers.ts";
import { addressed, contents, type Fields, type Place } from "./request-space.ts";
import { describeInMemory } from "./transports.ts";

// Every answer here is held against the OpenAPI document, and no request may be a fault of the service (transports.ts).

describeInMemory("every representation with every parameter, method and caller", (openService) => {
  const callers = openCallers(openService);
  const people = (): readonly Place[] => callers.places().filter(({ path }) => path.startsWith("/person"));

  const send = async (caller: TestCaller, method: string, target: string, headers: Fields, body?: string) => {
    const message = { headers: { ...caller.fields, ...headers }, ...(body !== undefined && { body }) };
    const { status, text } = await caller.service.send(method, target, message);
    assert.ok(status < 500, `${method} ${target} ${JSON.stringify(headers)} → ${status} ${text}`);
  };

  for (const caller of callers.all) {
    it(`is answered when ${caller.name} reads`, async () => {
      for (const { path, queries, forms } of people()) {
        // Whoever asks matters to each query and to each form, and to no pair of them.
        const pairs = isThorough || caller.name === "the reader";
        const ways = pairs
          ? queries.flatMap((query) => forms.map((form) => [query, form] as const))
          : [
              ...queries.map((query) => [query, { accept: "*/*" }] as const),
              ...forms.map((form) => ["", form] as const),
            ];
        for (const [query, form] of ways) {
          const { target, headers } = addressed(path.replace("{id}", "1"), query, form);
          for (const method of ["GET", "HEAD"]) await send(caller, method, target, headers);
        }
      }
    });
  }

  // Behind those that read, since lists become longer by them.
  for (const caller of callers.all) {
    it(`is answered when ${caller.name} changes people`, async () => {
      for (const { path, forms } of people()) {
        const target = path.replace("{id}", "1");
        // What the query of a change has matters to no form, and the other way round.
        const ways = [
          ...forms.map((form) => addressed(target, "", form)),
          ...["dry-run=true", "fields=name"].map((query) => addressed(target, query, { accept: "*/*" })),
        ];
        const preferences = ["return=representation", "return=minimal"];
        // Of the others, most are refused before anything is read: each form comes with one content, and each content in one form.
        const isWhole = isThorough || caller.name === "the editor";
        for (const preference of isWhole ? preferences : preferences.slice(0, 1)) {
          for (const [i, { target, headers }] of ways.entries()) {
            const fields = { ...headers, Prefer: preference };
            for (const [type, body] of isWhole || i === 0 ? contents : contents.slice(0, 1)) {
              for (const method of ["POST", "PUT", "PATCH"]) {
                await send(caller, method, target, { ...fields, "Content-Type": type }, body);
              }
            }
            const removed = path === "/person" ? path : await callers.storePerson(caller);
            await send(caller, "DELETE", target.replace(/^[^?]*/, removed), fields);
          }
        }
      }
    });
  }
});
