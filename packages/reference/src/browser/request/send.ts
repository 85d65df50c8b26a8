import { hasPositions, sequenceKindOf } from '@trellis/openapi/internal/http';
import { isPicture, kindOf } from '../contract/media-types.ts';
import { layoutJson } from '../text/layout-json.ts';
import type { Built } from './build.ts';
import { type Arrived, readSequence } from './sequence.ts';

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
  readonly download: string | undefined;
  readonly isPicture: boolean;
  /** The progress of a sequence; `undefined` for any other body. */
  readonly progress: Arrived['progress'] | undefined;
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
    download: undefined,
    isPicture: isPicture(mediaType),
    progress: undefined,
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
