import { styleText } from 'node:util';
import { basePathOf } from '@trellis/contract/internal';
import { createExampleRequest } from './example-request.ts';

/** The values in the banner of a service that has just started. */
export interface Welcome {
  readonly title: string;
  readonly address: string;
  readonly store: string;
  /** The contract; its first example becomes a request to paste. */
  readonly document: unknown;
  /** The token that the service has made, and the file that keeps it; absent if tokens are configured. */
  readonly firstToken?: { readonly name: string; readonly token: string; readonly file: string } | undefined;
  /** Whether no operation needs credentials. */
  readonly isPublic?: boolean;
  readonly inColour?: boolean;
  /** Whether there is an API reference. */
  readonly hasDocs?: boolean;
}

/** The URL of a database may hold a password. */
const storeRow = (store: string): string => (/^postgres(?:ql)?:/i.test(store) ? 'PostgreSQL' : store);

const tokenRow = (firstToken: Welcome['firstToken'], isPublic: boolean): string => {
  if (firstToken) return `${firstToken.token}  (kept in ${firstToken.file})`;
  return isPublic ? 'none is needed' : 'a token that you have configured';
};

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** The API reference takes a token from the fragment of its address, which browsers never send. On loopback only. */
const tokenFragment = (address: string, firstToken: Welcome['firstToken']): string =>
  firstToken && LOOPBACK.test(new URL(address).hostname)
    ? `#token=${encodeURIComponent(firstToken.token)}`
    : '';

/** Renders the terminal banner: the addresses, and a request to paste. Not for logs: it contains the token. */
export const renderBanner = ({
  title,
  address,
  store,
  document,
  firstToken,
  isPublic = false,
  inColour = false,
  hasDocs = true,
}: Welcome): string => {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    inColour ? styleText(style, text, { validateStream: false }) : text;
  const rows = [
    ['address', address + basePathOf(document)],
    ...(hasDocs ? [['docs', `${address}/docs${tokenFragment(address, firstToken)}`]] : []),
    ['store', storeRow(store)],
    ['token', tokenRow(firstToken, isPublic)],
  ];
  const table = rows.map(([name = '', value]) => `  ${paint('dim', name.padEnd(9))}${value}`).join('\n');
  const credentials = firstToken ?? { name: '<NAME>', token: '<ACCESS_TOKEN>' };
  const example = createExampleRequest(document, address, credentials);
  const request = example ? `${paint('dim', `${example.title}:`)}\n\n  ${example.command}\n\n` : '';
  return `\n${paint(['bold', 'green'], `${title} is listening.`)}\n\n${table}\n\n${request}`;
};
