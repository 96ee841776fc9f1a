import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { hashPassword, isPasswordHash, verifyPassword } from "../../src/access/files/password-hash.ts";
import { passwordCheck, twoAtATime } from "../../src/access/ways/passwords.ts";
import { quickHash } from "./basic-authentication.ts";

describe("the hash of a password", () => {
  it("is salted, and verifies only that password, however the keyboard types an accent", async () => {
    const password = "caf\u00e9-society";
    const [hash, other] = await Promise.all([hashPassword(password), hashPassword(password)]);
    assert.match(hash, /^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.notEqual(hash, other);
    assert(isPasswordHash(hash));
    assert.equal(await verifyPassword("cafe\u0301-society", hash), true);
    assert.equal(await verifyPassword(`${password} `, quickHash(password)), false);
  });

  const parts = `${"A".repeat(22)}$${"A".repeat(43)}`;
  const malformed = [
    ...["", "correct horse", `$scrypt$ln=4,r=8,p=1$${parts}`, `$scrypt$ln=13,r=8,p=1$${parts}`],
    ...[`$scrypt$ln=21,r=8,p=1$${parts}`, `$scrypt$ln=14,r=7,p=1$${parts}`, `$scrypt$ln=14,r=17,p=1$${parts}`],
    ...[
      `$scrypt$ln=14,r=8,p=0$${parts}`,
      `$scrypt$ln=14,r=8,p=17$${parts}`,
      `$scrypt$ln=14,r=8,p=1$AAAA${parts.slice(22)}`,
    ],
    "$2b$12$AAAAAAAAAAAAAAAAAAAAAA",
  ];
  for (const text of malformed) {
    it(`is not ${JSON.stringify(text)}`, () => assert(!isPasswordHash(text)));
  }
});

describe("the check of passwords", () => {
  const ada = { name: "ada", password: quickHash("correct horse"), scopes: ["person:read"] };
  const caller = { id: "user:ada", scopes: ["person:read"] };

  it("remembers a right password until it was not used for a minute, and a wrong one not at all", async () => {
    let time = 0;
    const check = passwordCheck([ada], twoAtATime(), () => time);
    assert.equal(check.recall("ada", "correct horse"), undefined);
    assert.deepEqual(await check.verify("ada", "correct horse"), caller);
    assert.equal(await check.verify("ada", "wrong"), "wrong");
    assert.equal(check.recall("ada", "wrong"), undefined);
    time = 59_999;
    assert.deepEqual(check.recall("ada", "correct horse"), caller);
    assert.equal(check.recall("ad", "acorrect horse"), undefined);
    time = 119_998;
    assert.deepEqual(check.recall("ada", "correct horse"), caller);
    time = 179_998;
    assert.equal(check.recall("ada", "correct horse"), undefined);
  });

  it("computes one hash for requests that come together", async () => {
    const check = passwordCheck([ada], twoAtATime(), () => 0);
    const first = check.verify("ada", "correct horse");
    const second = check.verify("ada", "correct horse");
    assert.equal(first, second);
    assert.deepEqual([await first, await second], [caller, caller]);
  });

  it("computes a hash for a name that nobody has, as for any other", async () => {
    const check = passwordCheck([ada], twoAtATime(), () => 0);
    let hashes = 0;
    const hook = createHook({
      init: (_id, type) => {
        if (type === "SCRYPTREQUEST") hashes++;
      },
    }).enable();
    try {
      assert.equal(await check.verify("ada", "wrong"), "wrong");
      assert.equal(hashes, 1);
      assert.equal(await check.verify("nobody", "wrong"), "wrong");
      assert.equal(hashes, 2);
    } finally {
      hook.disable();
    }
  });

  it("computes two hashes at a time, and turns away what more than 64 wait before", async () => {
    const inTurn = twoAtATime();
    let [running, most] = [0, 0];
    const work = async (): Promise<string> => {
      most = Math.max(most, ++running);
      await nextTurn();
      running--;
      return "done";
    };
    const failing = async (): Promise<string> => assert.fail("no");
    for (let i = 0; i < 3; i++) await assert.rejects(inTurn(failing));
    const outcomes = await Promise.all(Array.from({ length: 68 }, () => inTurn(work)));
    assert.deepEqual([outcomes, most], [[...Array(66).fill("done"), undefined, undefined], 2]);
    assert.equal(await inTurn(work), "done");
    assert.equal(
      await passwordCheck(
        [ada],
        async () => undefined,
        () => 0,
      ).verify("ada", "x"),
      "busy",
    );
  });
});
