import { readFile } from 'node:fs/promises';
import { parseCases } from '../cases/read.ts';
import { createReplay, type Replayed } from '../cases/replay.ts';
import { NoAnswer } from '../exchange/transport.ts';
import { EXIT, Exit, usage } from './exit.ts';
import type { Settings } from './settings.ts';
import type { Target } from './test-service.ts';

const readCases = async (file: string) => {
  const text = await readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw usage(`the cases of ${file} cannot be read (${code})`);
  });
  try {
    return parseCases(text);
  } catch (error) {
    throw usage(`${file} has no saved cases: ${error instanceof Error ? error.message : error}`);
  }
};

const describe = ({ saved, state, what }: Replayed): string => {
  const [title = '', ...lines] = saved.text.split('\n');
  if (state === 'fixed') return `right now      ${title}`;
  if (state === 'unknown') return `not judged     ${title}\n  ${what}`;
  return [`still wrong    ${title}`, `  now: ${what}`, ...lines].join('\n');
};

/** Sends saved cases again, prints what became of each, and gives the exit code. */
export const replayCases = async (
  { contract, spec, url, transport }: Target,
  { credentials }: Settings,
  file: string,
): Promise<number> => {
  const saved = await readCases(file);
  console.log(`${file} (${spec}) against ${url}\n`);
  const replay = createReplay({ contract, transport, credentials }, saved);
  const all: Replayed[] = [];
  try {
    for (const each of saved.cases) {
      const replayed = await replay(each);
      all.push(replayed);
      console.log(describe(replayed));
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new Exit(EXIT.service, `the service went away (${error.message})`);
  }
  const count = (state: Replayed['state']): number => all.filter((each) => each.state === state).length;
  console.log(
    `\n${count('fails')} of ${all.length} still wrong, ${count('fixed')} right now, ${count('unknown')} not judged`,
  );
  return count('fails') > 0 ? EXIT.broken : EXIT.kept;
};
