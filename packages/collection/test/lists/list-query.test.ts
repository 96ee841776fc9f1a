import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { HttpError } from "waymark";
import { jsonRepresentation } from "../../src/formats/json/json.ts";
import { cursorsOf } from "../../src/lists/cursor.ts";
import { type Listed, type ListQuery, listQuery } from "../../src/lists/query.ts";
import {
  defaultOrder,
  type MemberValue,
  type SelectableMember,
  type Selection,
  type SortKey,
  storeMembers,
} from "../../src/stores/contract/selection.ts";

const toCursor = (
  selection: Selection & { readonly order: readonly SortKey[] },
  values: readonly MemberValue[],
): string => cursorsOf(selection)(values);

const members: readonly SelectableMember[] = [
  ...storeMembers,
  { name: "familyName", type: "text" },
  { name: "email", type: "text" },
  { name: "birthDate", type: "date" },
  { name: "height", type: "number" },
  { name: "address.postalCode", type: "text" },
  { name: "limit", type: "number" },
];
const fields = ["id", "familyName", "email", "address.streetAddress", "address.postalCode", "createdAt"];

const store = { members, fullText: [{ name: "familyName", by: "words" as const }] };
const known: Listed = { store, members: fields, lists: [jsonRepresentation] };

const parse = (search: string, where = known): Omit<ListQuery, "parameters"> => {
  const { parameters: _, ...query } = listQuery(where).read(search, where.lists[0] ?? jsonRepresentation);
  return query;
};

const selectionOf = (search: string): Selection => parse(search).selection;

/** What is wrong with the query, as the client is told. */
interface QueryProblem {
  readonly detail: string;
  readonly errors: readonly { readonly parameter: string; readonly detail: string }[];
}

const errorsOf = (search: string, where = known): QueryProblem["errors"] => problemOf(search, where).errors;

function problemOf(search: string, where = known): QueryProblem {
  try {
    parse(search, where);
  } catch (error) {
    assert.ok(error instanceof HttpError, String(error));
    const problem = JSON.parse(String(error.response.body));
    const { status, type } = problem;
    assert.deepEqual([error.response.status, status, type], [400, 400, "/problems/invalid-parameters"]);
    return problem;
  }
  assert.fail(`${search} was not refused`);
}

const byId = [{ member: "id", descending: false }];

describe("a list without parameters", () => {
  for (const search of ["", "&", "&&&"]) {
    it(`is everything by ascending id: "?${search}"`, () => {
      assert.deepEqual(parse(search), { selection: { order: byId }, backwards: false, fields: undefined });
    });
  }
});

