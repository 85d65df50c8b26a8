import { postHeadTo } from '../../support/raw-http.ts';

/** The head of POST /plants with a valid token, and the fields that a test is about. */
export const postHead = (...fields: string[]): string => postHeadTo('/plants', ...fields);

/** A whole POST /plants with a valid token. */
export const postRequest = (body: string, ...fields: string[]): string =>
  postHead(`Content-Length: ${Buffer.byteLength(body)}`, ...fields) + body;
