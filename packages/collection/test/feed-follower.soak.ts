import { describeFollowers } from "./feed-follower.ts";

/** How many changes each of 64 clients makes: the variable FOLLOWED_CHANGES, or three thousand. */
const changes = Number(process.env["FOLLOWED_CHANGES"] ?? 3_000);

describeFollowers({ programs: 4, clients: 64, changes });
