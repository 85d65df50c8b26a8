import { bodyKindOf, essenceOf, isRange } from '@trellis/openapi/internal/http';
import { type Encode, isTree, once, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import { createMediaTypes } from '../body/media-types.ts';
import { compileStreaming, type ReplyRules, type Streaming } from './streams.ts';

/** A media type of a response, compiled. */
export interface Content {
  /** The `Content-Type` of the reply, unless the handler sets it; `undefined` for a range such as `image/*`. */
  readonly mediaType: string | undefined;
  readonly schemaAt: string | undefined;
  readonly isJson: boolean;
  readonly encode: Encode;
  /** Starts to stream a body; `undefined` if the body can only be written as a whole. */
  readonly streaming: () => (() => Streaming) | undefined;
}

/** Throws: a reply that breaks the contract is an error of the service. */
export const breaks = (why: string, cause?: unknown): never => {
  throw new Error(`the reply breaks the contract: ${why}`, { cause });
};

const NO_TEXT = 'a body that is not JSON must be a text or bytes (Buffer or Uint8Array)';

/** Converts a body that is not JSON to text. An object needs its own `toString`, as URLSearchParams has. */
const toText: Encode = (body) => {
  if (Array.isArray(body) || typeof body === 'function' || typeof body === 'symbol')
    throw new TypeError(NO_TEXT);
  const text = String(body);
  if (isTree(body) && text.startsWith('[object ')) throw new TypeError(NO_TEXT);
  return text;
};

/**
 * Compiles the media types of a body. The `Content-Type` of the handler's reply selects the media type; without it the
 * first declared media type is used, or the first that can be streamed. For a range the handler's `Content-Type`
 * decides.
 */
export const compileContents = (document: unknown, rules: ReplyRules, at: string) => {
  const names = Object.keys(valueAt(document, at) ?? {});
  const compile = (name: string, meant = name): Content => {
    const schemaAt = at + pointerTo(name, 'schema');
    const isJson = bodyKindOf(meant) === 'json';
    return {
      mediaType: isRange(meant) ? undefined : meant,
      schemaAt: valueAt(document, schemaAt) === undefined ? undefined : schemaAt,
      isJson,
      encode: isJson ? rules.encoderAt(schemaAt) : toText,
      streaming: once(() => compileStreaming(document, meant, schemaAt, rules)),
    };
  };
  const contents = new Map(names.map((name) => [name, compile(name)]));
  const [first] = contents.values();
  const firstStreamed = once(() => [...contents.values()].find(({ streaming }) => streaming()) ?? first);
  const mediaTypeOf = createMediaTypes(names);
  const nameOf = (mediaType: string): string => {
    try {
      return mediaTypeOf(mediaType);
    } catch {
      return breaks(`${mediaType} is not declared, but ${names.join(', ')}`);
    }
  };
  const find = (contentType: string): Content | undefined => {
    const essence = essenceOf(contentType);
    const name = contents.has(contentType) ? contentType : nameOf(essence);
    return isRange(name) ? compile(name, essence) : contents.get(name);
  };
  return { first, firstStreamed, find };
};
