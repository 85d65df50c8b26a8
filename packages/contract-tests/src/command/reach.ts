import { createTransport, NoAnswer, type Transport, type TransportOptions } from '../exchange/transport.ts';
import type { Header } from '../report/secrets.ts';
import { addHeaders } from '../requests/call.ts';
import { EXIT, Exit } from './exit.ts';

/** A transport that adds headers to every request that does not set them. */
export const withHeaders = (headers: readonly Header[], { send, ...rest }: Transport): Transport => ({
  ...rest,
  send: (request) => send(addHeaders(headers, request)),
});

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|ALTNAME/;

const remedyFor = (code: string): string =>
  CERTIFICATE.test(code)
    ? "its certificate is not trusted: name a file with its authority's certificate in NODE_EXTRA_CA_CERTS"
    : 'start it, or give another URL';

/** Throws one sentence with the remedy if no service answers. Any reply is enough. */
const requireService = async (url: string, { send }: Transport): Promise<void> => {
  try {
    await send({ method: 'GET', target: '/', headers: [], body: undefined });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new Exit(
      EXIT.service,
      `no service answers at ${url} (${error.message}): ${remedyFor(error.message)}`,
    );
  }
};

/** Creates the transport to a service. Throws if no service answers. */
export const reachService = async (
  url: string,
  options: TransportOptions,
  headers: readonly Header[],
): Promise<Transport> => {
  const transport = withHeaders(headers, createTransport(url, options));
  try {
    await requireService(url, transport);
    return transport;
  } catch (error) {
    transport.close();
    throw error;
  }
};
