export { type ClientOptions, createClient } from './client.ts';
export type { Credentials } from './credentials.ts';
export type { Content, Int64s, Kind, Operation, Parameter, Scheme, Style } from './operation.ts';
export { UnexpectedReply } from './reply.ts';
export type { AnyContract, Call, Client, ClientReply, ClientRequest, OperationId } from './types.ts';
