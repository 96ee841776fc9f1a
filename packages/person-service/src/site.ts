import type { HttpRequest } from "waymark";
import type { Brand } from "./brand.ts";
import type { MemberList } from "./person/members/member-list.ts";

/** What the pages must know of the service that they are of. */
export interface Site {
  /** Returns whether the caller of a request may make another one, so that nothing is offered that would be refused. */
  readonly may: (request: HttpRequest<unknown>, method: string, path: string) => boolean;
  readonly brand: Brand;
  /** Whether people can sign in. */
  readonly signsIn: boolean;
  /** Returns by what. */
  readonly signInWays: () => readonly ("password" | "key")[];
  /** The most bytes of a file that is imported. */
  readonly mostBytes: number;
  /** The members that people may have. */
  readonly members: MemberList;
}
