/** Reports the progress of an upload. */

/** Called with the bytes sent and, if known, the total. */
export type OnProgress = (sent: number, total: number | undefined) => void;

/** Wraps a body in a stream that counts each chunk which `fetch` reads. */
const counted = (source: ReadableStream<Uint8Array>, onChunk: (bytes: number) => void) => {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value } = await reader.read();
      if (!value) return controller.close();
      controller.enqueue(value);
      onChunk(value.byteLength);
    },
    cancel: (reason) => reader.cancel(reason),
  });
};

const lengthOf = (body: unknown): number | undefined => {
  if (typeof body === 'string') return new TextEncoder().encode(body).length;
  if (body instanceof Uint8Array) return body.byteLength;
  return body instanceof Blob ? body.size : undefined;
};

/** Sends a stream that counts. `Request` knows how a form is written. */
const sendCounted = (send: typeof fetch, url: string, init: RequestInit, onProgress: OnProgress) => {
  const headers = new Headers(init.headers);
  const { body, headers: written } = new Request(url, { ...init, signal: null });
  const total = lengthOf(init.body);
  for (const [name, value] of written) headers.set(name, value); // a form's boundary is there
  if (total !== undefined) headers.set('content-length', `${total}`);
  let sent = 0;
  const count = (bytes: number) => {
    sent += bytes;
    onProgress(sent, total);
  };
  return send(url, { ...init, headers, ...(body && { body: counted(body, count), duplex: 'half' }) });
};

/** The part of XMLHttpRequest that is used here: Node has none. */
interface Xhr {
  responseType: string;
  readonly status: number;
  readonly responseURL: string;
  readonly response: ArrayBuffer;
  readonly upload: {
    onprogress: ((event: { loaded: number; total: number; lengthComputable: boolean }) => void) | null;
  };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  onloadend: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: unknown): void;
  abort(): void;
}

/** What XMLHttpRequest got, as `fetch` would give it. */
const responseOf = (xhr: Xhr): Response => {
  const { status } = xhr;
  const headers = new Headers();
  for (const [, name = '', value = ''] of xhr.getAllResponseHeaders().matchAll(/^([^:\r\n]+): ?(.*?)\r?$/gm))
    headers.append(name, value);
  return new Response([204, 205, 304].includes(status) ? null : xhr.response, { status, headers });
};

/** Sends by XMLHttpRequest. It always follows redirects, so a response from another URL is rejected. */
const sendByXhr = (xhr: Xhr, url: string, init: RequestInit, onProgress: OnProgress): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', headers, body, signal } = init;
    if (signal?.aborted) return reject(signal.reason);
    const asked = new Request(url).url.replace(/#.*/, ''); // responseURL has no fragment
    const abort = () => xhr.abort();
    xhr.open(method, url);
    xhr.responseType = 'arraybuffer';
    for (const [name, value] of new Headers(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total, lengthComputable }) =>
      onProgress(loaded, lengthComputable ? total : undefined);
    xhr.onload = () =>
      xhr.responseURL === asked
        ? resolve(responseOf(xhr))
        : reject(new TypeError(`redirected to ${xhr.responseURL}`));
    xhr.onerror = () => reject(new TypeError('Failed to send'));
    xhr.onabort = () => reject(signal?.reason);
    xhr.onloadend = () => signal?.removeEventListener('abort', abort);
    signal?.addEventListener('abort', abort);
    xhr.send(body);
  });

/**
 * Creates a `fetch` that reports how many bytes of the body have been sent. Pages send by XMLHttpRequest, unless the body
 * is a stream. Elsewhere it counts the bytes that `fetch` takes, slightly ahead of the bytes on the network.
 *
 * @example
 * const fetch = fetchWithProgress((sent, total) => console.log(`${sent} of ${total ?? '?'} bytes`));
 * await client.putFile({ path: { name: 'a.png' }, body: file, fetch });
 */
export const fetchWithProgress =
  (onProgress: OnProgress, send: typeof fetch = fetch): typeof fetch =>
  (input, init = {}) => {
    const url = input instanceof Request ? input.url : `${input}`;
    const Xhr: (new () => Xhr) | undefined = Reflect.get(globalThis, 'XMLHttpRequest');
    return Xhr && !(init.body instanceof ReadableStream)
      ? sendByXhr(new Xhr(), url, init, onProgress)
      : sendCounted(send, url, init, onProgress);
  };
