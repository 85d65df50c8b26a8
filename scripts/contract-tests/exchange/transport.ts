import { Agent, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import type { Answer, WireRequest } from '../requests/draft.ts';

/** Says with an error code why there is no answer: `ECONNREFUSED`. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** Whether no service listens at that address. */
  readonly isAway: boolean;

  constructor(code: string) {
    super(code);
    this.isAway = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code);
  }
}

const TIMEOUT_MS = 10_000;
const BODILESS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'];

/** Sends requests to a service as they are: follows no redirects and adds only what HTTP needs. */
export const createTransport = (base: string) => {
  const url = new URL(base);
  const isTls = url.protocol === 'https:';
  const agent = isTls ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const prefix = url.pathname.replace(/\/$/, '');

  const sendOnce = ({ method, target, headers, body }: WireRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const outgoing = (isTls ? requestHttps : requestHttp)(
        url,
        {
          agent,
          method,
          path: prefix + target,
          headers: [
            ['Host', url.host],
            ...headers,
            // Without it, Node would send an empty chunked body with a POST.
            ...(body || !BODILESS.includes(method)
              ? [['Content-Length', `${body?.length ?? 0}`] as const]
              : []),
          ].flat(),
          timeout: TIMEOUT_MS,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', fail);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks),
            }),
          );
        },
      );
      const fail = (error: NodeJS.ErrnoException): void => {
        // The service may have closed an idle connection, which is no failure: send again.
        if (outgoing.reusedSocket && error.code === 'ECONNRESET')
          resolve(sendOnce({ method, target, headers, body }));
        else reject(new NoAnswer(error.code ?? error.message));
      };
      outgoing.on('error', fail);
      outgoing.on('timeout', () => outgoing.destroy(new Error(`none within ${TIMEOUT_MS / 1000} s`)));
      outgoing.end(body);
    });

  return { send: sendOnce, close: () => agent.destroy() };
};

/** Sends requests to a service. */
export type Transport = ReturnType<typeof createTransport>;
