import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serve } from "@waymark/node";
import { RawConnection } from "../../node/test/raw-connection.ts";
import { openFolder } from "../../waymark/test/folder.ts";
import { openPersonService } from "../src/service.ts";
import { compareWithOrdinaryWay } from "./answer-memory.ts";

const folder = openFolder("answers");

describe("answers from memory", () => {
  for (const database of [":memory:", folder.newFile()]) {
    it(`read no person again until one has changed (${database === ":memory:" ? database : "a file"})`, async () => {
      let reads = 0;
      const onOperation = ({ name }: { readonly name: string }): void => {
        if (name === "find" || name === "list") reads++;
      };
      const service = await openPersonService({ database, observers: [{ onOperation }] });
      await service.people.create({ name: "Ada" });
      const server = await serve(service.app, { answerMemory: 2 ** 20 });
      const connection = new RawConnection(server.port);
      try {
        for (const target of ["/person/1", "/person?limit=20"]) {
          for (let round = 0; round < 5; round++) {
            reads = 0;
            for (let i = 0; i < 20; i++) {
              const { status, body } = await connection.request(`GET ${target}`).response();
              assert.equal(status, 200);
              assert(body.includes(round === 0 && target === "/person/1" ? '"Ada"' : "Ada"), body);
            }
            assert(reads > 0 && reads < 5, `${reads} reads for 20 requests`);
            reads = 0;
            for (let i = 0; i < 5; i++) await connection.request("GET /person?format=json&limit=20").response();
            assert.equal(reads, 5, "the name of the file has the date");
            await service.people.replace(1, { name: `Ada ${round}` });
            const { body } = await connection.request(`GET ${target}`).response();
            assert(body.includes(`"Ada ${round}"`), body);
          }
        }
      } finally {
        connection.destroy();
        await server.close({ grace: 0 });
        await service.database.close();
      }
    });
  }

  const comparisons = 1_000;
  for (const protocol of ["HTTP/1.1", "HTTP/2"] as const) {
    it(`are those of the ordinary way over ${protocol}, while people and keys are changed, and workers die`, async () => {
      const { equal, between, writes } = await compareWithOrdinaryWay({
        protocol,
        comparisons,
        readers: 4,
        disturbances: 1,
      });
      const enough = equal > comparisons / 3 && between + equal >= comparisons && writes > 20;
      assert(enough, JSON.stringify({ equal, between, writes }));
    });
  }
});
