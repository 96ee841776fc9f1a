import type { HttpRequest } from "../request.ts";

/** Whether a browser asks by it for leave to send another request (the Fetch standard's CORS-preflight request). */
export const isPreflight = ({ method, headers }: HttpRequest): boolean =>
  method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");
