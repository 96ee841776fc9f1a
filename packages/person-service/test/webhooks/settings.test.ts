import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { readWebhookSecret } from "../../src/webhooks/delivery.ts";
import { isPrivateAddress, parseWebhook } from "../../src/webhooks/settings.ts";

const webhook = (members: object): string =>
  JSON.stringify({ url: "https://hooks.example.com/a", "secret-file": "s", ...members });

describe("the settings of a webhook", () => {
  it("have defaults", () => {
    assert.deepEqual(parseWebhook(webhook({})), {
      url: "https://hooks.example.com/a",
      secretFile: "s",
      types: ["person.stored", "person.removed"],
      fields: undefined,
      from: "now",
      allowsPrivateAddresses: false,
    });
  });

  const refusals: readonly [text: string, reason: RegExp][] = [
    ["x", /^TypeError: must be an object, such as /],
    ["{}", /cannot be used: url is missing; secret-file is missing$/],
    ["[]", /cannot be used: must be an object, not an array$/],
    [webhook({ url: "ftp://hooks.example.com" }), /url must be a URL of https/],
    [webhook({ url: "https://a:b@hooks.example.com" }), /without a user/],
    [webhook({ url: "http://hooks.example.com" }), /url must begin with https:\/\//],
    [webhook({ url: "https://127.0.0.1/" }), /url is at a private address/],
    [webhook({ url: "https://0x7f.1/" }), /url is at a private address/],
    [webhook({ url: "https://[::1]/" }), /url is at a private address/],
    [webhook({ types: ["person.created"] }), /: types\[0\] must be person\.stored or person\.removed$/],
    [webhook({ types: [] }), /: types must not be empty$/],
    [webhook({ "allow-private-addresses": "yes" }), /: allow-private-addresses must be a boolean, not a string$/],
    [webhook({ fields: ["shoe"] }), /: fields\[0\] must be a member of a person$/],
    [webhook({ secret: "x" }), /: secret is not a member that there is$/],
  ];
  for (const [text, reason] of refusals) {
    it(`refuse ${text}`, () => assert.throws(() => parseWebhook(text), reason));
  }

  it("let a webhook be private where they say so", () => {
    parseWebhook(webhook({ url: "http://127.0.0.1:8080/", "allow-private-addresses": true }));
  });
});

describe("isPrivateAddress", () => {
  for (const address of [
    ...["127.0.0.1", "10.1.2.3", "172.31.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"],
    ...["255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "fd12::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8"],
    ...["::ffff:0:127.0.0.1", "64:ff9b::10.0.0.1", "2002:7f00:1::1", "100:0:0:1::1", "3fff::1", "5f00::1"],
    ...["64:ff9b::a00:1", "2002:a00:1::", "2001:db8::1", "ff02::1"],
  ]) {
    const isMappedPublic = address === "::ffff:8.8.8.8";
    it(`says ${!isMappedPublic} of ${address}`, () => assert.equal(isPrivateAddress(address), !isMappedPublic));
  }
  for (const address of ["8.8.8.8", "172.32.0.1", "193.0.0.1", "2606:4700::1111", "2a00:1450::1"]) {
    it(`says false of ${address}`, () => assert.equal(isPrivateAddress(address), false));
  }
});

describe("the secret of a webhook", () => {
  const folder = openFolder("webhook-secrets");

  it("signs as the example of standard-webhooks", () => {
    const file = folder.write("good", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");
    const body = '{"test": 2432232314}';
    const at = new Date(1_614_265_330_000);
    assert.equal(
      readWebhookSecret(file).sign("msg_p5jXN8AQM9LWM0D4loKWxJek", at, body),
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    );
  });

  for (const [what, text] of [
    ["no prefix", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    ["too few bytes", "whsec_aGFsbG8="],
    ["nothing", ""],
  ] as const) {
    it(`is refused with ${what}`, () => {
      assert.throws(() => readWebhookSecret(folder.write("bad", text)), /24 to 64 random bytes/);
    });
  }

  it("is refused where there is no file", () => {
    assert.throws(() => readWebhookSecret(folder.path("missing")), /does not exist/);
  });
});
