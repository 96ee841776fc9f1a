import { describeFollowers } from "./feed-follower.ts";

describeFollowers({ programs: 2, clients: 8, changes: 40 });
