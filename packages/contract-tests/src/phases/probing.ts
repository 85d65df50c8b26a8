import { createBodyProbes } from '../requests/body-probes.ts';
import { createParameterProbes } from '../requests/parameter-probes.ts';
import { validProbeOf } from '../requests/probe.ts';
import { createSecurityProbes } from '../requests/security-probes.ts';
import { type Check, runCheck } from '../run-check.ts';
import type { Session } from '../session.ts';
import { eachOperation, type Phase } from './phase.ts';

/** The most requests of a check per requested request, however many violations a schema has. */
const MOST_PER_REQUEST = 20;

/** The phases that send generated requests, valid or with one fault. */
export const createProbingPhases = (session: Session): Phase[] => {
  const { contract, operations, bodies, requests, secretOf } = session;
  const most = requests * MOST_PER_REQUEST;
  const timesEach = Math.max(1, Math.ceil(requests / 25));
  const runs = Math.min(requests, 40);

  const phase = (name: string, promise: string, check: Check): Phase => ({
    name,
    promise,
    subjects: eachOperation(operations, (operation) => runCheck(session, operation, check)),
  });

  const few = { runs, timesEach, most };
  return [
    phase('valid', 'valid requests get a declared answer', {
      probesOf: (call) => [validProbeOf(call)],
      ...{ runs: requests, timesEach: requests, most },
    }),
    phase('parameters', 'broken parameters are refused', {
      probesOf: createParameterProbes(contract.request, operations),
      ...few,
    }),
    phase('bodies', 'broken bodies are refused', {
      probesOf: createBodyProbes(contract.request, bodies),
      ...few,
    }),
    phase('credentials', 'requests without valid credentials are refused', {
      probesOf: createSecurityProbes(operations, secretOf),
      ...few,
    }),
  ];
};
