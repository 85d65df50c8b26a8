import { hasPositions, sequenceKindOf } from '@trellis/openapi/internal/http';
import { isPicture, kindOf, layoutJson } from '../contract/content.ts';
import type { Built } from './build.ts';

/** The items of a streamed reply that have arrived. */
interface Arrived {
  /** The end of it, as text. */
  readonly text: string;
  readonly bytes: number;
  /** Its state; empty once it is complete. */
  readonly progress: '' | 'arriving' | 'stopped' | 'cut off';
}

/** A reply of the service. */
export interface Reply {
  readonly status: number;
  readonly reason: string;
  readonly milliseconds: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly bytes: number;
  readonly isJson: boolean;
  readonly text: string;
  /** The address of the body within this page, for pictures and downloads. */
  readonly download?: string | undefined;
  readonly isPicture: boolean;
  /** The progress of a sequence; `undefined` for any other body. */
  readonly progress?: Arrived['progress'];
}

/** More of a body is not shown; it can be saved. */
const MOST_SHOWN = 500_000;

const bodyOf = ({ kind, text, fields, file }: Built): BodyInit | null => {
  if (!fields) return text ?? file ?? null;
  if (kind === 'form') return new URLSearchParams(fields.map(([name, value]) => [name, String(value)]));
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
};

/** The number of characters shown, from the end: a stream may be endless. */
const MOST_STREAMED = 32_768;

/** Milliseconds between two renderings, however many items arrive. */
const PAUSE = 100;

/** The end of a text, from the start of a line if there is one; without the separators of records (RFC 7464). */
const endOf = (text: string): string => {
  const isWhole = text.length <= MOST_STREAMED;
  const end = isWhole ? text : `…\n${text.slice(-MOST_STREAMED).replace(/^[^\n]*\n+(?=[^\n])/, '')}`;
  return end.replaceAll('\u001e', '');
};

/** Reads a reply until it ends or is stopped, and reports items as they arrive. */
const readSequence = async (
  { body }: Response,
  signal: AbortSignal,
  tell: (arrived: Arrived) => void,
): Promise<Arrived> => {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arrived = (progress: Arrived['progress']): Arrived => ({ text: endOf(text), bytes, progress });
  const tellNow = (): void => {
    timer = undefined;
    tell(arrived('arriving'));
  };
  tellNow();
  try {
    for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
      bytes += read.value.length;
      text += decoder.decode(read.value, { stream: true });
      if (text.length > 4 * MOST_STREAMED) text = text.slice(-2 * MOST_STREAMED);
      timer ??= setTimeout(tellNow, PAUSE);
    }
    return arrived('');
  } catch {
    return arrived(signal.aborted ? 'stopped' : 'cut off');
  } finally {
    clearTimeout(timer);
  }
};

/** Sends a request, and reports the items of a sequence as they arrive. Rejects if there is no reply. */
export const sendRequest = async (
  built: Built,
  signal: AbortSignal,
  tell: (reply: Reply) => void,
): Promise<Reply> => {
  const began = performance.now();
  const body = built.method === 'GET' || built.method === 'HEAD' ? null : bodyOf(built);
  const response = await fetch(built.url, {
    method: built.method,
    headers: built.headers.map(([name, value]): [string, string] => [name, value]),
    body,
    cache: 'no-store',
    mode: 'same-origin', // a redirect to another origin fails, and takes no credentials there
    signal,
  });
  const mediaType = response.headers.get('content-type') ?? '';
  const replyWith = (shown: Pick<Reply, 'bytes' | 'text' | 'isJson'> & Partial<Reply>): Reply => ({
    status: response.status,
    reason: response.statusText,
    milliseconds: performance.now() - began,
    headers: [...response.headers],
    isPicture: isPicture(mediaType),
    ...shown,
  });
  const sequence = sequenceKindOf(mediaType);
  if (sequence || hasPositions(mediaType)) {
    const isJson = sequence === 'lines' || sequence === 'records';
    const show = (arrived: Arrived): Reply => replyWith({ ...arrived, isJson });
    return show(await readSequence(response, signal, (arrived) => tell(show(arrived))));
  }
  const blob = await response.blob();
  const kind = kindOf(mediaType);
  const isText = kind !== 'binary' && blob.size <= MOST_SHOWN;
  const text = isText ? await blob.text() : '';
  return replyWith({
    bytes: blob.size,
    isJson: kind === 'json',
    text: kind === 'json' ? layoutJson(text) : text,
    download: isText || blob.size === 0 ? undefined : URL.createObjectURL(blob),
  });
};
