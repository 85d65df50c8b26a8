/**
 * Finds declared error responses in which the service cannot say why it refuses a request. It then answers without a
 * reason, or in its general shape, which the operation does not declare. Responses that declare the same are one warning.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { allOperations } from '@trellis/openapi/document';
import { followRefs, getOrInsert, oncePerKey, ownMember, pointerTo, valueAt } from '@trellis/openapi/json';
import type { ErrorBodyOf } from '@trellis/server/internal';
import { createRefusals, createValidators, keyFor, schemaRef } from '@trellis/server/internal';
import type { Fault } from './complaints.ts';
import { answeredFor } from './undeclared-statuses.ts';

/** The operations that declare the same in vain. */
interface Declared {
  readonly at: string;
  readonly first: string;
  count: number;
}

const INSTEAD = {
  general: 'it answers in its general shape instead',
  silent: 'it answers without a reason',
};

const REMEDY = 'declare application/problem+json, or JSON with a text for the message';

/**
 * The error bodies of the project in the current folder: `trellis.errorBody` in package.json names the module that exports
 * them, which may not be written yet.
 */
const loadErrorBody = async (): Promise<ErrorBodyOf | undefined> => {
  const manifest: unknown = JSON.parse(await readFile('package.json', 'utf8').catch(() => '{}'));
  const file = ownMember(ownMember(manifest, 'trellis'), 'errorBody');
  if (typeof file !== 'string' || !existsSync(file)) return undefined;
  const { tsImport } = await import('tsx/esm/api');
  const errorBody = ownMember(
    await tsImport(pathToFileURL(resolve(file)).href, import.meta.url),
    'errorBody',
  );
  return typeof errorBody === 'function' ? (refusal) => errorBody(refusal) : undefined;
};

/** The failures that an operation declares by name: the service may answer any of them. */
const failuresIn = (responses: unknown): string[] =>
  Object.keys(responses ?? {}).flatMap((key) => {
    if (key === '5XX') return ['500'];
    return /^5\d\d$/.test(key) ? [key] : [];
  });

/** Finds each way to declare an error response that cannot say an error. */
export const findUnsayableRefusals = async (document: unknown): Promise<Fault[]> => {
  const validators = createValidators(document, 'reply');
  const { toldAt } = createRefusals(document, {
    errorBody: await loadErrorBody(),
    validatorAt: oncePerKey((pointer: string) =>
      validators.compile({ properties: { body: schemaRef(pointer) } }),
    ),
  });
  const complaints = new Map<string, Declared>();

  const checkResponse = (responsesAt: string, status: string, first: string): void => {
    const key = keyFor(valueAt(document, responsesAt), Number(status));
    const responseAt = key === undefined ? undefined : followRefs(document, responsesAt + pointerTo(key));
    const told = responseAt === undefined ? 'reason' : toldAt(responseAt, Number(status));
    if (responseAt === undefined || told === 'reason') return;
    const types = Object.keys(ownMember(valueAt(document, responseAt), 'content') ?? {}).join(', ');
    const declared = `${key} as ${types}, in which the service cannot say what is wrong; ${INSTEAD[told]}`;
    getOrInsert(complaints, declared, () => ({ at: responsesAt, first, count: 0 })).count += 1;
  };

  for (const each of allOperations(document)) {
    const { itemAt, method, operation, title } = each;
    const answered = answeredFor(document, each).map(([status]) => status);
    for (const status of [...answered, ...failuresIn(operation.responses)])
      checkResponse(itemAt + pointerTo(method, 'responses'), status, title);
  }
  return [...complaints].map(([declared, { at, first, count }]) => {
    const others = count === 1 ? 'declares' : `and ${count - 1} more declare`;
    return { pointer: at, message: `${first} ${others} ${declared}; ${REMEDY}` };
  });
};
