import { styleText } from 'node:util';

/** What somebody at a terminal wants to know of a service that has just started. */
export interface Welcome {
  readonly address: string;
  readonly store: string;
  /** The token that was made up, and where it is kept; absent where tokens were configured. */
  readonly firstToken?: { readonly token: string; readonly file: string } | undefined;
  readonly inColour?: boolean;
}

/** The URL of a database may hold a password, before its host and after its path. */
const withoutSecrets = (store: string): string => {
  if (!/^postgres(?:ql)?:/i.test(store)) return store;
  if (!URL.canParse(store)) return 'postgres:';
  const { protocol, host, pathname } = new URL(store);
  return `${protocol}//${host}${pathname}`;
};

/** A page for a terminal: where the service is, and a line to paste. Never for a log, since it shows the token. */
export const renderBanner = ({ address, store, firstToken, inColour = false }: Welcome): string => {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    inColour ? styleText(style, text, { validateStream: false }) : text;
  const rows = [
    ['address', address],
    ['docs', `${address}/docs`],
    ['store', withoutSecrets(store)],
    [
      'token',
      firstToken
        ? `${firstToken.token}  (kept in ${firstToken.file})`
        : 'one of those that you have configured',
    ],
  ];
  const table = rows.map(([name = '', value]) => `  ${paint('dim', name.padEnd(9))}${value}`).join('\n');
  const plant = JSON.stringify({ id: 41, name: 'Monstera deliciosa', tag: 'tropical' });
  const token = firstToken?.token ?? '<ACCESS_TOKEN>';
  const curl = `curl -i ${address}/plants -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${plant}'`;
  return `\n${paint(['bold', 'green'], 'Plant Store is listening.')}\n\n${table}\n\n${paint('dim', 'Create a plant:')}\n\n  ${curl}\n\n`;
};
