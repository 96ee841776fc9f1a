/** What makes the pages somebody's own. */
export interface Brand {
  /** What the pages are called. Default: "People", in the language of the reader. */
  readonly title?: string | undefined;
  /** The colour of links and buttons: `#0b6e4f`. See `faultInAccent`. */
  readonly accent?: string | undefined;
  readonly logo?: Logo | undefined;
}

/** A picture for the head of the pages, and for the tabs of browsers. */
export interface Logo {
  readonly kind: "svg" | "png";
  readonly bytes: Uint8Array;
}

/** Returns what is wrong with an accent: letters of it must be read on the light pages, and white letters on it (WCAG 2.2, 1.4.3). */
export function faultInAccent(text: string): string | undefined {
  if (!hexadecimal.test(text)) return `must be a colour such as #0b6e4f, not "${text}"`;
  const colour = parse(text);
  if (isReadable(colour)) return undefined;
  const nearest = steps.map((share) => mixed(black, colour, share)).find(isReadable) ?? black;
  return `needs a contrast of ${least} to 1 with white, as ${written(nearest)} has, not "${text}"`;
}

/** Red, green and blue, 0 to 255. */
type Colour = readonly [red: number, green: number, blue: number];

const hexadecimal = /^#[0-9a-f]{6}$/i;
const parse = (text: string): Colour => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)) as never; // three
const written = (colour: Colour): string =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

const [white, black] = [parse("#ffffff"), parse("#000000")];
/** Of `style.css`. */
const lightGround = parse("#f7f7f8");

/** The least contrast of letters. */
const least = 4.5;
const steps: readonly number[] = Array.from({ length: 101 }, (_, i) => i / 100);

const washOf = (colour: Colour, ground: Colour): Colour => mixed(colour, ground, 0.08);
const isReadable = (colour: Colour): boolean =>
  [lightGround, washOf(colour, white)].every((ground) => contrast(colour, ground) >= least);

/** @param share of the first */
const mixed = (one: Colour, other: Colour, share: number): Colour =>
  one.map((part, i) => Math.round(part * share + (other[i] ?? 0) * (1 - share))) as never; // three

function contrast(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** As WCAG 2.2 defines it. */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
