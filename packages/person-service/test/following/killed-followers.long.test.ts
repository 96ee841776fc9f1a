import { describeKilledFollowers } from "./killed-followers.ts";

describeKilledFollowers({ programs: 2, clients: 8, seconds: 0, kills: 3, held: 0.5 });
