import type { NotParameter } from '@trellis/openapi/internal/http';
import type { Received, Replied, StatusOf } from '@trellis/openapi/internal/types';
import type { BodySettings } from './body/limits.ts';
import type { UploadedField, UploadedFile } from './body/multipart/upload-form.ts';
import type { Upload } from './body/upload.ts';
import type { Reply } from './reply/reply.ts';
import type { Principal } from './request/exchange.ts';
import type { IncomingRequest } from './request/incoming.ts';

/** The part of a contract that types handlers: `Contract` of generated/handler.ts. */
export interface ContractTypes {
  /** The operations, by operationId. */
  readonly operations: object;
  /** The names of the security schemes of each operation; `undefined` for an operation that needs none. */
  readonly security: object;
  /** The caller that authenticators return. */
  readonly principal: Principal;
}

type OperationId<C extends ContractTypes> = keyof C['operations'];

/** The body in any of the declared media types. */
type ContentOf<T> = T extends { content: infer Content } ? Content[keyof Content] : undefined;

/** The decoded body of an operation's request. */
export type RequestBody<C extends ContractTypes, Id extends OperationId<C>> = C['operations'][Id] extends {
  requestBody: infer Body;
}
  ? Received<ContentOf<Body>>
  : C['operations'][Id] extends { requestBody?: infer Body }
    ? Received<ContentOf<NonNullable<Body>>> | undefined
    : undefined;

/** The decoded parameters of an operation in one place; an empty object without parameters. */
type ParametersIn<
  C extends ContractTypes,
  Id extends OperationId<C>,
  Place extends 'path' | 'query' | 'header' | 'cookie',
> = C['operations'][Id] extends { parameters: { [In in Place]?: infer Parameters } }
  ? [NonNullable<Parameters>] extends [never]
    ? Readonly<Record<never, never>>
    : Received<NonNullable<Parameters>>
  : Readonly<Record<never, never>>;

/** The declared headers that are parameters. */
type HeaderParameters<Headers> = {
  [Name in keyof Headers as Name extends string
    ? Lowercase<Name> extends NotParameter
      ? never
      : Name
    : Name]: Headers[Name];
};

/** The caller that a security scheme finds; `undefined` for no scheme. */
type KnownBy<Caller, Scheme> = Scheme extends string ? Caller : undefined;

/** Who sent a request to an operation. */
type PrincipalOf<C extends ContractTypes, Id> = Id extends keyof C['security']
  ? KnownBy<C['principal'], C['security'][Id]>
  : C['principal'] | undefined;

/** The request that a handler gets: matched, validated and decoded, with its principal and its raw headers. */
export interface OperationRequest<C extends ContractTypes, Id extends OperationId<C>>
  extends IncomingRequest {
  readonly path: ParametersIn<C, Id, 'path'>;
  readonly query: ParametersIn<C, Id, 'query'>;
  readonly header: HeaderParameters<ParametersIn<C, Id, 'header'>>;
  readonly cookie: ParametersIn<C, Id, 'cookie'>;
  readonly body: RequestBody<C, Id>;
  /** The caller; `undefined` only if the contract requires no credentials. */
  readonly principal: PrincipalOf<C, Id>;
  /** If the request is traced: the header of that name for requests that the handler sends, so that they join the trace. */
  readonly traceparent?: string;
}

type Responses<C extends ContractTypes, Id extends OperationId<C>> = C['operations'][Id] extends {
  responses: infer Declared;
}
  ? Declared
  : never;

/** The headers that a response declares; the types in `generated/` allow any others too. */
type DeclaredHeaders<Response> = Response extends { headers: infer Headers }
  ? { readonly [Name in keyof Headers as string extends Name ? never : Name]: Replied<Headers[Name]> }
  : Readonly<Record<never, never>>;

/** An event of an event stream (`text/event-stream`). Data that is no text is sent as JSON. */
export interface ServerEvent<Data = string> {
  readonly data?: Data;
  /** The type of the event; browsers use `message` by default. */
  readonly event?: string;
  /** The id that a reconnecting client sends as `Last-Event-ID`. */
  readonly id?: string | number;
  /** Milliseconds until a client that lost its connection reconnects. */
  readonly retry?: number;
  /** A comment for people who inspect the stream; clients ignore it. */
  readonly comment?: string;
}

/** The item of a sequence: a schema may describe the item, or the list of all items (OAS 3.2). */
type ItemOf<Body> = Body extends readonly (infer Item)[] ? Item : Body;

/** A contract may describe a whole event, as OAS 3.2 does, or its data alone. */
type EventOf<Item> = [Item] extends [string]
  ? ServerEvent<string> | string | Uint8Array
  : Item extends { data?: infer Data }
    ? Replied<Item> & ServerEvent<Replied<Data>>
    : ServerEvent<Replied<Item>> & { readonly data: Replied<Item> };

