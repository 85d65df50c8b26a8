import { isTree, valueAt } from '@trellis/openapi/json';
import { replaceVariables } from '../exchange/credentials.ts';
import { type Reply, single } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import { readJson } from '../values/json.ts';

/** A request as a file keeps it. `${secret:TOKEN}` stands for a credential, `${made:1}` for what an earlier reply gave. */
export interface SavedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: { readonly text: string } | { readonly base64: string } | null;
  /** What later requests need of the reply. */
  readonly gives: readonly SavedValue[];
}

/** A value in a reply: a member of its JSON body, or the end of its Location. */
export interface SavedValue {
  readonly name: string;
  /** A JSON pointer (RFC 6901) into the body; `null` for the Location. */
  readonly pointer: string | null;
}

/** A failing case. */
export interface SavedCase {
  readonly phase: string;
  readonly subject: string;
  readonly operation: string;
  /** The requests in their order; the last one got the wrong reply. */
  readonly requests: readonly SavedRequest[];
  /** What the last reply is judged by; `null` if the sequence was judged as a whole. */
  readonly expected: Omit<Probe, 'draft' | 'at'> | null;
  /** The place of the contract that was broken. */
  readonly pointer: string;
  /** The failure as it was reported. */
  readonly text: string;
}

/** A file of failing cases. */
export interface SavedFile {
  readonly version: 1;
  /** The seed and the number of requests of the run, for what can only be generated again. */
  readonly seed: number;
  readonly requestsPerOperation: number;
  readonly cases: readonly SavedCase[];
}

/** The placeholders of a saved request: of which kind, and for what. */
export const PLACEHOLDER = /\$\{(secret|made):([^}]*)\}/g;

/** Writes the placeholders of secrets as a file has them. */
export const markSecrets = (text: string): string => replaceVariables(text, (name) => `\${secret:${name}}`);

/** The placeholder of a value that an earlier reply gave. */
export const madePlaceholder = (name: string): string => `\${made:${name}}`;

/** An id as it is, given as it stands in paths. */
const unescaped = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** What a reply has where a saved value says. */
export const valueIn = ({ headers, body }: Reply, pointer: SavedValue['pointer']): string | undefined => {
  if (pointer === null) {
    const [path] = single(headers.location)?.split(/[?#]/, 1) ?? [];
    return path && unescaped(path.replace(/\/$/, '').replace(/^.*\//s, ''));
  }
  const value = valueAt(readJson(body), pointer);
  return value === undefined || isTree(value) ? undefined : String(value).toWellFormed();
};
