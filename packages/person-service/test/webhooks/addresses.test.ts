import assert from "node:assert/strict";
import dns, { type LookupAddress } from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { isIP } from "node:net";
import { after, before, describe, it, mock } from "node:test";
import { PrivateAddressError, publicLookup } from "../../src/webhooks/settings.ts";

describe("the address of a webhook", () => {
  let found: readonly string[] = [];
  const answer = (_name: string, _options: object, callback: (error: null, found: LookupAddress[]) => void): void =>
    callback(
      null,
      found.map((address) => ({ address, family: isIP(address) })),
    );
  before(() => {
    mock.method(dns, "lookup", answer as typeof dns.lookup); // it is asked for all addresses
    syncBuiltinESMExports();
  });
  after(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
  });

  const addressesOf = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      publicLookup("receiver.example", { all: true }, (error, addresses) =>
        error ? reject(error) : resolve(addresses),
      );
    });

  it("is looked up for each connection, which is to no other one than was checked", async () => {
    found = ["93.184.215.14"];
    assert.deepEqual(await addressesOf(), [{ address: "93.184.215.14", family: 4 }]);
    for (const now of [["10.0.0.1"], ["93.184.215.14", "127.0.0.1"], ["::1"], ["::ffff:192.168.0.1"], ["fe80::1"]]) {
      found = now;
      await assert.rejects(addressesOf(), PrivateAddressError, now.join());
    }
  });
});
