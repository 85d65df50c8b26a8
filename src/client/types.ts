import type { Defaulted, operations as described, HeadId } from '../../generated/client.ts';
import type { Answered, operations, Sent } from '../../generated/openapi.ts';
import type { StatusOf } from '../contract/reply/status.ts';
import type { NotParameter } from './request.ts';

/** The operations that a client can call, by operationId. */
export type OperationId = keyof typeof described;

type None = Readonly<Record<never, never>>;
type Place = 'path' | 'query' | 'header' | 'cookie';

/** What can be left out where nothing in it is required. */
type Member<Name extends string, Value> = None extends Value
  ? { readonly [Key in Name]?: Value }
  : { readonly [Key in Name]: Value };

/** The parameters in one place that have a default. */
type DefaultedIn<Id, In> = Id extends keyof Defaulted
  ? In extends keyof Defaulted[Id]
    ? Defaulted[Id][In]
    : never
  : never;

/** Headers of the message are no parameters. */
type IsSent<In, Name> = In extends 'header'
  ? Lowercase<Name & string> extends NotParameter
    ? false
    : true
  : true;

type SentParameters<Parameters, In, Optional> = {
  readonly [Name in keyof Parameters as IsSent<In, Name> extends true
    ? Name extends Optional
      ? never
      : Name
    : never]: Sent<Parameters[Name]>;
} & {
  readonly [Name in keyof Parameters as Name extends Optional ? Name : never]?: Sent<Parameters[Name]>;
};

type ParametersIn<Id extends OperationId, In extends Place> = operations[Id] extends {
  parameters: { [Key in In]?: infer Parameters };
}
  ? [NonNullable<Parameters>] extends [never]
    ? None
    : Member<In, SentParameters<NonNullable<Parameters>, In, DefaultedIn<Id, In>>>
  : None;

/** A media type as it is named in a request or a reply: of a range, any that it covers. */
type Named<MediaType> = MediaType extends '*/*'
  ? string
  : MediaType extends `${infer Type}/*`
    ? `${Type}/${string}`
    : MediaType;

/** The media type of a body that names none: JSON where it is declared, else the only one. */
type Usual<MediaTypes> = 'application/json' extends MediaTypes
  ? 'application/json'
  : {
      [Each in MediaTypes & string]: [Exclude<MediaTypes, Each>] extends [never]
        ? Each extends `${string}*${string}`
          ? never
          : Each
        : never;
    }[MediaTypes & string];

type SentBody<Contents> = {
  [MediaType in keyof Contents]: { readonly body: Sent<Contents[MediaType]> } & (MediaType extends Usual<
    keyof Contents
  >
    ? { readonly mediaType?: Named<MediaType> }
    : { readonly mediaType: Named<MediaType> });
}[keyof Contents];

type BodyOf<Id extends OperationId> = operations[Id] extends { requestBody: { content: infer Contents } }
  ? SentBody<Contents>
  : operations[Id] extends { requestBody?: infer Body }
    ? NonNullable<Body> extends { content: infer Contents }
      ? [NonNullable<Body>] extends [never]
        ? None
        : SentBody<Contents> | { readonly body?: never; readonly mediaType?: never }
      : None
    : None;

/** What a client sends to an operation. */
export type ClientRequest<Id extends OperationId> = ParametersIn<Id, 'path'> &
  ParametersIn<Id, 'query'> &
  ParametersIn<Id, 'header'> &
  ParametersIn<Id, 'cookie'> &
  BodyOf<Id> & {
    /** Header fields beside those of the contract. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Aborts the request. */
    readonly signal?: AbortSignal;
  };

type Responses<Id extends OperationId> = operations[Id]['responses'];

interface ReplyOf<Status, MediaType, Body> {
  readonly status: Status;
  readonly headers: Headers;
  /** The media type of the body, as the contract names it. */
  readonly mediaType: MediaType;
  readonly body: Body;
}

type AnsweredBody<MediaType, Body> = MediaType extends
  | 'multipart/form-data'
  | 'application/x-www-form-urlencoded'
  ? FormData
  : Answered<Body>;

type ReplyBy<Id, Status, Response> = Id extends HeadId
  ? ReplyOf<Status, undefined, undefined>
  : Response extends { content: infer Contents }
    ? {
        [MediaType in keyof Contents]: ReplyOf<
          Status,
          Named<MediaType>,
          AnsweredBody<MediaType, Contents[MediaType]>
        >;
      }[keyof Contents]
    : ReplyOf<Status, undefined, undefined>;

/** What an operation answers: one of its statuses, with the body of that status. */
export type ClientReply<Id extends OperationId> = {
  [Key in keyof Responses<Id>]: ReplyBy<Id, StatusOf<Key, keyof Responses<Id>>, Responses<Id>[Key]>;
}[keyof Responses<Id>];

/** Calls one operation. */
export type Call<Id extends OperationId> = (
  ...request: None extends ClientRequest<Id> ? [request?: ClientRequest<Id>] : [request: ClientRequest<Id>]
) => Promise<ClientReply<Id>>;

/** A function for each operation. */
export type Client<Id extends OperationId = OperationId> = { readonly [Each in Id]: Call<Each> };
