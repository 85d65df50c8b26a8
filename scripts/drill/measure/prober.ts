import { isDone, startChild } from './child.ts';
import { type Figures, isFigures } from './figures.ts';

const isByName = (answer: unknown): answer is Readonly<Record<string, Figures>> =>
  typeof answer === 'object' && answer !== null && Object.values(answer).every(isFigures);

/** Starts to ask services for /healthz every few milliseconds. End it when done. */
export const startProber = () => {
  const child = startChild(new URL('./probe.ts', import.meta.url));
  return {
    /** Watches a service under a name, in place of whichever had that name. */
    watch: (name: string, url: string) => child.ask(['watch', name, new URL(url).port], isDone),
    /** Forgets what was seen. */
    mark: () => child.ask(['mark'], isDone),
    /** How long the answers took since then; awaits one more of each service, for so long at most. */
    read: (patience: number) => child.ask(['read', patience], isByName),
    end: child.end,
  };
};

/** Something that asks for /healthz all the time. */
export type Prober = ReturnType<typeof startProber>;
