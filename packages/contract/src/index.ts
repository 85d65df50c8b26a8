export { type Contract, type ContractOptions, createContract } from './contract.ts';