/** Media types whose bodies are read and written as a whole. */
type JsonOrForm = `${string}json` | `${string}json;${string}` | `application/x-www-form-urlencoded${string}`;

type Lines = 'jsonl' | 'x-jsonl' | 'jsonlines' | 'x-jsonlines' | 'ndjson' | 'x-ndjson' | 'json-seq';

/** A part of a multipart body. Its header `Content-Type` sets its media type, else the contract, else its body. */
export interface Part<Body = unknown> {
  readonly headers?: Readonly<Record<string, string>>;
  /** A text or bytes as they are; any other value as JSON. */
  readonly body: Body;
}

/** The items of a body that may be streamed; `never` for one that is written as a whole: JSON and forms. */
type StreamedItem<MediaType, Body> = MediaType extends `text/event-stream${string}`
  ? EventOf<ItemOf<Body>>
  : MediaType extends `application/${Lines}${`` | `;${string}`}` | `application/${string}+json-seq`
    ? Replied<ItemOf<Body>>
    : MediaType extends JsonOrForm
      ? never
      : [Body] extends [string | Uint8Array]
        ? string | Uint8Array
        : MediaType extends `multipart/${string}`
          ? PartOfList<MediaType, Body>
          : never;

/** The parts of a list, for any multipart type; without a schema, multipart/mixed allows any parts. */
type PartOfList<MediaType, Body> = Body extends readonly (infer Item)[]
  ? Part<Replied<Item>>
  : MediaType extends `multipart/mixed${string}`
    ? Part
    : never;

/** A body that is written as a whole. Parts are streamed, so that a list of them is a text or bytes here. */
type WholeBody<MediaType, Body> = MediaType extends `multipart/${string}`
  ? Body extends readonly unknown[]
    ? string | Uint8Array
    : Replied<Body>
  : Replied<Body>;

/**
 * The body of a reply. Where the media type allows it, it may be an async iterable as well: a generator, a `Readable` or
 * a `ReadableStream`. Its items are sent as they come.
 */
type RepliedBody<Response> = Response extends { content: infer Content }
  ? {
      [MediaType in keyof Content]:
        | WholeBody<MediaType, Content[MediaType]>
        | ([StreamedItem<MediaType, Content[MediaType]>] extends [never]
            ? never
            : AsyncIterable<StreamedItem<MediaType, Content[MediaType]>>);
    }[keyof Content]
  : undefined;

declare const OPERATION: unique symbol;

/** One member of a union: of several overloads the compiler infers from the last. */
type OneOf<Union> = (Union extends unknown ? (take: (each: Union) => void) => void : never) extends (
  take: infer Take,
) => void
  ? Take extends (each: infer Each) => void
    ? Each
    : never
  : never;

/**
 * The status of a reply. One status of each operation also has a mark, which no value has. With it the compiler names the
 * operation where a status is not declared: `'201' is not assignable to type '200 | DeclaredBy<Contract, "getThing",
 * 404>'`.
 */
type DeclaredBy<C extends ContractTypes, Id extends OperationId<C>, Key extends keyof Responses<C, Id>> =
  | StatusOf<Key, keyof Responses<C, Id>>
  | (Key extends OneOf<keyof Responses<C, Id> & number> ? Key & { readonly [OPERATION]: Id } : never);

/** The status and the body of a reply. Interfaces keep their names in compiler messages, which keeps these short. */
interface ReplyParts<C extends ContractTypes, Id extends OperationId<C>, Key extends keyof Responses<C, Id>> {
  readonly status: DeclaredBy<C, Id, Key>;
  readonly body: RepliedBody<Responses<C, Id>[Key]>;
}

/** A reply of a response that requires no header. */
interface ReplyTo<C extends ContractTypes, Id extends OperationId<C>, Key extends keyof Responses<C, Id>>
  extends ReplyParts<C, Id, Key> {
  readonly headers?: DeclaredHeaders<Responses<C, Id>[Key]> & Readonly<Record<string, unknown>>;
}

/** A reply of a response that has no body and requires no header. */
interface EmptyReply<C extends ContractTypes, Id extends OperationId<C>, Key extends keyof Responses<C, Id>> {
  readonly status: DeclaredBy<C, Id, Key>;
  readonly body?: undefined;
  readonly headers?: DeclaredHeaders<Responses<C, Id>[Key]> & Readonly<Record<string, unknown>>;
}

/** A reply of a response that requires a header. */
interface ReplyWithHeaders<
  C extends ContractTypes,
  Id extends OperationId<C>,
  Key extends keyof Responses<C, Id>,
