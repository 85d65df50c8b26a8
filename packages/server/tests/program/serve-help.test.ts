import { renderServeHelp } from '@trellis/server/command';
import { readConfig } from '../../src/program/config.ts';

const PRODUCT = { databaseUrl: 'sqlite:data/things.db' };
const SERVE_HELP = renderServeHelp(PRODUCT);

/** The variables that the service reads when it reads its settings. */
const variablesRead = (): string[] => {
  const names = new Set<string>();
  readConfig(
    new Proxy<Record<string, string | undefined>>(
      {},
      {
        get: (_target, name) => {
          names.add(String(name));
          return undefined;
        },
      },
    ),
    PRODUCT,
  );
  return [...names];
};

test('the help of serve names every setting that the service reads, and no other', () => {
  const named = new Set(SERVE_HELP.match(/\b[A-Z]+(?:_[A-Z]+)*\b/g)?.filter((name) => name.length > 3));
  for (const word of ['FILE', 'NAME', 'PATH']) named.delete(word);
  expect([...named].sort()).toEqual(variablesRead().sort());
});

test('the help of serve fits a terminal of 90 columns', () => {
  expect(SERVE_HELP.split('\n').filter((line) => line.length > 90)).toEqual([]);
});

test('the help of a service without a store names no settings of one', () => {
  const help = renderServeHelp({ databaseUrl: 'none' });
  const others = SERVE_HELP.split('\n').filter((line) => !/DATABASE|sqlite:PATH|PostgreSQL only/.test(line));
  expect(help.split('\n')).toEqual(others);
});
