import type { SecureContextOptions } from "node:tls";

/** What a server proves by who it is, and how it encrypts; as Node takes it, files read. */
export type TlsCredentials = Pick<
  SecureContextOptions,
  "key" | "cert" | "pfx" | "passphrase" | "ca" | "ciphers" | "minVersion" | "maxVersion"
>;

/** The credentials with what is not up to Node's defaults, which an option of its command line may weaken. */
export const toSecureContext = (credentials: TlsCredentials): SecureContextOptions => ({
  minVersion: "TLSv1.2",
  ...credentials,
});
