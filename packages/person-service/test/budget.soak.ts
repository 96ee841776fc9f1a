import { after, before, describe, it } from "node:test";
import { openPersonService, type PersonService } from "../src/index.ts";
import { assertGrowsWithBytes, dimensions } from "./budget.ts";

describe("the work of a request grows no faster than its bytes, up to the limit of each", () => {
  let service: PersonService;
  before(async () => {
    service = await openPersonService({ database: ":memory:" });
    await service.people.create({ name: "Ada" });
  });
  after(() => service.database.close());

  for (const dimension of dimensions) {
    it(dimension.name, () => assertGrowsWithBytes(service, dimension, dimension.limit));
  }
});
