import assert from "node:assert/strict";
import { describe, it } from "node:test";
import decodeQR from "qr/decode.js";
import { HttpRequest } from "waymark";
import { qrCode } from "../../src/pages/person/qr-code.ts";
import { ourMembers } from "../../src/person/member-list.ts";
import { vcard } from "../../src/person/vcard.ts";

const options = { url: "/person", request: HttpRequest.of() };
const times = { createdAt: "2026-06-15T12:00:00.000Z", updatedAt: "2026-06-15T12:00:00.000Z" };

const record = (members: object) => ({
  id: 7,
  revision: 1,
  updatedAt: 0,
  json: JSON.stringify({ id: 7, ...members, ...times }),
});

/** Draws the path of rectangles, four pixels a module, and reads the code as a camera would. */
function readCode(svg: string): string {
  const modules = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]);
  const size = modules * 4;
  const data = new Uint8Array(size * size * 4).fill(255);
  for (const [, x, y, width] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1/g)) {
    for (let row = Number(y) * 4; row < Number(y) * 4 + 4; row++) {
      for (let column = Number(x) * 4; column < (Number(x) + Number(width)) * 4; column++) {
        data.fill(0, (row * size + column) * 4, (row * size + column) * 4 + 3);
      }
    }
  }
  return decodeQR({ width: size, height: size, data });
}

describe("the QR code of a person", () => {
  it("is the vCard", () => {
    const ada = record({ name: "Ada Lovelace", email: "ada@example.org", worksFor: "Zoë & Söhne 😀" });
    assert.equal(readCode(String(qrCode(ourMembers, ada, options))), vcard(ourMembers).item(ada, options));
  });

  it("leaves out notes that are too long", () => {
    const read = readCode(
      String(qrCode(ourMembers, record({ name: "Ada", description: "note\n".repeat(400), email: "a@b" }), options)),
    );
    assert.match(read, /\r\nEMAIL:a@b\r\n/);
    assert.doesNotMatch(read, /note/);
    assert.match(read, /END:VCARD\r\n$/);
  });

  it("is not there where all is too long", () => {
    const long = "長".repeat(200);
    assert.equal(qrCode(ourMembers, record({ name: long, jobTitle: long, worksFor: long }), options), undefined);
  });
});