describe("a value with an operator as another service has it", () => {
  for (const [search, right] of [
    ["familyName=eq.Ada", "familyName=Ada"],
    ["familyName=gt.M", "familyName[gt]=M"],
    ["familyName=like.Lov%25", "familyName[prefix]=Lov"],
    ["email=eq.ada@example.org", "email=ada@example.org"],
    ["birthDate=lte.1950-01-01", "birthDate[le]=1950-01-01"],
    ["height=not.eq.7", "height[ne]=7"],
    ["height=in.(1,2)", "height[in]=1,2"],
    ["familyName=is.null", "familyName[exists]=false"],
    ["familyName=not.is.null", "familyName[exists]=true"],
  ] as const) {
    it(`${search} is refused with ${right}`, () => {
      const [error, ...others] = errorsOf(search);
      assert.equal(others.length, 0);
      const { detail = "" } = error ?? {};
      assert.ok(detail.includes(`which has none: write "${right}"; "`), detail);
    });
  }

  for (const value of ["is.true", "not.like.A*"]) {
    it(`familyName=${value} is refused, and there is no other notation`, () => {
      const [error] = errorsOf(`familyName=${value}`);
      assert.match(error?.detail ?? "", /in its value, which has none; "familyName\[eq\]=/);
    });
  }

  // biome-ignore format: a table
  for (const text of ["Lt. Smith", "lt. Smith", "gt.smith@example.org", "eq", "eq.", "Eq.Ada", "in.house", "is.it", "St.Ives", "a.eq.b"]) {
    it(`is not what ${text} is`, () => {
      const [filter] = selectionOf(`familyName=${encodeURIComponent(text)}`).filters ?? [];
      assert.deepEqual(filter, { member: "familyName", operator: "eq", value: text });
    });
  }

  it("is the text itself where the parameter has an operator", () => {
    for (const operator of ["eq", "ne", "prefix"] as const) {
      assert.deepEqual(selectionOf(`familyName[${operator}]=eq.Ada`).filters, [
        { member: "familyName", operator, value: "eq.Ada" },
      ]);
    }
  });
});

describe("limit", () => {
  for (const limit of [1, 1000]) {
    it(`may be ${limit}`, () => assert.equal(selectionOf(`limit=${limit}`).limit, limit));
  }
  for (const wrong of ["0", "1001", "-1", "1e2", "abc", "01", "1.5", "%2B1", "1 ", "0x1", "9".repeat(400)]) {
    it(`may not be ${wrong.slice(0, 20)}`, () => {
      const [error, ...others] = errorsOf(`limit=${wrong}`);
      assert.deepEqual([error?.parameter, others], ["limit", []]);
      assert.match(error?.detail ?? "", /^must be an integer from 1 to 1000, not "/);
    });
  }
});

describe("sort", () => {
  const key = (member: string, descending = false) => ({ member, descending });
  const orders: readonly [sort: string, order: Selection["order"]][] = [
    ["familyName", [key("familyName"), key("id")]],
    ["-familyName", [key("familyName", true), key("id", true)]],
    ["familyName,-birthDate", [key("familyName"), key("birthDate", true), key("id", true)]],
    ["-familyName,birthDate", [key("familyName", true), key("birthDate"), key("id")]],
    ["id", [key("id")]],
    ["-id", [key("id", true)]],
    ["-familyName,id", [key("familyName", true), key("id")]],
    ["id,familyName", [key("id")]],
    ["address.postalCode,createdAt", [key("address.postalCode"), key("createdAt"), key("id")]],
  ];
  for (const [sort, order] of orders) {
    it(`${sort} has the id for a last key`, () => assert.deepEqual(selectionOf(`sort=${sort}`).order, order));
  }

  const wrong: readonly [sort: string, detail: RegExp][] = [
    ["telephone", /^cannot sort by "telephone"\. Known: id, createdAt, updatedAt, familyName, /],
    ["familyName,familyName", /names familyName twice/],
    ["familyName,-familyName", /names familyName twice/],
    ["familyName,", /cannot sort by ""/],
    ["--familyName", /cannot sort by "-familyName"/],
    ["%2BfamilyName", /cannot sort by "\+familyName"/],
    ["familyname", /^cannot sort by "familyname"; did you mean familyName\? Known: id, /],
    ["familyName%20desc", /did you mean -familyName\?/],
    ["familyName:asc", /did you mean familyName\?/],
    ["__proto__", /cannot sort by "__proto__"/],
    ["address", /cannot sort by "address"/],
    [Array.from({ length: 9 }, (_, i) => `m${i}`).join(","), /names 9 members; at most 8 are allowed/],
  ];
  for (const [sort, detail] of wrong) {
    it(`may not be ${sort}`, () => {
      const [error] = errorsOf(`sort=${sort}`);
      assert.equal(error?.parameter, "sort");
      assert.match(error?.detail ?? "", detail);
    });
  }
});

describe("a filter", () => {
  const noon = Date.UTC(2026, 5, 15, 12);
  const filters: readonly [search: string, filter: unknown][] = [
    ["familyName=Smith", { member: "familyName", operator: "eq", value: "Smith" }],
    ["familyName%5Bne%5D=Smith", { member: "familyName", operator: "ne", value: "Smith" }],
    ["familyName[prefix]=%25_*", { member: "familyName", operator: "prefix", value: "%_*" }],
    ["familyName=a+b%2Bc", { member: "familyName", operator: "eq", value: "a b+c" }],
    ["familyName=%F0%9F%98%80", { member: "familyName", operator: "eq", value: "😀" }],
    ["familyName[in]=a\\,b,c\\\\,d", { member: "familyName", operator: "in", values: ["a,b", "c\\", "d"] }],
    ["familyName[in]=a%2Cb", { member: "familyName", operator: "in", values: ["a", "b"] }],
    ["id[in]=3,1", { member: "id", operator: "in", values: [3, 1] }],
    ["birthDate[ge]=1950-01-31", { member: "birthDate", operator: "ge", value: "1950-01-31" }],
    ["birthDate=2000-02-29", { member: "birthDate", operator: "eq", value: "2000-02-29" }],
    ["birthDate=0099-12-31", { member: "birthDate", operator: "eq", value: "0099-12-31" }],
    ["height[lt]=-1.5", { member: "height", operator: "lt", value: -1.5 }],
    ["height=1e%2B21", { member: "height", operator: "eq", value: 1e21 }],
    ["limit[eq]=7", { member: "limit", operator: "eq", value: 7 }],
    ["createdAt[gt]=2026-06-15T12:00:00Z", { member: "createdAt", operator: "gt", value: noon }],
    ["createdAt=2026-06-15t12:00:00.5z", { member: "createdAt", operator: "eq", value: noon + 500 }],
    ["createdAt=2026-06-15T14:00:00.000%2B02:00", { member: "createdAt", operator: "eq", value: noon }],
    ["createdAt=2026-06-14T19:30:00-16:30", { member: "createdAt", operator: "eq", value: noon }],
    ["createdAt=0000-01-01T00:00:00Z", { member: "createdAt", operator: "eq", value: -62167219200000 }],
  ];
  for (const [search, filter] of filters) {
    it(`is read from ${search}`, () => assert.deepEqual(selectionOf(search).filters, [filter]));
  }

  it("can be combined with others, also of the same member", () => {
    assert.deepEqual(selectionOf("birthDate[ge]=1950-01-01&birthDate[lt]=1951-01-01&limit=2").filters, [
      { member: "birthDate", operator: "ge", value: "1950-01-01" },
      { member: "birthDate", operator: "lt", value: "1951-01-01" },
    ]);
  });

  const wrong: readonly [search: string, parameter: string, detail: RegExp][] = [
    ["telephone=1", "telephone", /is not known here/],
    ["telephone[gt]=1", "telephone[gt]", /is not known here/],
    ["familyname=x", "familyname", /^is not known here; did you mean familyName\? Known: limit, .* filters on id, /],
    ["familynane[ge]=x", "familynane[ge]", /did you mean familyName\?/],
    ["_limit=1", "_limit", /did you mean limit\?/],
    ["per_page=1", "per_page", /did you mean limit\?/],
    ["page=1", "page", /did you mean after\?/],
    ["order=id", "order", /did you mean sort\?/],
    ["select=id", "select", /did you mean fields\?/],
    ["birthDate[gte]=2000-01-01", "birthDate[gte]", /^has no operator of a filter; did you mean \[ge\]\? Known: /],
    ["__proto__=1", "__proto__", /is not known here/],
    ["familyName[__proto__]=1", "familyName[__proto__]", /Known: \[eq\], \[ne\], .*\[prefix\], \[in\]/],
    ["familyName[like]=x", "familyName[like]", /^has no operator of a filter; did you mean \[prefix\]\?/],
    ["familyName[]=x", "familyName[]", /^has no operator of a filter; did you mean \[in\]\?/],
    ["familyName[GE]=x", "familyName[GE]", /^has no operator of a filter; did you mean \[ge\]\?/],
    ["familyName[ge=x", "familyName[ge", /is not known here/],
    ["familyName[ge][le]=x", "familyName[ge][le]", /has no operator of a filter/],
    ["familyName=", "familyName", /has no value/],
    ["familyName", "familyName", /has no value/],
    ["=x", "", /is not known here/],
    ["familyName=a&familyName=b", "familyName", /more than once/],
    ["familyName=a&family%4Eame=b", "familyName", /more than once/],
    ["familyName=%00", "familyName", /U\+0000/],
    ["familyName=%zz", "familyName", /percent escape/],
    ["familyName=%C3%28", "familyName", /percent escape/],
    ["%zz=1", "%zz", /percent escape/],
    ["familyName[in]=a,,b", "familyName[in]", /empty value in its list/],
    ["familyName[in]=a\\b", "familyName[in]", /backslash before "b"/],
    ["familyName[in]=a\\", "familyName[in]", /backslash before ""/],
    [`familyName[in]=${"a,".repeat(100)}a`, "familyName[in]", /lists 101 values; at most 100 are allowed/],
    ["id[in]=1,x", "id[in]", /must be a number.* "x"/],
    ["birthDate[prefix]=19", "birthDate[prefix]", /birthDate" is a date/],
    ["birthDate=1950-02-29", "birthDate", /must be a real date .* "1950-02-29"/],
    ["birthDate=1950-13-01", "birthDate", /must be a real date/],
    ["birthDate=10000-01-01", "birthDate", /must be a real date/],
    ["birthDate=1950-01-01T00:00:00Z", "birthDate", /must be a real date/],
    ["id=01", "id", /shortest form, such as 1,/],
    ["id=1.0", "id", /shortest form/],
    ["id=1.5", "id", /must be an integer such as 7, not "1.5"/],
    ["id[gt]=-0.5", "id[gt]", /must be an integer/],
    ["id[in]=1,1.5", "id[in]", /must be an integer/],
    ["id=1e3", "id", /such as 1000,/],
    ["id=-0", "id", /such as 0,/],
    ["id=9007199254740993", "id", /such as 9007199254740992,/],
    ["id=NaN", "id", /must be a number/],
    ["id=1e999", "id", /must be a number/],
    ["id=+", "id", /must be a number/],
    ["id=abc", "id", /must be a number such as 7, not "abc"/],
    ["createdAt=2026-06-15", "createdAt", /must be a time such as/],
    ["createdAt=2026-06-15T24:00:00Z", "createdAt", /must be a time/],
    ["createdAt=2026-06-15T23:59:60Z", "createdAt", /must be a time/],
    ["createdAt=2026-02-30T00:00:00Z", "createdAt", /must be a time/],
    ["createdAt=10000-01-01T00:00:00Z", "createdAt", /must be a time/],
    ["createdAt=2026-06-15T12:00:00", "createdAt", /must be a time/],
    ["createdAt=2026-06-15T12:00Z", "createdAt", /must be a time/],
    ["createdAt=2026-06-15T12:00:00.0001Z", "createdAt", /milliseconds at most/],
    ["createdAt=2026-06-15T12:00:00%2B24:00", "createdAt", /must be a time/],
    ["createdAt=2026-06-15T12:00:00+02:00", "createdAt", /write \+ as %2B/],
    [`familyName[${"x".repeat(500)}]=1`, `"familyName[${"x".repeat(29)}…"`, /no operator/],
  ];
  for (const [search, parameter, detail] of wrong) {
    it(`is not ${search.slice(0, 60)}`, () => {
      const [error, ...others] = errorsOf(search);
      assert.deepEqual([error?.parameter, others], [parameter, []]);
      assert.match(error?.detail ?? "", detail);
    });
  }
});

describe("fields", () => {
  const choices: readonly [text: string, fields: readonly string[]][] = [
    ["familyName", ["familyName"]],
    ["address.postalCode,id", ["address.postalCode", "id"]],
    ["email,address", ["email", "address.streetAddress", "address.postalCode"]],
  ];
  for (const [text, expected] of choices) {
    it(`${text} are these, in this order`, () => assert.deepEqual(parse(`fields=${text}`).fields, expected));
  }
  for (const [text, detail] of [
    ["telephone", /names "telephone", which is not a member\. Known: id, familyName, /],
    ["familyName,familyName", /names familyName twice/],
    ["address,address.postalCode", /names address.postalCode twice/],
    ["familyName,", /names ""/],
    ["addr", /names "addr"/],
    ["__proto__", /names "__proto__"/],
  ] as const) {
    it(`may not be ${text}`, () => {
      const [error] = errorsOf(`fields=${text}`);
      assert.equal(error?.parameter, "fields");
      assert.match(error?.detail ?? "", detail);
    });
  }

  it("is a parameter only where there is a choice", () => {
    const [error] = errorsOf("fields=id", { ...known, members: undefined });
    assert.match(
      error?.detail ?? "",
      /^is not known here\. Known: limit, after, before, sort, q, format, and filters on/,
    );
    const whole = { ...jsonRepresentation, mediaType: "text/vcard", whole: true };
    assert.deepEqual(errorsOf("fields=id", { ...known, lists: [whole] }), [
      { parameter: "fields", detail: "cannot be used with text/vcard, which sends whole records", code: "value" },
    ]);
  });
});

describe("q", () => {
  const searches: readonly [text: string, words: readonly string[]][] = [
    ["ada", ["ada"]],
    ["Ada+LOVELACE", ["ada", "lovelace"]],
    ["Zo%C3%AB,+Stra%C3%9Fe", ["zoe", "strasse"]],
    ["%22ada%22+OR+lov*", ["ada", "or", "lov"]],
    ["%F0%9F%98%80+1", ["1"]],
    ["ada+grace+Ada+ada+grace", ["ada", "grace", "grace"]],
    ["ada+".repeat(100), ["ada", "ada"]],
  ];
  for (const [text, words] of searches) {
    it(`${text} is words: ${words.join(" ")}`, () => assert.deepEqual(selectionOf(`q=${text}`).words, words));
  }
  for (const [text, detail] of [
    ["+", /has no word/],
    ["*", /has no word of letters or digits: "\*"/],
    ["%F0%9F%98%80", /has no word/],
    ["a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q", /has 17 words; at most 16 are allowed/],
  ] as const) {
    it(`may not be ${text}`, () => {
      const [error, ...others] = errorsOf(`q=${text}`);
      assert.deepEqual([error?.parameter, others], ["q", []]);
      assert.match(error?.detail ?? "", detail);
    });
  }

  it("is a parameter only where there is a full text", () => {
    const [error] = errorsOf("q=ada", { ...known, store: { members, fullText: [] } });
    assert.match(error?.detail ?? "", /^is not known here\. Known: limit, after, before, sort, fields, format, and/);
  });

  it("belongs to what a cursor is for", () => {
    const cursor = toCursor({ order: byId, words: ["ada"] }, [7]);
    assert.deepEqual(selectionOf(`q=ADA&after=${cursor}`).after, [7]);
    assert.equal(errorsOf(`q=grace&after=${cursor}`).length, 1);
  });
});

describe("a cursor", () => {
  const order = [
    { member: "familyName", descending: false },
    { member: "createdAt", descending: true },
    { member: "id", descending: true },
  ];
  const search = "sort=familyName,-createdAt&height[gt]=1&limit=2";
  const selection = { filters: [{ member: "height", operator: "gt" as const, value: 1 }], order };
  const values = ["Ægir 😀", 1781524800000, 7];

  it("is the place that it was made of, behind or before", () => {
    const cursor = toCursor(selection, values);
    assert.match(cursor, /^[A-Za-z0-9_-]+$/);
    assert.deepEqual(parse(`${search}&after=${cursor}`), {
      selection: { ...selection, limit: 2, after: values },
      backwards: false,
      fields: undefined,
    });
    const { selection: before, backwards } = parse(`${search}&before=${cursor}`);
    assert.deepEqual([before.after, backwards], [values, true]);
  });

  it("has any value that its members have, and null for all but the id", () => {
    const value = fc.option(fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\u0000")));
    const time = fc.option(fc.integer());
    fc.assert(
      fc.property(value, time, fc.nat(), (...place) => {
        assert.deepEqual(selectionOf(`${search}&after=${toCursor(selection, place)}`).after, place);
      }),
    );
  });

  it("is the same however the order of the ids is given", () => {
    assert.equal(
      toCursor({ order: defaultOrder }, [7]),
      toCursor({ order: [{ member: "id", descending: false }] }, [7]),
    );
    assert.deepEqual(selectionOf(`sort=id&after=${toCursor({ order: defaultOrder }, [7])}`).after, [7]);
  });

  it("holds for another page size, other fields, and the same filters written otherwise", () => {
    const filters = [...selection.filters, { member: "email", operator: "eq" as const, value: "a" }];
    const cursor = toCursor({ ...selection, filters }, values);
    const other = "fields=id&after=CURSOR&email=a&limit=7&height[gt]=1&sort=familyName,-createdAt";
    assert.deepEqual(selectionOf(other.replace("CURSOR", cursor)).after, values);
  });

  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const [fingerprint] = JSON.parse(String(Buffer.from(toCursor(selection, values), "base64url")));
  const cursor = toCursor(selection, values);
  const foreign: readonly [what: string, text: string][] = [
    ["of another order", toCursor({ ...selection, order: order.toReversed() }, values)],
    ["of other filters", toCursor({ order }, values)],
    ["that is cut off", cursor.slice(0, -1)],
    ["with something behind it", `${cursor}A`],
    ["with padding", `${cursor}==`],
    ["with a character of another alphabet", `${cursor}%2B`],
    ["with white space", `${cursor}+`],
    ["of nothing but letters", "abc"],
    ["of an object", encode({ length: 4 })],
    ["of null", encode(null)],
    ["without values", encode([fingerprint])],
    ["with a value too few", encode([fingerprint, "a", 1])],
    ["with a value too many", encode([fingerprint, "a", 1, 2, 3])],
    ["with a number for text", encode([fingerprint, 1, 1, 2])],
    ["with text for a time", encode([fingerprint, "a", "1", 2])],
    ["with an object for text", encode([fingerprint, {}, 1, 2])],
    ["with a truth value", encode([fingerprint, true, 1, 2])],
    ["with null for the id", encode([fingerprint, "a", 1, null])],
    ["with a fraction for the id", encode([fingerprint, "a", 1, 2.5])],
    ["with a lone surrogate", encode([fingerprint, "\ud800", 1, 2])],
    ["with the character U+0000", encode([fingerprint, "\u0000", 1, 2])],
    ["with a number too great", Buffer.from(`["${fingerprint}","a",1e999,2]`).toString("base64url")],
  ];
  for (const [what, text] of foreign) {
    it(`${what} is refused`, () => {
      for (const parameter of ["after", "before"]) {
        assert.deepEqual(errorsOf(`${search}&${parameter}=${text}`), [
          { parameter, detail: "must come from a Link of this list with the same order and filters", code: "value" },
        ]);
      }
    });
  }

  it("that somebody changed is refused, or is another place of the same members", () => {
    const index = fc.nat(cursor.length - 1);
    const character = fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
    fc.assert(
      fc.property(index, character, (at, put) => {
        const changed = cursor.slice(0, at) + put + cursor.slice(at + 1);
        try {
          const [name, time, id] = selectionOf(`${search}&after=${changed}`).after ?? [];
          assert.ok((typeof name === "string" || name === null) && (typeof time === "number" || time === null));
          assert.ok(Number.isSafeInteger(id));
        } catch (error) {
          assert.ok(error instanceof HttpError, String(error));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("for behind and one for before cannot be given at once", () => {
    assert.deepEqual(errorsOf(`${search}&after=${cursor}&before=${cursor}`), [
      { parameter: "before", detail: "cannot be combined with after", code: "value" },
    ]);
  });

  it("for before needs a limit", () => {
    assert.deepEqual(errorsOf(`before=${toCursor({ order: byId }, [7])}`), [
      { parameter: "before", detail: "needs a limit", code: "value" },
    ]);
  });
});

describe("the errors in a query", () => {
  it("are reported all at once", () => {
    const errors = errorsOf("limit=0&sort=a,b&x=1&birthDate=x&email=&email[in]=,&fields=y&id=1&id=2");
    assert.deepEqual(
      errors.map(({ parameter }) => parameter),
      ["email", "id", "limit", "sort", "sort", "x", "birthDate", "email[in]", "fields"],
    );
  });

  it("are reported for the first hundred places, in a time that grows only with the query", {
    timeout: 15_000,
  }, () => {
    assert.equal(errorsOf(Array.from({ length: 256 }, (_, i) => `p${i}=1`).join("&")).length, 100);
    assert.equal(errorsOf("a=1&".repeat(256)).length, 2);
    assert.deepEqual(selectionOf("&".repeat(1_000_000)), { order: byId });
    errorsOf(`familyName[in]=${",".repeat(100_000)}`);
    errorsOf(`familyName[in]=${"\\".repeat(100_001)}`);
    errorsOf(`sort=${",".repeat(100_000)}`);
    errorsOf(`fields=${"email,".repeat(100_000)}`);
  });

  it("is not looked for among more than 256 parameters", () => {
    for (const parameter of ["a=1", "%=%E0", "email=a"]) {
      const problem = problemOf(`${parameter}&`.repeat(257));
      assert.equal(problem.detail, "The query has 257 parameters; at most 256 are allowed.");
    }
  });

  it("is never anything but a refusal", () => {
    // biome-ignore format: a table
    const piece = fc.constantFrom(
      "limit", "sort", "fields", "after", "before", "id", "email", "height", "createdAt", "birthDate", "[ge]", "[in]",
      "=", "&", ",", "-", "\\", "%", "%00", "+", "1", "x", "[", "]", "__proto__", "é",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        try {
          parse(pieces.join(""));
        } catch (error) {
          assert.ok(error instanceof HttpError, String(error));
        }
      }),
      { numRuns: 2000 },
    );
  });
});
