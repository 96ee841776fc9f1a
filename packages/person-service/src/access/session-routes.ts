import {
  contentType,
  DELETE,
  group,
  HttpError,
  type HttpRequest,
  type HttpResponse,
  noContent,
  POST,
  problem,
  problemTypes,
  type Route,
  redirect,
  type Session,
  takes,
} from "waymark";
import { publicUrl, refuseCrossSite } from "waymark/filters";
import { type Description, docs } from "waymark/openapi";
import * as z from "zod";
import { personServiceProblemTypes } from "../problems.ts";
import type { SignIn } from "./access.ts";
import type { SignedIn } from "./ways/session.ts";

/** Begins and ends the session of a browser: from no page of another origin, also where CORS lets it read. */
export const sessionRoutes = (signIn: SignIn): Route =>
  group(
    "/session",
    refuseCrossSite(),
    signIn.sessions,
    POST(
      contentType("application/json", "application/x-www-form-urlencoded"),
      docs(ofSignIn),
      takes(signIn.sessions),
      (request, { session }) => enter(signIn, session, request),
    ),
    DELETE(docs(ofSignOut), takes(signIn.sessions), (_, { session }) =>
      session.end(noContent().withHeader("Clear-Site-Data", '"cache"')),
    ),
  );

async function enter(signIn: SignIn, session: Session<SignedIn>, request: HttpRequest): Promise<HttpResponse> {
  const { to, ...given } = await credentialsOf(request);
  const outcome = await signIn.judge(request, "key" in given ? `Bearer ${given.key.trim()}` : basic(given));
  switch (outcome.kind) {
    case "wrong":
      return problem(personServiceProblemTypes.wrongCredentials, {
        detail: "They let nobody in. Nothing was changed.",
      });
    case "later":
      return problem(problemTypes.tooManyAttempts, { detail: "Wait before the next attempt." }).withHeader(
        "Retry-After",
        String(outcome.retryAfter),
      );
    case "good": {
      const answer = to === undefined ? noContent() : redirect(publicUrl.of(request, to));
      return session.start(answer.withHeader("Cache-Control", "no-store"), outcome.session);
    }
  }
}

const short = z.string().max(1_000);
/** A path of the service itself. */
const ownPath = z.string().regex(/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,2048}$/, "must be a path of the service");
const credentials = z.union([
  z.strictObject({ key: short, to: ownPath.optional() }),
  z.strictObject({ name: short, password: short, to: ownPath.optional() }),
]);
type SentCredentials = z.infer<typeof credentials>;

/** Reads what a script or a form sends; what a form leaves empty is not sent. */
async function credentialsOf(request: HttpRequest): Promise<SentCredentials> {
  const isForm = request.header("Content-Type")?.startsWith("application/json") !== true;
  const limit = 16_384;
  const sent = isForm
    ? Object.fromEntries([...new URLSearchParams(await request.text({ limit }))].filter(([, value]) => value !== ""))
    : await request.json({ limit });
  const { data, success } = credentials.safeParse(sent);
  if (success) return data;
  const detail = 'must have "name" and "password", or "key"';
  throw new HttpError(
    problem(problemTypes.invalidContent, {
      detail: `The content ${detail}.`,
      errors: [{ detail, pointer: "#", code: "credentials" }],
    }),
  );
}

/** Without the white space that keyboards of phones add to a name. */
const basic = ({ name, password }: Extract<SentCredentials, { readonly name: string }>): string =>
  `Basic ${Buffer.from(`${name.trim()}:${password}`).toString("base64")}`;

const text = { type: "string" } as const;
const to = { ...text, description: "Of a form: the path to go to afterwards." };
const schema = {
  anyOf: [
    { type: "object", required: ["name", "password"], properties: { name: text, password: text, to } },
    { type: "object", required: ["key"], properties: { key: { ...text, description: "An API key." }, to } },
  ],
};
const setsCookie = { "Set-Cookie": { description: "The session, which scripts cannot read." } };

const ofSignIn: Description = {
  tags: ["Service"],
  operationId: "beginSession",
  summary: "Begin a session",
  description:
    "For browsers, which keep a session in a cookie; programs send credentials with each request. It ends after 12 hours, and when its password or key changes.",
  content: {
    types: {
      "application/json": { schema, example: { name: "ada", password: "correct horse" } },
      "application/x-www-form-urlencoded": { schema },
    },
  },
  responses: {
    204: { description: "It is begun.", headers: setsCookie },
    303: {
      description: "It is begun, and `Location` leads on.",
      headers: { ...setsCookie, Location: { description: "What the form named." } },
    },
  },
  problems: [personServiceProblemTypes.wrongCredentials, problemTypes.invalidContent, problemTypes.tooManyAttempts],
};

const ofSignOut: Description = {
  tags: ["Service"],
  operationId: "endSession",
  summary: "End the session",
  description: "The browser forgets it.",
  responses: {
    204: {
      description: "It is ended, or there was none.",
      headers: {
        ...setsCookie,
        "Clear-Site-Data": { description: "Has the browser drop what it keeps of the service." },
      },
    },
  },
};
