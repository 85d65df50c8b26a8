import type { OpenAPIV3, OpenAPIV3_1 } from 'openapi-types';
import { isTree, ownMember, type Tree } from '../json/pointer.ts';

/** An OpenAPI document of version 3.0 or 3.1. */
export type Document = OpenAPIV3_1.Document | OpenAPIV3.Document;

const versionOf = (document: unknown): string => String(ownMember(document, 'openapi'));

/** Whether a value says that it is an OpenAPI document of a version that is served. */
export const isServed = (value: unknown): value is Tree =>
  isTree(value) && /^3\.[012](?:\.|$)/.test(versionOf(value));

/** Whether a document is of OpenAPI 3.0. */
export const isOld = (document: unknown): boolean => /^3\.0\b/.test(versionOf(document));

/** Whether a document is of OpenAPI 3.2. */
export const isNewer = (document: unknown): boolean => /^3\.2\b/.test(versionOf(document));
