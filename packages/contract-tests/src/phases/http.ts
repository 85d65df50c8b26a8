import type { Operation, Parameter } from '../document/operations.ts';
import { createKnownPaths } from '../document/paths.ts';
import { headBesideGet, methodAttempts, pathAttempts } from '../http/attempts.ts';
import { isMisunderstood } from '../http/rule.ts';
import { bracketAttempts, excessAttempts, type Variant, variantsOf } from '../http/variants.ts';
import { type Call, type Probe, pathOf } from '../requests/call.ts';
import type { Session } from '../session.ts';
import { type Collector, createCollector, type Sample, takeSamples } from './collector.ts';
import type { Findings, Phase } from './phase.ts';

/** Sends GET twice, to compare HEAD only with headers that do not change. */
const tryHead = async ({ ask, sendAndReport }: Collector, { call }: Sample): Promise<void> => {
  const judgedReplies = [await ask('GET', call), await ask('GET', call)];
  const replies = judgedReplies.flatMap(({ reply }) => reply ?? []);
  if (replies.length === judgedReplies.length)
    for (const each of headBesideGet(call, replies)) await sendAndReport(each);
};

/** Sends a variant of a valid request. If it fails, the original is sent again to find the cause. */
const tryVariant = async (
  { callOf }: Session,
  { ask, askUsual, report }: Collector,
  { operation, valid }: Sample,
  { name, change }: Variant,
): Promise<void> => {
  const call = change(await callOf(operation, valid));
  const { reply, breach } = await ask(name, call);
  if (!isMisunderstood(reply)) return;
  if (isMisunderstood((await askUsual(operation, valid)).reply)) return;
  const what = `a valid request was refused with ${reply?.status ?? 'no answer'}`;
  report(name, call, { reply, breach: (reply && breach) ?? { what, at: operation.at } });
};

/** The phase about HTTP itself: methods, paths, and variants of valid requests. Its subjects are the paths of the contract. */
export const createHttpPhase = (session: Session): Phase => {
  const { contract, operations } = session;
  const { known, isKnown, methodsElsewhere } = createKnownPaths(operations);
  const isList = ({ schema }: Parameter): boolean => contract.request.shapeOf(schema) === 'array';
  /** Paths may share undeclared neighbours: each is tried once. */
  const tried = new Set<string>();
  const isUseless = (path: string): boolean => isKnown(path) || tried.has(path) || !tried.add(path);

  const attemptsOf = (declared: readonly string[], calls: readonly Call[]): Probe[] => {
    const [main] = calls;
    if (!main) return [];
    const path = pathOf(main.operation.path, main.parameters);
    return [
      ...methodAttempts(calls, declared, methodsElsewhere(main.operation.path, path)),
      ...pathAttempts(main, isUseless),
      ...calls.flatMap(excessAttempts),
      ...calls.flatMap((call) => bracketAttempts(call, isList)),
    ];
  };

  const run = async (own: readonly Operation[]): Promise<Findings> => {
    const collector = createCollector(session);
    const declared = own.map(({ method }) => method);
    return collector.findingsOf(async () => {
      const samples = await takeSamples(session, own, collector.askUsual);
      const calls = samples.map(({ call }) => call);
      for (const each of attemptsOf(declared, calls)) await collector.sendAndReport(each);
      for (const sample of samples)
        if (sample.operation.method === 'GET' && !declared.includes('HEAD')) await tryHead(collector, sample);
      for (const sample of samples) {
        const { reply } = await collector.askUsual(sample.operation, sample.valid);
        if (isMisunderstood(reply)) continue;
        for (const variant of variantsOf(sample.call)) await tryVariant(session, collector, sample, variant);
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
