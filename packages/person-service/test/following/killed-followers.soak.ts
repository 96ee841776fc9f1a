import { describeKilledFollowers } from "./killed-followers.ts";

/** How long 64 clients make changes: the variable FOLLOWED_SECONDS, or ten minutes; and how often the follower is killed meanwhile. */
const seconds = Number(process.env["FOLLOWED_SECONDS"] ?? 600);
const kills = Number(process.env["FOLLOWER_KILLS"] ?? 1000);
/** How long a transaction stays open: the variable HELD_SECONDS, or a minute. */
const held = Number(process.env["HELD_SECONDS"] ?? 60);

describeKilledFollowers({ programs: 4, clients: 64, seconds, kills, held });
