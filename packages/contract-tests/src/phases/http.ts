import type { Operation } from '../document/operations.ts';
import { createKnownPaths } from '../document/paths.ts';
import { headBesideGet, methodAttempts } from '../http/methods.ts';
import { pathAttempts } from '../http/paths.ts';
import { isMisunderstood } from '../http/rule.ts';
import { bracketAttempts, excessAttempts, type Variant, variantsOf } from '../http/variants.ts';
import { pathOf } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import type { Outcome } from '../run-check.ts';
import type { Session } from '../session.ts';
import { createFindings } from './findings.ts';
import type { Phase } from './phase.ts';
import { type Sample, takeSamples } from './samples.ts';

/** The phase about HTTP itself: methods, paths, and other ways to say the same. It examines each path of the contract. */
export const createHttpPhase = (session: Session): Phase => {
  const { contract, operations, draftOf } = session;
  const { known, isKnown, methodsElsewhere } = createKnownPaths(operations);
  /** Paths have neighbours in common. */
  const tried = new Set<string>();

  const run = async (own: readonly Operation[]): Promise<Outcome> => {
    const { ask, askUsual, report, sendAndReport, outcomeOf } = createFindings(session);
    const attemptsOf = (samples: readonly Sample[]): Probe[] => {
      const drafts = samples.map(({ draft }) => draft);
      const [main] = drafts;
      if (!main) return [];
      const path = pathOf(main.operation.path, main.parameters);
      const declared = own.map(({ method }) => method);
      const isNew = (unknown: string): boolean => !tried.has(unknown) && Boolean(tried.add(unknown));
      return [
        ...methodAttempts(drafts, declared, methodsElsewhere(main.operation.path, path)),
        ...pathAttempts(main, (unknown) => isKnown(unknown) || !isNew(unknown)),
        ...drafts.flatMap(excessAttempts),
        ...drafts.flatMap((draft) =>
          bracketAttempts(draft, ({ schema }) => contract.request.shapeOf(schema) === 'array'),
        ),
      ];
    };

    /** Two replies show which fields of a GET are the same each time. */
    const tryHead = async ({ operation, draft }: Sample): Promise<void> => {
      if (operation.method !== 'GET' || own.some(({ method }) => method === 'HEAD')) return;
      const verdicts = [await ask('GET', draft), await ask('GET', draft)];
      const replies = verdicts.flatMap(({ reply }) => reply ?? []);
      if (replies.length === verdicts.length)
        for (const each of headBesideGet(draft, replies)) await sendAndReport(each);
    };

    /** Sends a valid request in other words. If it is refused, the usual words show whose fault that is. */
    const tryVariant = async ({ operation, valid }: Sample, { name, change }: Variant): Promise<void> => {
      const draft = change(await draftOf(operation, valid));
      const { reply, breach } = await ask(name, draft, { mayHangUp: true });
      if (!isMisunderstood(reply)) return;
      if (isMisunderstood((await askUsual(operation, valid)).reply)) return;
      const what = `a valid request was refused with ${reply?.status ?? 'no answer'}`;
      report(name, draft, { reply, breach: breach ?? { what, at: operation.at } });
    };

    return outcomeOf(async () => {
      const samples = await takeSamples(session, own, askUsual);
      for (const each of attemptsOf(samples)) await sendAndReport(each);
      for (const sample of samples) await tryHead(sample);
      for (const sample of samples) {
        const { reply } = await askUsual(sample.operation, sample.valid);
        if (isMisunderstood(reply)) continue;
        for (const variant of variantsOf(sample.draft)) await tryVariant(sample, variant);
      }
    });
  };

  return {
    name: 'http',
    promise: 'HTTP itself is served as its standards say',
    subjects: known.map(({ path, operations: own }) => ({
      title: path,
      operations: own,
      run: () => run(own),
    })),
  };
};
