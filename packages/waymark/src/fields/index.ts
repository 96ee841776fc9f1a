export { evaluatePreconditions, notModified, validatorFields } from "../web/preconditions.ts";
export { negotiate } from "./accept.ts";
export { preferredLanguages } from "./accept-language.ts";
export { attachment } from "./content-disposition.ts";
export { HeaderList } from "./header-list.ts";
export { parseHttpDate } from "./http-date.ts";
export { MediaType } from "./media-type.ts";
export { parsePrefer } from "./prefer.ts";
