/**
 * What keeps browsers from making anything but data of a response: they do not guess another type, load and run nothing, show it
 * in no frame, and tell nobody where they have been (the Fetch standard; Content Security Policy; Referrer Policy).
 */
export const dataHeaders: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
};
