import { collectionProblemTypes } from "@waymark/collection";
import { connectionProblemTypes } from "@waymark/node";
import { type ProblemType, problemTypes } from "waymark";

/** The problem types that the person-service adds to those of its packages, by their names in code. */
export const personServiceProblemTypes: Readonly<Record<"misdirectedRequest" | "wrongCredentials", ProblemType>> = {
  misdirectedRequest: {
    code: "misdirected-request",
    status: 421,
    title: "Misdirected Request",
    explanation:
      "The service does not serve the host that the request is for. The hosts that it serves, besides localhost and loopback addresses, are given by `--host-name`, or else by `--public-url`.",
  },
  wrongCredentials: {
    code: "wrong-credentials",
    status: 403,
    title: "Wrong Credentials",
    explanation:
      "No session was begun: nobody has this name with this password, or this API key. Send those of the access file or of the file of keys; tokens of an issuer begin no session.",
  },
};

const all: readonly ProblemType[] = [
  problemTypes,
  connectionProblemTypes,
  collectionProblemTypes,
  personServiceProblemTypes,
].flatMap((types) => Object.values(types));
const byCode = new Map(all.map((type) => [type.code, type]));

/** Returns the kind of problem that has a code; undefined for an unknown code. */
export const problemTypeOf = (code: string): ProblemType | undefined => byCode.get(code);
