/**
 * The person-service behind an OpenID Connect provider, here Keycloak: its key set is on disk, and its roles say who may do what.
 * The guard reads Keycloak's own claims, `realm_access` and `resource_access`; the tokens of providers whose scopes are in `scope`
 * need none of this, but only the `tokens` of an access file.
 *
 * The example is a provider as well: it makes a key pair, and prints a token of each of two users.
 *
 *   npm run example examples/keycloak.ts
 */
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@waymark/node";
import { openPersonService, type PersonService } from "@waymark/person-service";
import { createLocalJWKSet, errors, exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { Filter } from "waymark";
import { access } from "waymark/filters";

const issuer = "https://login.example.com/realms/people";
const audience = "person-service";

/** What Keycloak says of its user's roles. */
interface KeycloakClaims extends JWTPayload {
  readonly realm_access?: { readonly roles?: readonly string[] };
  readonly resource_access?: Readonly<Record<string, { readonly roles?: readonly string[] } | undefined>>;
}

/** Lets in whoever has a token of the realm: with the role `reader` to read, and with `editor` to change. */
export async function keycloakGuard(keySet: string): Promise<Filter> {
  const keys = createLocalJWKSet(JSON.parse(await readFile(keySet, "utf8")));
  return access(async (request) => {
    const token = /^Bearer ([\w.-]+)$/i.exec(request.header("Authorization") ?? "")?.[1];
    if (token === undefined) return { kind: "unauthenticated", challenges: ['Bearer realm="people"'] };
    let claims: KeycloakClaims;
    try {
      ({ payload: claims } = await jwtVerify<KeycloakClaims>(token, keys, { issuer, audience, algorithms: ["ES256"] }));
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      return { kind: "unauthenticated", challenges: ['Bearer realm="people", error="invalid_token"'] };
    }
    const roles = [...(claims.realm_access?.roles ?? []), ...(claims.resource_access?.[audience]?.roles ?? [])];
    const needed = ["GET", "HEAD"].includes(request.method) ? ["reader", "editor"] : ["editor"];
    if (!needed.some((role) => roles.includes(role))) return { kind: "forbidden" };
    return { kind: "allowed", caller: { id: `token:${claims.sub}`, scopes: roles } };
  });
}

export async function openGuarded(keySet: string): Promise<PersonService> {
  return openPersonService({ database: ":memory:", access: await keycloakGuard(keySet) });
}

/** Writes a key set, as Keycloak has it at `/protocol/openid-connect/certs`, and returns what signs tokens in its way. */
export async function provider(keySet: string): Promise<(user: string, claims: KeycloakClaims) => Promise<string>> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const key = { ...(await exportJWK(publicKey)), kid: "2026-11", use: "sig", alg: "ES256" };
  await writeFile(keySet, JSON.stringify({ keys: [key] }));
  return (user, claims) =>
    new SignJWT({ azp: "browser", typ: "Bearer", preferred_username: user, ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "2026-11" })
      .setSubject(user)
      .setIssuer(claims.iss ?? issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime("10m")
      .sign(privateKey);
}

if (import.meta.main) {
  const keySet = join(tmpdir(), "keycloak-certs.json");
  const tokenOf = await provider(keySet);
  const { app } = await openGuarded(keySet);
  const server = await serve(app, { port: 8080 });
  const [ada, eve] = await Promise.all([
    tokenOf("ada", { realm_access: { roles: ["editor"] } }),
    tokenOf("eve", { resource_access: { "person-service": { roles: ["reader"] } } }),
  ]);
  process.stdout.write(`Listening on ${server.url}

  curl -i localhost:8080/person -H 'Content-Type: application/json' -d '{"name":"Ada"}' -H 'Authorization: Bearer ${ada}'
  curl -i localhost:8080/person -H 'Authorization: Bearer ${eve}'
`);
}
