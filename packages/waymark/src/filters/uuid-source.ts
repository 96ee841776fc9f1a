/**
 * A function that makes UUIDs, all of which begin with the same random bits and go on with 60 of their own. They are unique as far
 * as one can tell, and no secrets.
 *
 * Where `crypto.randomUUID` makes a request take 300 ns more, this makes it take 100 (Node 26), of some 22,000.
 */
export function uuidSource(): () => string {
  // `xxxxxxxx-xxxx-4xxx-y`
  const beginning = crypto.randomUUID().slice(0, 20);
  const random = new Uint16Array(5 * 512);
  let used = random.length;
  const digits = (): string => threeDigits[(random[used++] as number) % threeDigits.length] as string;
  return () => {
    if (used === random.length) {
      crypto.getRandomValues(random);
      used = 0;
    }
    return `${beginning}${digits()}-${digits()}${digits()}${digits()}${digits()}`;
  };
}

const threeDigits: readonly string[] = Array.from({ length: 0x1000 }, (_, n) => n.toString(16).padStart(3, "0"));
