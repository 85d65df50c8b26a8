import { Problem } from '../problems/problem.ts';

/**
 * Answers a method that a path does not have: OPTIONS with the methods that it has (RFC 9110, section 9.3.7). Throws 405
 * for any other.
 */
export const answerOtherMethod = (method: string, path: string, methods: readonly string[]) => {
  const headers = { Allow: [...new Set([...methods, 'OPTIONS'])].join(', ') };
  if (method === 'OPTIONS') return { status: 204, headers, payload: '' };
  throw new Problem('noSuchMethod', `${method} is not allowed on ${path}; use ${methods.join(', ')}`, {
    headers,
  });
};
