import type { AroundFilter } from "waymark";

/**
 * Exempts from access rules what the pages load, and signing in and out: their files say nothing of any person, and nobody could
 * sign in otherwise.
 */
export const exceptPublicPaths = (access: AroundFilter): AroundFilter => ({
  ...access,
  apply: (request, next) => (isPublic(request.path) ? next(request) : access.apply(request, next)),
});

const isPublic = (path: string): boolean => path.startsWith("/assets/") || path === "/sign-in" || path === "/sign-out";
