import type { Document } from '@trellis/openapi/internal/document';
import type { ContractOptions, ContractReply, ContractRequest } from './adapter.ts';
import type { AnyHandlers } from './handler.ts';

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
  options: ContractOptions = {},
): Promise<(request: ContractRequest) => Promise<ContractReply>> => {
  // Loaded on demand: programs import this entry for `Problem` alone.
  const { connectContract } = await import('./adapter.ts');
  return connectContract(document, handlers, options);
};
