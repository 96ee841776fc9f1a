import { after, before, describe, it } from "node:test";
import { openFolder } from "../../waymark/test/folder.ts";
import { openAccess, openPersonService, type PersonService } from "../src/index.ts";
import { quickHash } from "./access/basic-authentication.ts";
import { assertGrowsWithBytes, dimensions } from "./budget.ts";

describe("the work of a request grows no faster than its bytes, up to the limit of each", () => {
  let service: PersonService;
  let guarded: PersonService;
  const folder = openFolder("budget");
  before(async () => {
    service = await openPersonService({ database: ":memory:" });
    await service.people.create({ name: "Ada" });
    const users = [{ name: "ada", password: quickHash("correct"), scopes: [] }];
    const file = folder.write("access.json", { rules: [{ path: "/person/**", scopes: [] }], users });
    const { filter } = await openAccess({ file, onDenial: () => undefined });
    guarded = await openPersonService({ database: ":memory:", access: filter });
  });
  after(() => Promise.all([service, guarded].map(({ database }) => database.close())));

  for (const dimension of dimensions) {
    it(dimension.name, () =>
      assertGrowsWithBytes(dimension.isGuarded === true ? guarded : service, dimension, dimension.limit),
    );
  }
});
