import type { Document } from '@trellis/openapi/internal/document';
import type { ContractReply, ContractRequest } from './adapter.ts';
import type { ContractRules } from './contract.ts';
import type { AnyHandlers } from './handler.ts';
import { noSuchPath, Problem } from './problems/problem.ts';
import type { HandlerLog } from './request/exchange.ts';

/** How a contract is served. */
export interface ContractOptions extends Partial<Omit<ContractRules, 'warn'>> {
  /** Gets the lines of handlers, warnings, and errors that are answered with 500; nothing is logged if not given. */
  readonly log?: HandlerLog;
}

/**
 * Compiles a document and its handlers into a function from a request to a reply. It opens no port: an adapter of a few
 * lines connects it with a server. Throws if document and handlers do not fit.
 *
 * @example
 * const contract = await createContract(await loadDocument('openapi.yaml'), handlers);
 * const reply = await contract({ method: 'GET', url: '/greetings/Fern', headers: {} });
 * console.log(reply.status, reply.body);
 */
export const createContract = async (
  document: Document,
  handlers: AnyHandlers,
  { log, ...options }: ContractOptions = {},
): Promise<(request: ContractRequest) => Promise<ContractReply>> => {
  // Loaded on demand: programs import this entry for `Problem` alone.
  const [
    { compileContract },
    { createBudget, bufferedBytesFor },
    { largestWholeBody },
    { createRefusal },
    adapter,
  ] = await Promise.all([
    import('./contract.ts'),
    import('./body/budget.ts'),
    import('./body/limits.ts'),
    import('./reply/refusal/refusals.ts'),
    import('./adapter.ts'),
  ]);
  const warn = log && ((details: object, message: string) => log.warn(details, message));
  const rules = { authenticators: {}, maxBodyBytes: 102_400, ...options, warn };
  const serve = await compileContract(document, handlers, rules);
  const refuse = createRefusal(document, options.errorBody, warn);
  const openShare = createBudget(bufferedBytesFor(largestWholeBody(document, handlers, rules.maxBodyBytes)));
  return async (request) => {
    const exchange = adapter.toExchange(request, { share: openShare(() => request.address), refuse, log });
    try {
      const reply = serve(exchange);
      if (!reply) throw noSuchPath(request.url);
      return adapter.toReply(exchange, await reply);
    } catch (error) {
      if (!(error instanceof Problem)) log?.error({ err: error, requestId: exchange.id }, 'request failed');
      const problem = error instanceof Problem ? error : new Problem('internal', 'internal error');
      return adapter.toReply(exchange, exchange.refuse(problem));
    }
  };
};
