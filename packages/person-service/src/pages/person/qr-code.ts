import type { ItemOptions, StoredRecord } from "@waymark/collection";
import encodeQR from "qr";
import type { MemberList } from "../../person/member-list.ts";
import { vcard } from "../../person/vcard.ts";
import { html, type SafeHtml } from "../frame/html.ts";

/** Shows the vCard of a person as a QR code, which the camera of a phone reads; undefined where it is too much for one. */
export function qrCode(members: MemberList, record: StoredRecord, options: ItemOptions): SafeHtml | undefined {
  const card = vcard(members).item(record, options);
  // Notes may be long, and nobody needs them in a phone.
  const text = card.length <= mostCharacters ? card : card.replace(/^NOTE:.*\r\n(?: .*\r\n)*/m, "");
  if (Buffer.byteLength(text) > mostBytes) return undefined;
  const rows = encodeQR(text, "raw", { ecc: "low", border: 2 });
  return html`<svg class="qr" viewBox="0 0 ${rows.length} ${rows.length}" role="img" aria-label="QR code of the vCard"><path d="${rows.map(runs).join("")}"/></svg>`;
}

const mostCharacters = 700;

/** Version 25 of 40: what has more is too fine for a camera at arm's length. */
const mostBytes = 1273;

/** The dark modules of a row, as rectangles of a path. */
function runs(row: readonly boolean[], y: number): string {
  let path = "";
  for (let x = 0; x < row.length; x++) {
    const start = x;
    while (row[x]) x++;
    if (x > start) path += `M${start} ${y}h${x - start}v1h-${x - start}z`;
  }
  return path;
}
