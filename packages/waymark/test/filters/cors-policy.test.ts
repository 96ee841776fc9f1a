import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GET, group, ok, router } from "waymark";
import { cors } from "waymark/filters";
import type { Member } from "../../src/route.ts";

/** The findings that building the policy complains of. */
function findingsIn(policy: cors.Policy): readonly string[] {
  try {
    cors(policy);
  } catch (error) {
    assert.ok(error instanceof cors.PolicyError);
    return error.findings;
  }
  return [];
}

const origins = ["https://app.example.com"];

describe("a CORS policy", () => {
  const sound: readonly cors.Policy[] = [
    { origins: ["*"] },
    { origins, credentials: true, maxAge: 0, methods: ["GET", "QUERY", "PURGE"] },
    { origins: ["*"], requestHeaders: [], exposedHeaders: [], methods: [] },
    { origins, requestHeaders: [...cors.defaults.requestHeaders, "X-Own"] },
    { origins: ["http://*.localhost:3000", "http://localhost", "https://*.co.uk", "https://10.0.0.1:8443"] },
    { origins: ["capacitor://localhost", "chrome-extension://abcdefghijklmnop", "http://[::1]:3000"] },
    { origins: [{ name: "tenants", allows: () => true }], credentials: true },
  ];
  for (const policy of sound) {
    it(`may be ${JSON.stringify(policy)}`, () => assert.deepEqual(findingsIn(policy), []));
  }

  const misspelt: Readonly<Record<string, readonly string[]>> = {
    "https://app.example.com": ["", "app.example.com", "localhost:3000", "https://", "file:///index.html"],
    "https://a.example": [
      ...["https://a.example/", "https://a.example/app", "https://a.example?", "https://a.example#x"],
      ...["https://A.example", "https://a.example:443", "https://a.example ", "https://ada@a.example"],
    ],
    "https://xn--mnchen-3ya.example": ["https://münchen.example"],
    "capacitor://localhost": ["Capacitor://Localhost"],
    "https://*.example.com": ["https://*.example.com/", "https://*.Example.com"],
  };
  for (const [right, wrong] of Object.entries(misspelt)) {
    for (const origin of wrong) {
      it(`refuses the origin ${JSON.stringify(origin)}, and says what would be right`, () => {
        const message = `${JSON.stringify(origin)} is not an origin as browsers send it: scheme, host and port, such as "${right}"`;
        assert.deepEqual(findingsIn({ origins: [...origins, origin] }), [message]);
      });
    }
  }

  const wrongOrigins: Readonly<Record<string, readonly string[]>> = {
    "is the origin of every sandboxed page, and cannot be allowed": ["null"],
    'has an asterisk that does not stand for whole labels, as in "https://*.example.com"': [
      ...["https://*", "https://*example.com", "https://a.*.com", "*://a.example.com", "https://*.*.example.com"],
    ],
    "would allow every site of a top-level domain": ["https://*.com", "https://*.com:8443"],
  };
  for (const [finding, wrong] of Object.entries(wrongOrigins)) {
    for (const origin of wrong) {
      it(`refuses the origin ${JSON.stringify(origin)}`, () => {
        assert.deepEqual(findingsIn({ origins: [...origins, origin] }), [`${JSON.stringify(origin)} ${finding}`]);
      });
    }
  }

  const impossible: readonly (readonly [policy: unknown, ...findings: string[]])[] = [
    [{ origins: [] }, "origins is empty; to allow no origin, leave the filter out"],
    [{ origins: ["*", ...origins] }, '"*" stands for all origins, so it must be the only one'],
    [{ origins: ["*"], credentials: true }, 'credentials need a list of origins: browsers do not accept "*" with them'],
    [{ origins: "https://app.example.com" }, 'origins must be a list such as ["https://app.example.com"], not string'],
    [{}, 'origins must be a list such as ["https://app.example.com"], not undefined'],
    [{ origins: [/example/] }, "an origin is a text or { name, allows }, not object"],
    [{ origins: [undefined] }, "an origin is a text or { name, allows }, not undefined"],
    ...[-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "60"].map(
      (maxAge) => [{ origins, maxAge }, `maxAge must be a whole number of seconds, 0 or more, not ${maxAge}`] as const,
    ),
    [{ origins, methods: ["patch"] }, 'methods: "patch" is not in capitals'],
    [{ origins, methods: ["GET, PUT"] }, 'methods: "GET, PUT" is not the name of one'],
    [{ origins, methods: "GET" }, "methods must be a list of texts"],
    [{ origins, methods: ["*"] }, 'methods: "*" is not the name of one'],
    [{ origins, requestHeaders: ["*"] }, 'requestHeaders: "*" is not the name of one'],
    [{ origins, requestHeaders: ["X Own"] }, 'requestHeaders: "X Own" is not the name of one'],
    [{ origins, exposedHeaders: [""] }, 'exposedHeaders: "" is not the name of one'],
    [{ origins, exposedHeaders: ["ETag", 7] }, 'exposedHeaders: "7" is not the name of one'],
    [
      { origins: ["null", "a"], maxAge: -1 },
      '"null" is the origin of every sandboxed page, and cannot be allowed',
      '"a" is not an origin as browsers send it: scheme, host and port, such as "https://app.example.com"',
      "maxAge must be a whole number of seconds, 0 or more, not -1",
    ],
  ];
  for (const [policy, ...findings] of impossible) {
    it(`refuses ${JSON.stringify(policy)}: ${findings.join("; ")}`, () => {
      assert.deepEqual(findingsIn(policy as cors.Policy), findings); // As JavaScript calls it.
    });
  }

  it("has all that is wrong in the message of the error, which is a RangeError", () => {
    assert.throws(() => cors({ origins: [], maxAge: -1 }), {
      name: "CorsPolicyError",
      message: `The CORS policy has 2 errors:
- origins is empty; to allow no origin, leave the filter out
- maxAge must be a whole number of seconds, 0 or more, not -1`,
    });
    assert.throws(() => cors({ origins: [] }), /^CorsPolicyError: The CORS policy has an error:\n- origins/);
    assert.throws(() => cors({ origins: [] }), RangeError);
  });

  it("is for web filters only: a group would never see a pre-flight", () => {
    const filter = cors({ origins });
    router({ filters: [filter] }, GET(ok));
    // @ts-expect-error: a group takes other filters
    assert.throws(() => group(filter, GET(ok)), TypeError);
    assert.throws(() => group(filter as unknown as Member, GET(ok)), /not a web filter, such as cors/); // As in JavaScript.
  });
});
