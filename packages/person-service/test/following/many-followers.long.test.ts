import { itServesFollowers } from "./many-followers.ts";

itServesFollowers(500);
