import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { demoPeople } from "../../../src/person/demo.ts";
import { asJson, type SentRecord } from "../../tools/answers.ts";
import { describeOnEveryStore, type Service } from "../../tools/transports.ts";

interface Page {
  readonly people: readonly SentRecord[];
  readonly next: string | undefined;
  readonly prev: string | undefined;
}

async function readPage(service: Service, target: string): Promise<Page> {
  const { status, text, headers } = await service.send("GET", target);
  assert.equal(status, 200, text);
  const targetOf = (relation: string) => new RegExp(`<([^>]*)>; rel="${relation}"`).exec(headers["link"] ?? "")?.[1];
  return { people: JSON.parse(text), next: targetOf("next"), prev: targetOf("prev") };
}

/** The pages from the target on, by Link alone. */
async function* walk(service: Service, target: string, relation: "next" | "prev"): AsyncGenerator<Page> {
  for (let at: string | undefined = target; at !== undefined; ) {
    const page = await readPage(service, at);
    yield page;
    at = page[relation];
  }
}

/** Stores, changes and removes people by turns until it is stopped; that returns how many turns there were; those with an id that 3 divides are left alone. */
function writeInto(service: Service, ids: readonly number[]): { stop: () => Promise<number> } {
  const touchable = ids.filter((id) => id % 3 !== 0);
  let [stopped, turns] = [false, 0];
  const running = (async () => {
    for (let i = 0; !stopped; i = ++turns) {
      const letter = String.fromCharCode(65 + ((i * 7) % 26));
      const person = { familyName: `${letter}${i}`, birthDate: "1970-01-01" };
      const id = touchable[(i * 31) % touchable.length] ?? 0;
      assert.equal((await service.send("POST", "/person", asJson(person))).status, 200);
      const changes = [service.send("PUT", `/person/${id}`, asJson(person))];
      if (i % 5 === 0) changes.push(service.send("DELETE", `/person/${touchable[(i * 17) % touchable.length]}`));
      for (const { status } of await Promise.all(changes)) assert.ok([200, 204, 404].includes(status), `${status}`);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await running;
      return turns;
    },
  };
}

describeOnEveryStore("lists of people", (openService) => {
  describe("by words", () => {
    const service = openService();

    it("find the parts of a name that is another one", async () => {
      const person = { name: "The Countess", givenName: "Ada", additionalName: "King", familyName: "Lovelace" };
      await service.send("POST", "/person", asJson(person));
      for (const word of ["countess", "ada", "king", "lovelace"]) {
        assert.equal(JSON.parse((await service.send("GET", `/person?q=${word}`)).text).length, 1, word);
      }
    });

    it("find telephones by four of their digits in a row, with or without the country's prefix", async () => {
      const telephones = [{ value: "+44 (0)20 7946-0812", contexts: ["work"] }, { value: "0441 2345" }];
      await service.send("POST", "/person", asJson({ name: "Eve", telephones }));
      for (const [sought, count] of [
        ["7946", 1],
        ["%2B44+(0)20+7946", 1],
        ["020+7946", 1],
        ["00442079", 1],
        ["eve+0441-2345", 1],
        ["ada+2345", 0],
        ["346", 0],
      ] as const) {
        const { headers } = await service.send("GET", `/person?q=${sought}`, { headers: { Prefer: "count=exact" } });
        assert.equal(headers["x-total-count"], String(count), sought);
      }
    });
  });

  describe("of the demo", () => {
    const service = openService();
    let ids: readonly number[] = [];

    before(async () => {
      const people = await demoPeople();
      const store = async (person: object): Promise<number> => {
        const { status, text, headers } = await service.send("POST", "/person", asJson(person));
        assert.equal(status, 200, text);
        return Number(headers["location"]?.slice("/person/".length));
      };
      // A busy machine resets connections where many hundreds come at once.
      for (let i = 0; i < people.length; i += 50) {
        ids = [...ids, ...(await Promise.all(people.slice(i, i + 50).map(store)))];
      }
      assert.equal(new Set(ids).size, 537);
    });

    const queries: readonly [query: string, count: number][] = [
      ["", 537],
      ["birthDate[lt]=1940-01-01", 5],
      ["familyName[prefix]=Mc&address.addressRegion=DC", 17],
      ["jobTitle[in]=Senator+for+CA,Senator+for+TX", 4],
      ["q=maria+cant", 1],
      ["familyName=O'Rourke", 0],
      ["familyName='%20OR%201=1--", 0],
    ];
    for (const [query, count] of queries) {
      it(`?${query} are ${count}, listed and counted`, async () => {
        const { text, headers } = await service.send("GET", `/person?${query}`, { headers: { Prefer: "count=exact" } });
        assert.deepEqual([JSON.parse(text).length, headers["x-total-count"]], [count, `${count}`]);
      });
    }

    it("narrows the members in every representation that lets it, with these as the columns of CSV", async () => {
      const csv = await service.send("GET", "/person?limit=1&fields=familyName,id", {
        headers: { Accept: "text/csv" },
      });
      assert.match(csv.text, /^familyName,id\r\n[^\r]+,\d+\r\n$/);
      const card = await service.send("GET", "/person?limit=1&fields=id", { headers: { Accept: "text/vcard" } });
      assert.equal(card.status, 400);
    });

    it("can be followed by Link while others write: unchanged people come once, forward and back", async () => {
      const untouched = new Set(ids.filter((id) => id % 3 === 0));
      for (const query of ["limit=20", "limit=17&sort=familyName,-birthDate", "limit=50&sort=-updatedAt"]) {
        const before = (await readPage(service, `/person?${query.replace(/limit=\d+/, "")}`)).people;
        const expected = before.map(({ id }) => id).filter((id) => untouched.has(id));

        const there: number[] = [];
        let last = "";
        const writer = writeInto(service, ids);
        for await (const { people, next } of walk(service, `/person?${query}`, "next")) {
          there.push(...people.map(({ id }) => id).filter((id) => untouched.has(id)));
          last = next ?? last;
        }
        assert.deepEqual(there, expected, query);

        const back: number[] = [];
        for await (const { people } of walk(service, last, "prev")) {
          back.unshift(...people.map(({ id }) => id).filter((id) => untouched.has(id)));
        }
        assert.ok((await writer.stop()) > 0);
        // The walk back began at the last page of the walk there, behind which there may be more by then.
        assert.deepEqual(back, expected.slice(0, back.length), query);
        assert.ok(back.length > expected.length - 60, `${back.length} of ${expected.length}`);
      }
    });
  });
});
