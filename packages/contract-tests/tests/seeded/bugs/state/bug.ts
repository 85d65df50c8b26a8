import { type OperationId, withKin } from '../../service/routes.ts';
import type { Bug, Call, Handlers, Library, Reply } from '../../service/variant.ts';

/** Some operations do something else. */
export const bug = (
  names: readonly OperationId[],
  handlers: (right: Handlers, library: Library) => Partial<Handlers>,
): Bug => ({
  // Wrongly stored data may show in any operation on it.
  names: withKin(names),
  handlers,
});

/** Answers the same to the same address, whatever has happened since. */
export const caches = (operation: OperationId, also: readonly OperationId[]): Bug =>
  bug([operation, ...also], (right) => {
    const known = new Map<string, Reply>();
    return {
      [operation]: (call: Call) => {
        const key = `${call.path}?${call.query}`;
        const reply = known.get(key) ?? right[operation](call);
        if (reply.status === 200) known.set(key, reply);
        return reply;
      },
    };
  });
