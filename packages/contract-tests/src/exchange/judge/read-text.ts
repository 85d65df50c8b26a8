import { TextDecoder } from 'node:util';
import type { MediaKind } from '@trellis/openapi/http';
import type { Reply } from '../../requests/draft.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/** A decoder of a charset; `undefined` for one that this machine does not know. */
const decoderOf = (charset: string, fatal: boolean): TextDecoder | undefined => {
  try {
    return new TextDecoder(charset, { fatal, ignoreBOM: true });
  } catch {
    return undefined;
  }
};

/**
 * The text of a body; an error says which charset its bytes break. JSON is UTF-8 unless it says otherwise (RFC 8259,
 * section 8.1), and so are the items of a stream, which may still be open.
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
