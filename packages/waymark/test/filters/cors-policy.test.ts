import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GET, group, type Member, ok, router } from "waymark";
import { type CorsPolicy, CorsPolicyError, cors, corsDefaults } from "waymark/filters";

/** The findings that building the policy complains of. */
function findingsIn(policy: CorsPolicy): readonly string[] {
  try {
    cors(policy);
  } catch (error) {
    assert.ok(error instanceof CorsPolicyError);
    return error.findings;
  }
  return [];
}

const origins = ["https://app.example.com"];

describe("a CORS policy", () => {
  const sound: readonly CorsPolicy[] = [
    { origins: ["*"] },
    { origins, credentials: true, maxAge: 0, methods: ["GET", "QUERY", "PURGE"] },
    { origins: ["*"], requestHeaders: [], exposedHeaders: [], methods: [], privateNetwork: true },
    { origins, requestHeaders: [...corsDefaults.requestHeaders, "X-Own"] },
    { origins: ["http://*.localhost:3000", "http://localhost", "https://*.co.uk", "https://10.0.0.1:8443"] },
    { origins: ["capacitor://localhost", "chrome-extension://abcdefghijklmnop", "http://[::1]:3000"] },
    { origins: [{ name: "tenants", allows: () => true }], credentials: true },
  ];
  for (const policy of sound) {
    it(`may be ${JSON.stringify(policy)}`, () => assert.deepEqual(findingsIn(policy), []));
  }

  const wrongOrigins: Readonly<Record<string, string>> = {
    null: '"null" is the origin of every sandboxed page, and cannot be allowed',
    "": '"" is not an origin, which is scheme, host and port, such as "https://app.example.com"',
    "app.example.com":
      '"app.example.com" is not an origin, which is scheme, host and port, such as "https://app.example.com"',
    "localhost:3000":
      '"localhost:3000" is not an origin, which is scheme, host and port, such as "https://app.example.com"',
    "https://": '"https://" is not an origin, which is scheme, host and port, such as "https://app.example.com"',
    "https://a.example/": '"https://a.example/" has more than scheme, host and port; the origin is "https://a.example"',
    "https://a.example/app":
      '"https://a.example/app" has more than scheme, host and port; the origin is "https://a.example"',
    "https://a.example?": '"https://a.example?" has more than scheme, host and port; the origin is "https://a.example"',
    "https://a.example#x":
      '"https://a.example#x" has more than scheme, host and port; the origin is "https://a.example"',
    "https://A.example": '"https://A.example" is not in the form that browsers send: "https://a.example"',
    "https://a.example:443": '"https://a.example:443" is not in the form that browsers send: "https://a.example"',
    "https://a.example ": '"https://a.example " is not in the form that browsers send: "https://a.example"',
    "https://münchen.example":
      '"https://münchen.example" is not in the form that browsers send: "https://xn--mnchen-3ya.example"',
    "Capacitor://Localhost": '"Capacitor://Localhost" is not in the form that browsers send: "capacitor://localhost"',
    "https://ada@a.example": '"https://ada@a.example" has a user in it; the origin is "https://a.example"',
    "file:///index.html": '"file:///index.html" has no host, and a page without one has no origin to allow',
    "https://*": '"https://*" has an asterisk that does not stand for whole labels, as in "https://*.example.com"',
    "https://*example.com":
      '"https://*example.com" has an asterisk that does not stand for whole labels, as in "https://*.example.com"',
    "https://a.*.com":
      '"https://a.*.com" has an asterisk that does not stand for whole labels, as in "https://*.example.com"',
    "*://a.example.com":
      '"*://a.example.com" has an asterisk that does not stand for whole labels, as in "https://*.example.com"',
    "https://*.*.example.com":
      '"https://*.*.example.com" has an asterisk that does not stand for whole labels, as in "https://*.example.com"',
    "https://*.example.com/":
      '"https://*.example.com/" has more than scheme, host and port; the origin is "https://*.example.com"',
    "https://*.Example.com": '"https://*.Example.com" is not in the form that browsers send: "https://*.example.com"',
    "https://*.com": '"https://*.com" would allow every site of a top-level domain',
    "https://*.com:8443": '"https://*.com:8443" would allow every site of a top-level domain',
  };
  for (const [origin, finding] of Object.entries(wrongOrigins)) {
    it(`refuses the origin ${JSON.stringify(origin)}`, () => {
      assert.deepEqual(findingsIn({ origins: [...origins, origin] }), [finding]);
    });
  }

  const impossible: readonly (readonly [policy: unknown, ...findings: string[]])[] = [
    [{ origins: [] }, "origins is empty; to allow no origin, leave the filter out"],
    [{ origins: ["*", ...origins] }, '"*" stands for all origins, so it must be the only one'],
    [{ origins: ["*"], credentials: true }, 'credentials need a list of origins: browsers do not accept "*" with them'],
    [{ origins: "https://app.example.com" }, 'origins must be a list such as ["https://app.example.com"], not string'],
    [{}, 'origins must be a list such as ["https://app.example.com"], not undefined'],
    [{ origins: [/example/] }, "an origin is a text or { name, allows }, not object"],
    [{ origins: [undefined] }, "an origin is a text or { name, allows }, not undefined"],
    [{ origins, maxAge: -1 }, "maxAge must be a whole number of seconds, 0 or more, not -1"],
    [{ origins, maxAge: 1.5 }, "maxAge must be a whole number of seconds, 0 or more, not 1.5"],
    [{ origins, maxAge: Number.NaN }, "maxAge must be a whole number of seconds, 0 or more, not NaN"],
    [
      { origins, maxAge: Number.POSITIVE_INFINITY },
      "maxAge must be a whole number of seconds, 0 or more, not Infinity",
    ],
    [{ origins, maxAge: "60" }, "maxAge must be a whole number of seconds, 0 or more, not 60"],
    [{ origins, methods: ["patch"] }, 'methods: "patch" is not "PATCH", as methods have their case'],
    [{ origins, methods: ["GET, PUT"] }, 'methods: "GET, PUT" is not a method'],
    [{ origins, methods: "GET" }, "methods must be a list of texts"],
    [{ origins, methods: ["*"] }, 'methods has "*"; to allow every method that a path has, leave methods out'],
    [
      { origins, requestHeaders: ["*"] },
      'requestHeaders has "*", which covers neither Authorization nor requests with credentials; name them',
    ],
    [{ origins, requestHeaders: ["X Own"] }, 'requestHeaders: "X Own" is not a header field name'],
    [{ origins, exposedHeaders: [""] }, 'exposedHeaders: "" is not a header field name'],
    [{ origins, exposedHeaders: ["ETag", 7] }, "exposedHeaders must be a list of texts"],
    [
      { origins: ["null", "a"], maxAge: -1 },
      '"null" is the origin of every sandboxed page, and cannot be allowed',
      '"a" is not an origin, which is scheme, host and port, such as "https://app.example.com"',
      "maxAge must be a whole number of seconds, 0 or more, not -1",
    ],
  ];
  for (const [policy, ...findings] of impossible) {
    it(`refuses ${JSON.stringify(policy)}: ${findings.join("; ")}`, () => {
      assert.deepEqual(findingsIn(policy as CorsPolicy), findings); // As JavaScript calls it.
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
