import { findUnstorableText, type Json, parseJson, toText } from '../json/parse.ts';
import type { CompileAccepts } from '../schema/branches.ts';
import { createFormDecoder } from './forms.ts';
import type { Kind } from './media-types.ts';
import { createMultipartDecoder, type Multipart } from './multipart.ts';

/** A body that was decoded. */
export interface DecodedBody extends Json {
  /** Whether its media type makes it bytes and nothing else: there is nothing that a schema can be asked about. */
  readonly isBytes?: boolean;
  readonly restoreFiles?: Multipart['restoreFiles'];
}

/** Makes of the bytes of a body what its schema can be asked about. */
export type DecodeBytes = (bytes: Buffer, contentType: string) => DecodedBody | Promise<DecodedBody>;

const decodeText = (bytes: Buffer): Json => {
  const value = toText(bytes);
  return { value, exact: undefined, unstorable: findUnstorableText(value) };
};

/** Compiles how a body of a kind is decoded by the schema at a pointer. */
export const createBodyDecoder = (
  document: unknown,
  kind: Kind,
  schemaAt: string,
  acceptsAt: CompileAccepts,
): DecodeBytes => {
  switch (kind) {
    case 'json':
      return (bytes) => parseJson(bytes);
    case 'text':
      return decodeText;
    case 'binary':
      return (bytes) => ({ value: bytes, exact: undefined, unstorable: [], isBytes: true });
    case 'form':
      return createFormDecoder(document, schemaAt, acceptsAt);
    case 'multipart':
      return createMultipartDecoder(document, schemaAt, acceptsAt);
  }
};
