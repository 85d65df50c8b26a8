/** Finds the declared errors that no error body fits. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createErrorForms, type ErrorBodyOf } from '@trellis/contract/internal';
import { messageOf, ownMember, pointerTo } from '@trellis/openapi/internal/json';
import { createErrorValidators, declaredErrors, ERROR_BODY } from '../errors/error-body.ts';
import type { Fault } from './complaints.ts';

/** Loads `errorBody` of the project. */
const loadErrorBody = async (): Promise<ErrorBodyOf> => {
  const { tsImport } = await import('tsx/esm/api');
  const loaded: unknown = await tsImport(pathToFileURL(resolve(ERROR_BODY)).href, import.meta.url);
  const errorBody = ownMember(loaded, 'errorBody');
  if (typeof errorBody === 'function') return (refusal) => errorBody(refusal);
  throw new Error('it has no errorBody');
};

/** The responses that declare an error which neither `errorBody`, by default the project's, nor the service can write. */
export const findUnfitErrors = async (document: unknown, errorBody?: ErrorBodyOf): Promise<Fault[]> => {
  const faults = new Map<string, Fault>();
  try {
    const formAt = createErrorForms(
      document,
      createErrorValidators(document),
      errorBody ?? (await loadErrorBody()),
    );
    for (const declared of declaredErrors(document))
      if (!formAt(declared))
        faults.set(declared.responseAt, {
          pointer: declared.responseAt + pointerTo('content'),
          message: `no error body fits, so { error, message } is sent; write one in ${ERROR_BODY}`,
        });
    return [...faults.values()];
  } catch (error) {
    return [{ pointer: '', message: `${ERROR_BODY} cannot be tried: ${messageOf(error)}` }];
  }
};
