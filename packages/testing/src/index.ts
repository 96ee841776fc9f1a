export { ContractError, contract } from "./contract.ts";
