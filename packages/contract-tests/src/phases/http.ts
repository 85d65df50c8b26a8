import type { Operation } from '../document/operations.ts';
import { createKnownPaths } from '../document/paths.ts';
import { headBesideGet, methodAttempts } from '../http/methods.ts';
import { pathAttempts } from '../http/paths.ts';
import { isMisunderstood } from '../http/rule.ts';
import { bracketAttempts, excessAttempts, type Variant, variantsOf } from '../http/variants.ts';
import { pathOf } from '../requests/call.ts';
import type { Probe } from '../requests/probe.ts';
import type { Findings } from '../run-check.ts';
import type { Session } from '../session.ts';
import { createCollector } from './collector.ts';
import type { Phase } from './phase.ts';
import { type Sample, takeSamples } from './samples.ts';

/** The phase about HTTP itself: methods, paths, and variants of valid requests. Its subjects are the paths of the contract. */
export const createHttpPhase = (session: Session): Phase => {
  const { contract, operations, callOf } = session;
  const { known, isKnown, methodsElsewhere } = createKnownPaths(operations);
  /** Paths may share undeclared neighbours: each is tried once. */
  const tried = new Set<string>();

  const run = async (own: readonly Operation[]): Promise<Findings> => {
    const { ask, askUsual, report, sendAndReport, findingsOf } = createCollector(session);
    const attemptsOf = (samples: readonly Sample[]): Probe[] => {
      const calls = samples.map(({ call }) => call);
      const [main] = calls;
      if (!main) return [];
      const path = pathOf(main.operation.path, main.parameters);
      const declared = own.map(({ method }) => method);
      const isNew = (unknown: string): boolean => !tried.has(unknown) && Boolean(tried.add(unknown));
      return [
        ...methodAttempts(calls, declared, methodsElsewhere(main.operation.path, path)),
        ...pathAttempts(main, (unknown) => isKnown(unknown) || !isNew(unknown)),
        ...calls.flatMap(excessAttempts),
        ...calls.flatMap((call) =>
          bracketAttempts(call, ({ schema }) => contract.request.shapeOf(schema) === 'array'),
        ),
      ];
    };

    /** Sends GET twice, to compare HEAD only with headers that do not change. */
    const tryHead = async ({ operation, call }: Sample): Promise<void> => {
      if (operation.method !== 'GET' || own.some(({ method }) => method === 'HEAD')) return;
      const judgedReplies = [await ask('GET', call), await ask('GET', call)];
      const replies = judgedReplies.flatMap(({ reply }) => reply ?? []);
      if (replies.length === judgedReplies.length)
        for (const each of headBesideGet(call, replies)) await sendAndReport(each);
    };

    /** Sends a variant of a valid request. If it fails, the original is sent again to find the cause. */
    const tryVariant = async ({ operation, valid }: Sample, { name, change }: Variant): Promise<void> => {
      const call = change(await callOf(operation, valid));
      const { reply, breach } = await ask(name, call, { mayHangUp: true });
      if (!isMisunderstood(reply)) return;
      if (isMisunderstood((await askUsual(operation, valid)).reply)) return;
      const what = `a valid request was refused with ${reply?.status ?? 'no answer'}`;
      report(name, call, { reply, breach: breach ?? { what, at: operation.at } });
    };

    return findingsOf(async () => {
      const samples = await takeSamples(session, own, askUsual);
      for (const each of attemptsOf(samples)) await sendAndReport(each);
      for (const sample of samples) await tryHead(sample);
      for (const sample of samples) {
        const { reply } = await askUsual(sample.operation, sample.valid);
        if (isMisunderstood(reply)) continue;
        for (const variant of variantsOf(sample.call)) await tryVariant(sample, variant);
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
