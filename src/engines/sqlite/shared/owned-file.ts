import type { AskOwner } from '../../options.ts';
import type { SqliteSchema } from '../file.ts';
import type { Runner } from '../lasting-thread.ts';
import type { Answer, Ask } from '../thread.ts';

/** What the owner of a file is asked: to open it, and then what its thread is asked. */
export type OwnerAsk = { readonly path: string } & ({ readonly open: SqliteSchema } | { readonly ask: Ask });

/** Opens a file at the process that owns it, which runs the statements. */
export const openOwnedFile = async (
  path: string,
  schema: SqliteSchema,
  askOwner: AskOwner,
): Promise<Runner> => {
  const send = (what: OwnerAsk): Promise<never> => askOwner(what);
  await send({ path, open: schema });
  return {
    ask: <Row>(ask: Ask): Promise<Answer<Row>> =>
      send({ path, ask }).catch((cause: unknown) => ({ failure: { reason: 'unreachable', cause } })),
    async close() {}, // the owner closes the file when no process needs it any more
  };
};
