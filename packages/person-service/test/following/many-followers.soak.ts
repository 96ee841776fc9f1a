import { itServesFollowers } from "./many-followers.ts";

itServesFollowers(10_000);
