import type { HttpRequest } from "waymark";

/** Returns the field that keeps a choice of the reader on the device, which says nothing else of anybody. */
export const keptCookie = (request: HttpRequest<unknown>, name: string, value: string): string =>
  `${name}=${value}; Max-Age=${aYear}${attributes(request)}`;

/** Returns the field that forgets it. */
export const lostCookie = (request: HttpRequest<unknown>, name: string): string =>
  `${name}=; Max-Age=0${attributes(request)}`;

/** In seconds. */
const aYear = 365 * 86_400;

const attributes = ({ client }: HttpRequest<unknown>): string =>
  `; Path=/; HttpOnly; SameSite=Lax${client.scheme === "https" ? "; Secure" : ""}`;
