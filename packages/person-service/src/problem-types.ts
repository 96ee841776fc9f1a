import type { ProblemType } from "waymark";

/** Every kind of problem that the person-service answers with beside those of the packages it stands on, by the name it has in code. */
export const personServiceProblemTypes: Readonly<Record<"misdirectedRequest", ProblemType>> = {
  misdirectedRequest: {
    code: "misdirected-request",
    status: 421,
    title: "Misdirected Request",
    explanation:
      "Without an access file the service is for programs on its own machine, which call it localhost or by a loopback address. Ask for that; or start it with `--access`, or with `--open`, to be reached by other names.",
  },
};
