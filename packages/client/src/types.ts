import type { NotParameter } from '@trellis/openapi/internal/http';
import type { Answered, Sent, StatusOf } from '@trellis/openapi/internal/types';
import type { ClientPart } from './receiving/parts.ts';
import type { ClientEvent } from './receiving/sequences.ts';
import type { CallOptions } from './request.ts';

/** The types of a contract that a client is typed by. `generated/client.ts` declares them. */
export interface AnyContract {
  /** The operations by operationId, as openapi-typescript declares them. */
  readonly operations: object;
  /** The parameters that need not be sent, since they have a default: by operationId and place. */
  readonly defaulted: object;
  /** The operations whose replies have no body. */
  readonly heads: PropertyKey;
}

/** The operations of a contract, by operationId. */
export type OperationId<Contract extends AnyContract> = keyof Contract['operations'];

type None = Readonly<Record<never, never>>;
type Place = 'path' | 'query' | 'header' | 'cookie';

/** What can be left out where nothing in it is required. */
type Member<Name extends string, Value> = None extends Value
  ? { readonly [Key in Name]?: Value }
  : { readonly [Key in Name]: Value };

/** The parameters in one place that have a default. */
type DefaultedIn<Defaulted, Id, In> = Id extends keyof Defaulted
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

type ParametersIn<
  Contract extends AnyContract,
  Id extends OperationId<Contract>,
  In extends Place,
> = Contract['operations'][Id] extends { parameters: { [Key in In]?: infer Parameters } }
  ? [NonNullable<Parameters>] extends [never]
    ? None
    : Member<In, SentParameters<NonNullable<Parameters>, In, DefaultedIn<Contract['defaulted'], Id, In>>>
  : None;

/** The type of a media type in a request or a reply. A range becomes a template of all media types in it. */
type Named<MediaType> = MediaType extends '*/*'
  ? string
  : MediaType extends `${infer Before}*${infer After}`
    ? `${Before}${string}${After}`
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

/** JSON and forms are written and read as a whole. */
type Whole =
  | `${string}json`
  | `${string}json;${string}`
  | `${'application/x-www-form-urlencoded' | 'multipart/form-data'}${string}`;

/** Bytes and text may be sent and read as streams. */
type IfStreamed<MediaType, Body, Stream, Otherwise> = MediaType extends Whole
  ? Otherwise
  : [Body] extends [string | Uint8Array]
    ? Stream
    : Otherwise;

type SentStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

type SentBody<Contents> = {
  [MediaType in keyof Contents]: {
    readonly body: Sent<Contents[MediaType]> | IfStreamed<MediaType, Contents[MediaType], SentStream, never>;
  } & (MediaType extends Usual<keyof Contents>
    ? { readonly mediaType?: Named<MediaType> }
    : { readonly mediaType: Named<MediaType> });
}[keyof Contents];

type BodyOf<Operation> = Operation extends { requestBody: { content: infer Contents } }
  ? SentBody<Contents>
  : Operation extends { requestBody?: infer Body }
    ? NonNullable<Body> extends { content: infer Contents }
      ? [NonNullable<Body>] extends [never]
        ? None
        : SentBody<Contents> | { readonly body?: never; readonly mediaType?: never }
      : None
    : None;

/** The request of an operation, as a client sends it. */
export type ClientRequest<Contract extends AnyContract, Id extends OperationId<Contract>> = ParametersIn<
  Contract,
  Id,
  'path'
> &
  ParametersIn<Contract, Id, 'query'> &
  ParametersIn<Contract, Id, 'header'> &
  ParametersIn<Contract, Id, 'cookie'> &
  BodyOf<Contract['operations'][Id]> &
  CallOptions & {
    /** Additional headers, which the contract does not declare. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Aborts the request. */
    readonly signal?: AbortSignal;
  };

type Responses<
  Contract extends AnyContract,
  Id extends OperationId<Contract>,
> = Contract['operations'][Id] extends {
  responses: infer Declared;
}
  ? Declared
  : never;

interface ReplyOf<Status, MediaType, Body> {
  readonly status: Status;
  readonly headers: Headers;
  /** The media type of the body, as the contract names it. */
  readonly mediaType: MediaType;
  readonly body: Body;
}

/** What each item of a sequence is: a schema may describe the item, or the list of them all (OAS 3.2). */
type ItemOf<Body> = Body extends readonly (infer Item)[] ? Item : Body;

/** A contract may describe a whole event, as OAS 3.2 does, or its data alone. Without a schema the data is a text. */
type EventOf<Item> = unknown extends Item
  ? ClientEvent
  : [Item] extends [string]
    ? ClientEvent
    : Item extends { data?: unknown }
      ? ClientEvent<
          Answered<Item['data']>,
          'event' extends keyof Item ? Answered<Item['event']> : string | undefined
        >
      : ClientEvent<Answered<Item>>;

type Lines = 'jsonl' | 'x-jsonl' | 'jsonlines' | 'x-jsonlines' | 'ndjson' | 'x-ndjson' | 'json-seq';

/** The body of a reply, as the client reads it. */
type AnsweredBody<MediaType, Body, AsStream> = MediaType extends `text/event-stream${string}`
  ? AsyncGenerator<EventOf<ItemOf<Body>>, void>
  : MediaType extends `application/${Lines}${'' | `;${string}`}` | `application/${string}+json-seq`
    ? AsyncGenerator<Answered<ItemOf<Body>>, void>
    : MediaType extends 'multipart/form-data' | 'application/x-www-form-urlencoded'
      ? FormData
      : [MediaType, Body] extends [`multipart/${string}`, readonly (infer Item)[]]
        ? AsyncGenerator<ClientPart<Answered<Item>>, void>
        : AsStream extends true
          ? IfStreamed<MediaType, Body, ReadableStream<Uint8Array>, Answered<Body>>
          : Answered<Body>;

type ReplyBy<IsHead, Status, Response, AsStream> = IsHead extends true
  ? ReplyOf<Status, undefined, undefined>
  : Response extends { content: infer Contents }
    ? {
        [MediaType in keyof Contents]: ReplyOf<
          Status,
          Named<MediaType>,
          AnsweredBody<MediaType, Contents[MediaType], AsStream>
        >;
      }[keyof Contents]
    : ReplyOf<Status, undefined, undefined>;

/** The reply of an operation: a union over its statuses, each with its body. */
export type ClientReply<
  Contract extends AnyContract,
  Id extends OperationId<Contract>,
  AsStream extends boolean = false,
> = {
  [Key in keyof Responses<Contract, Id>]: ReplyBy<
    Id extends Contract['heads'] ? true : false,
    StatusOf<Key, keyof Responses<Contract, Id>>,
    Responses<Contract, Id>[Key],
    AsStream
  >;
}[keyof Responses<Contract, Id>];

/** Calls one operation. With `stream: true` bytes and text come as a ReadableStream. */
export type Call<Contract extends AnyContract, Id extends OperationId<Contract>> = <
  AsStream extends boolean = false,
>(
  ...request: None extends ClientRequest<Contract, Id>
    ? [request?: ClientRequest<Contract, Id> & { readonly stream?: AsStream }]
    : [request: ClientRequest<Contract, Id> & { readonly stream?: AsStream }]
) => Promise<ClientReply<Contract, Id, AsStream>>;

/** A client: one function for each operation. */
export type Client<Contract extends AnyContract, Id extends OperationId<Contract> = OperationId<Contract>> = {
  readonly [Each in Id]: Call<Contract, Each>;
};
