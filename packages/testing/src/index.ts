export {
  type ContractCase,
  ContractError,
  type ContractFailure,
  type ContractOptions,
  contract,
} from "./contract.ts";
export { PublishedError } from "./published.ts";
