export { type Answered, type AskOptions, ask } from "./ask.ts";
export { basicCredentials } from "./basic-credentials.ts";
export { type CookieSessionOptions, cookieSession, type Session } from "./cookie-session.ts";
export { deprecated } from "./deprecated.ts";
export { type HrefVariables, href } from "./href.ts";
export { html } from "./html.ts";