> extends ReplyParts<C, Id, Key> {
  readonly headers: DeclaredHeaders<Responses<C, Id>[Key]> & Readonly<Record<string, unknown>>;
}

/** A reply that the operation declares: a declared status with its headers and its body. */
export type OperationReply<C extends ContractTypes, Id extends OperationId<C>> = {
  [Key in keyof Responses<C, Id>]: Readonly<Record<never, never>> extends DeclaredHeaders<
    Responses<C, Id>[Key]
  >
    ? Responses<C, Id>[Key] extends { content: unknown }
      ? ReplyTo<C, Id, Key>
      : EmptyReply<C, Id, Key>
    : ReplyWithHeaders<C, Id, Key>;
}[keyof Responses<C, Id>];

/** Implements one operation. An undeclared status or a body of another shape does not compile. */
export type Handler<C extends ContractTypes, Id extends OperationId<C>> = (
  request: OperationRequest<C, Id>,
) => Promise<OperationReply<C, Id>>;

/** A handler with its own limit for request bodies. */
export interface LimitedHandler<C extends ContractTypes, Id extends OperationId<C>> {
  readonly streams?: false;
  /** How large a body may be, in bytes; the limit of the contract or of the service if not given. */
  readonly maxBodyBytes?: number;
  readonly handle: Handler<C, Id>;
}

/** A part of a form, by the type of its member: lists come item by item. */
type PartOf<Name extends string, Member> = unknown extends Member
  ? UploadedFile<Name> | UploadedField<Name>
  : Member extends readonly (infer Item)[]
    ? PartOf<Name, Item>
    : Member extends Uint8Array
      ? UploadedFile<Name>
      : UploadedField<Name, Member>;

/** A member whose type has files in it is a file in every part. */
type MemberPart<Name extends string, Member> =
  Extract<PartOf<Name, Member>, UploadedFile> extends never
    ? UploadedField<Name, Extract<PartOf<Name, Member>, UploadedField>['value']>
    : unknown extends Member
      ? PartOf<Name, Member>
      : UploadedFile<Name>;

/** The parts of a form, told apart by their names. A form that declares no members may have any. */
type FormPart<Form> = {
  [Name in keyof Form as string extends Name ? never : Name]-?: Name extends string
    ? MemberPart<Name, Exclude<Form[Name], undefined>>
    : never;
} extends infer Parts
  ? [keyof Parts] extends [never]
    ? UploadedFile | UploadedField
    : Parts[keyof Parts]
  : never;

/** A body of a media type that is read while it arrives; JSON and other forms arrive as a whole. */
type OpenBody<MediaType, Body> = MediaType extends `multipart/form-data${string}`
  ? AsyncIterable<FormPart<Received<Body>>>
  : MediaType extends JsonOrForm
    ? Received<Body>
    : MediaType extends `${'*' | 'application' | 'multipart'}/*${string}`
      ? Upload | AsyncIterable<FormPart<Received<Body>>> | Received<Body>
      : Upload;

type OpenContent<T> = T extends { content: infer Content }
  ? { [MediaType in keyof Content]: OpenBody<MediaType, Content[MediaType]> }[keyof Content]
  : undefined;

/** The body of an operation's request, to be read while it arrives. */
export type UploadBody<C extends ContractTypes, Id extends OperationId<C>> = C['operations'][Id] extends {
  requestBody: infer Body;
}
  ? OpenContent<Body>
  : C['operations'][Id] extends { requestBody?: infer Body }
    ? OpenContent<NonNullable<Body>> | undefined
    : undefined;

/** The request that an upload handler gets: everything but the body is matched, validated and decoded. */
export interface UploadRequest<C extends ContractTypes, Id extends OperationId<C>>
  extends Omit<OperationRequest<C, Id>, 'body'> {
  readonly body: UploadBody<C, Id>;
}

/** Implements an operation whose body is read while it arrives, however large it is. */
export interface UploadHandler<C extends ContractTypes, Id extends OperationId<C>> {
  readonly streams: true;
  /** How large a body may be, in bytes; the limit of the contract or of the service if not given. */
  readonly maxBodyBytes?: number;
  readonly handle: (request: UploadRequest<C, Id>) => Promise<OperationReply<C, Id>>;
}

/** A handler for every operation of a contract. A missing one does not compile. */
export type Handlers<C extends ContractTypes> = {
  readonly [Id in OperationId<C>]: Handler<C, Id> | LimitedHandler<C, Id> | UploadHandler<C, Id>;
};

type AnyHandle = (request: never) => Promise<Reply>;

/** Handlers of any contract, by operationId. */
export type AnyHandlers = Readonly<
  Record<string, AnyHandle | (BodySettings & { readonly handle: AnyHandle })>
>;
