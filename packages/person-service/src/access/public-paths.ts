import type { Filter } from "waymark";
import { docsOfFilter } from "waymark/openapi";

/** Returns whether a path is that of a file which the pages load. */
export const isAsset = (path: string): boolean => path.startsWith("/assets/");

/**
 * Returns whether access rules do not apply to a path: to what the pages load, to the choice of a language, and to signing in and out.
 * The files say nothing of any person, and nobody could sign in otherwise.
 */
export const isPublicPath = (path: string): boolean => isAsset(path) || publicPaths.has(path);

const publicPaths: ReadonlySet<string> = new Set(["/session", "/sign-in", "/sign-out", "/language"]);

/** Exempts the public paths from the rules of a filter. */
export const exceptPublicPaths = (access: Filter): Filter => ({
  ...access,
  apply: (request, next) => (isPublicPath(request.path) ? next(request) : access.apply(request, next)),
  describes: (sample) =>
    isPublicPath(sample.path) ? { open: "nobody could sign in without it" } : docsOfFilter(access, sample),
});
