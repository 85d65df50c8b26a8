import { Problem } from '@trellis/contract';
import { titleOf } from '@trellis/contract/internal/handlers';
import { isTree } from '@trellis/openapi/internal/json';

/**
 * Converts an error of middleware or of a route that blames the client: an error of http-errors with a status of 4xx and
 * `expose`, or a path that Express cannot decode. `undefined` for any other error: its status may be the one that another
 * service has answered with.
 */
export const problemOfHttpError = (error: unknown): Problem | undefined => {
  if (!(error instanceof Error)) return undefined;
  const member = (name: string): unknown => Reflect.get(error, name); // http-errors has some in its prototypes
  const [status, headers] = [member('status'), member('headers')];
  if (!(typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 500))
    return undefined;
  if (member('expose') !== true && !(error instanceof URIError)) return undefined;
  const cause = error.message;
  // The message of a failed system call has a path of this machine.
  const message = member('syscall') === undefined && cause !== '' ? cause : titleOf(status);
  const fields = Object.entries(isTree(headers) ? headers : {}).map(([name, value]) => [name, String(value)]);
  return new Problem(status * 100, message, { headers: Object.fromEntries(fields), cause });
};
