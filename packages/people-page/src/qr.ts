import encode from "qr";

/** A QR code as the path of a square of so many units; undefined for a card that is too much for a camera. */
export interface QrCode {
  readonly size: number;
  readonly path: string;
}

/** Version 25 of 40, in bytes: what has more is too fine for a camera at arm's length. */
const most = 1273;

/** Returns the QR code of a card. Notes may be long, and nobody needs them in a phone. */
export function qrCode(card: string): QrCode | undefined {
  const text = card.length <= 700 ? card : card.replace(/^NOTE:.*\r\n(?: .*\r\n)*/m, "");
  if (new TextEncoder().encode(text).length > most) return undefined;
  const rows = encode(text, "raw", { ecc: "low", border: 2 });
  return { size: rows.length, path: rows.map(runs).join("") };
}

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
