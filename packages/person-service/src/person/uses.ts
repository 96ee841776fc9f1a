/** Returns what a word in small letters says that a value is for, in the words of `contexts` and `features`; another word as it is. */
export const meaningOf = (word: string): string => meanings.get(word) ?? word;

/** What other programs call a use, in English, German, French and Spanish. */
const meanings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    private:
      "home, personal, privat, privé, privée, domicile, personnel, personnelle, particular, casa, domicilio, residencia",
    work: "business, office, geschäftlich, arbeit, dienstlich, büro, professionnel, professionnelle, travail, bureau, trabajo, oficina",
    mobile: "cell, cellular, iphone, handy, mobil, mobiltelefon, móvil, portable",
    fax: "telefax, télécopie",
    pager: "buscapersonas",
    "main-number": "main, principal",
  }).flatMap(([use, words]) => words.split(", ").map((word) => [word, use] as const)),
);
