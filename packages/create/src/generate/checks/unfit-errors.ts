/** Finds the declared errors that no error body fits. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createErrorForms, type ErrorBodyOf } from '@trellis/contract/internal';
import { messageOf, ownMember, pointerTo } from '@trellis/openapi/internal/json';
import ts from 'typescript';
import { createErrorValidators, declaredErrors, ERROR_BODY } from '../errors/error-body.ts';
import type { Fault } from './complaints.ts';

/** Loads `errorBody` of the project, or of a text that is to be written. */
const loadErrorBody = async (text: string | undefined): Promise<ErrorBodyOf> => {
  const loaded: unknown =
    text === undefined
      ? await (await import('tsx/esm/api')).tsImport(pathToFileURL(resolve(ERROR_BODY)).href, import.meta.url)
      : await import(
          `data:text/javascript,${encodeURIComponent(ts.transpile(text, { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 }))}`
        );
  const errorBody = ownMember(loaded, 'errorBody');
  if (typeof errorBody === 'function') return (refusal) => errorBody(refusal);
  throw new Error('it has no errorBody');
};

/** The responses that declare an error which neither `errorBody` of the project nor the service can write. */
export const findUnfitErrors = async (document: unknown, text: string | undefined): Promise<Fault[]> => {
  const faults = new Map<string, Fault>();
  try {
    const formAt = createErrorForms(document, createErrorValidators(document), await loadErrorBody(text));
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
