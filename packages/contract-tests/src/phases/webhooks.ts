import { once } from '@trellis/openapi/internal/json';
import type { Session } from '../session.ts';
import type { Outgoing } from '../webhooks/outgoing.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Findings, Phase } from './phase.ts';

/** The phase that reports the webhooks and callbacks that arrived, and their faults. */
export const createWebhooksPhase = ({ operations }: Session, webhooks: Webhooks): Phase => {
  const { outgoing, resultOf, strays, settle, requireSound } = webhooks;
  const expected = outgoing.filter(({ calledBy, place }) => calledBy === undefined || place);
  const wait = once(() => settle(expected));
  const lost = once(() => strays().map((request) => `no webhook or callback is received at ${request}`));
  const byName = new Map(expected.map(({ name }) => [name, expected.filter((each) => each.name === name)]));
  const tell = async (title: string, meant: readonly Outgoing[]): Promise<Findings> => {
    await wait();
    requireSound();
    const results = meant.map(resultOf);
    const sum = (of: 'arrived' | 'right'): number => results.reduce((total, each) => total + each[of], 0);
    const arrived = sum('arrived');
    return {
      received: { requests: arrived, accepted: sum('right'), refused: 0 },
      failures: results.flatMap(({ failures }) => [...failures.values()]),
      notes: [
        arrived === 0 ? `${title}: never arrived at ${meant[0]?.url}` : `${title}: arrived ${arrived} times`,
        ...lost(),
      ],
    };
  };

  return {
    name: 'webhooks',
    promise: 'webhooks and callbacks arrive as they are declared',
    subjects: [...byName].map(([title, meant]) => ({
      title,
      operations: operations.filter(({ id }) => id === meant[0]?.calledBy),
      run: () => tell(title, meant),
    })),
    unchecked: outgoing
      .filter((each) => !expected.includes(each))
      .map(({ calledBy = '' }) => ({
        what: 'callbacks, because their URL is not in the request',
        where: calledBy,
      })),
  };
};
