import { TextDecoder } from 'node:util';
import type { MediaKind } from '@trellis/openapi/internal/http';
import type { Reply } from '../../requests/call.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/** Creates a decoder; `undefined` if Node does not know the charset. */
const decoderOf = (charset: string, fatal: boolean): TextDecoder | undefined => {
  try {
    return new TextDecoder(charset, { fatal, ignoreBOM: true });
  } catch {
    return undefined;
  }
};

/**
 * Decodes a body; throws if its bytes are invalid in its charset. JSON is UTF-8 by default (RFC 8259, section 8.1), and so
 * are the items of a stream, which may be cut in the middle of a character.
 */
export const readText = (
  type: string,
  kind: MediaKind,
  { body, stream }: Pick<Reply, 'body' | 'stream'>,
): string => {
  const [, charset] = CHARSET.exec(type) ?? [];
  const isDefinite = charset !== undefined || kind === 'json' || stream !== undefined;
  const decoder = decoderOf(charset ?? 'utf-8', isDefinite);
  if (!decoder) return body.toString('utf8');
  try {
    return decoder.decode(body, { stream: stream?.isOpen ?? false });
  } catch {
    throw new Error(`is not valid ${charset ?? 'utf-8'}`);
  }
};
