import { DATABASES, type Machine, SERVICES } from './recipe.ts';

/** The leader, or the replica that its commits wait for. */
export type Role = 'primary' | 'synchronous';

/** Requests the state of a program; a failed request is not an error. */
const ask = async (url: string): Promise<{ ok: boolean; text: string }> => {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(1000) });
    return { ok: reply.ok, text: await reply.text() };
  } catch {
    return { ok: false, text: '' };
  }
};

/** Creates functions that read the state of a cluster. */
export const createState = (urlOf: (machine: Machine, port: number) => string) => {
  /** The machines with a role, by Patroni's report. */
  const machinesAs = async (role: Role): Promise<Machine[]> => {
    const replies = await Promise.all(DATABASES.map((machine) => ask(`${urlOf(machine, 8008)}/${role}`)));
    return DATABASES.filter((_, nth) => replies[nth]?.ok);
  };

  const theOne = async (role: Role): Promise<Machine> => {
    const [one, ...others] = await machinesAs(role);
    if (!one || others.length > 0) throw new Error(`not one ${role}, but ${[one, ...others]}`);
    return one;
  };

  /** Whether all programs run, on one timeline, with a leader and a synchronous replica. */
  const isWhole = async (): Promise<boolean> => {
    const roles = [await machinesAs('primary'), await machinesAs('synchronous')].flat();
    const members = await Promise.all(DATABASES.map((machine) => ask(`${urlOf(machine, 8008)}/patroni`)));
    const timelines = members.map(({ text }) => /"state": "running".*"timeline": (\d+)/s.exec(text)?.[1]);
    const checks = await Promise.all([
      ...DATABASES.map((machine) => ask(`${urlOf(machine, 2379)}/health`)),
      ...SERVICES.map((machine) => ask(`${urlOf(machine, 3000)}/readyz`)),
    ]);
    const isOneTimeline = new Set(timelines).size === 1 && timelines[0] !== undefined;
    return roles.length === 2 && checks.every(({ ok }) => ok) && isOneTimeline;
  };
  return { machinesAs, theOne, isWhole };
};
