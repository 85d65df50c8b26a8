import { readJson } from './json.ts';
import { contentOf, kindOf } from './media-types.ts';
import type { Content, Operation } from './operation.ts';
import { UnexpectedReply } from './unexpected-reply.ts';

/** Where a redirect leads; browsers show a page nothing of it (Fetch, section 2.2.6: an opaque-redirect response). */
const redirectOf = ({ type, status, headers }: Response): string | undefined => {
  if (type === 'opaqueredirect') return 'somewhere that a browser does not tell';
  return status >= 300 && status < 400 ? (headers.get('location') ?? undefined) : undefined;
};

/** Finds the declared response for a status. `default` does not apply to redirects. */
const responseFor = ({ replies }: Operation, status: number, isRedirect: boolean) =>
  [`${status}`, `${Math.floor(status / 100)}XX`, ...(isRedirect ? [] : ['default'])]
    .filter((key) => Object.hasOwn(replies, key))
    .map((key) => replies[key])[0];

const readJsonBody = (response: Response, text: string, { int64s }: Content): unknown => {
  try {
    return readJson(text, int64s?.());
  } catch (cause) {
    throw new UnexpectedReply(`status ${response.status} with a body that is not JSON`, response, text, {
      cause,
    });
  }
};

/** A body that has no bytes is `null` in a Response. */
const streamOf = ({ body }: Response) => body ?? new Blob([]).stream();

const readBody = async (
  response: Response,
  content: Content,
  mediaType: string,
  asStream: boolean,
): Promise<unknown> => {
  if (content.items) return content.items(response, content);
  const kind = kindOf(content, mediaType);
  if (asStream && (kind === 'text' || kind === 'bytes')) return streamOf(response);
  if (kind === 'json') return readJsonBody(response, await response.text(), content);
  if (kind === 'text') return response.text();
  if (kind === 'form' || kind === 'multipart') return response.formData();
  return new Uint8Array(await response.arrayBuffer());
};

/** Reads a reply by the response that the operation declares for its status: that status, its range, or the default. */
export const readReply = async (operation: Operation, response: Response, asStream: boolean) => {
  const { status, headers } = response;
  const target = redirectOf(response);
  const contents = responseFor(operation, status, target !== undefined);
  if (!contents) {
    const why = target === undefined ? '' : `, a redirect to ${target}, which is not followed`;
    throw new UnexpectedReply(`status ${status}${why}`, response, await response.text());
  }
  const names = Object.keys(contents);
  const hasBody = operation.method !== 'HEAD' && status !== 204 && status !== 304 && names.length > 0;
  if (!hasBody) {
    await response.arrayBuffer(); // so that the connection can be used again
    return { status, headers, mediaType: undefined, body: undefined };
  }
  const sent = headers.get('content-type') ?? (names.length === 1 ? names[0] : undefined) ?? 'none';
  const found = contentOf(contents, sent);
  if (!found)
    throw new UnexpectedReply(`status ${status} with Content-Type ${sent}`, response, await response.text());
  const body = await readBody(response, found.content, found.mediaType, asStream);
  return { status, headers, mediaType: found.mediaType, body };
};
