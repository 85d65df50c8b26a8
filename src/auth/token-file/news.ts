import type { Log } from '../log.ts';
import type { Look } from './presence.ts';
import { isSameSight, type Sight } from './sight.ts';

/** How many milliseconds lie between two changes that are told. */
const TELL_EVERY = 1000;

/**
 * Tells the log what has become of a token file: once it holds still, or now and then where it never does. With the
 * last look it tells whatever is left to tell.
 */
export const createNews = (file: string, log: Log, first: Sight) => {
  let noticed = first;
  let told = first;
  let toldAt = Number.NEGATIVE_INFINITY;
  let untoldSince: number | undefined;

  const notice = ({ sight, time }: Look): void => {
    if (sight !== noticed) untoldSince = isSameSight(sight, told) ? undefined : (untoldSince ?? time);
    noticed = sight;
  };

  const isTime = ({ time, isStill }: Look, since: number): boolean =>
    time - toldAt >= TELL_EVERY && (isStill || time - since >= TELL_EVERY);

  const writeChange = ({ found }: Look, tokens: number): void => {
    log.info({ file, tokens }, 'the token file has changed');
    for (const { position, reason } of found.faults)
      log.warn({ file, line: position }, `a line of the token file is left out: it ${reason}`);
    const more = found.leftOut - found.faults.length;
    if (more > 0) log.warn({ file, lines: more }, 'more lines of the token file are left out');
  };

  return (look: Look, tokens: number, isLast = false): void => {
    const { sight, time, isStill } = look;
    notice(look);
    if (untoldSince === undefined || !(isLast || isTime(look, untoldSince))) return;
    if (typeof sight === 'string' && !isStill) return; // nothing is revoked yet
    told = sight;
    toldAt = time;
    untoldSince = undefined;
    if (typeof sight === 'string')
      log.warn({ file, code: sight }, 'the token file cannot be read; all its tokens are revoked');
    else writeChange(look, tokens);
  };
};
