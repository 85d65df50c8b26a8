import { replaceServers } from '@trellis/contract/internal';
import type { Document } from '@trellis/openapi/internal/document';
import { dumpExact, withAdditional } from '@trellis/openapi/internal/document';
import { toJson } from '@trellis/openapi/internal/json';
import { type Asset, createAsset } from './page.ts';

/** The document with servers that are relative to it (OpenAPI 3.1, section 4.8.5), so that it is right behind any proxy. */
const withRelativeServers = (document: Document): unknown =>
  replaceServers(document, (path) => [
    { url: `.${path}`, description: 'The server that this document was loaded from' },
  ]);

const shown = (document: Document): unknown => withAdditional(withRelativeServers(document));

/** The contract as JSON. */
export const contractAsJson = (document: Document): Asset =>
  createAsset('application/json', toJson(shown(document)));

/** The contract as YAML. */
export const contractAsYaml = (document: Document): Asset =>
  createAsset('application/yaml', dumpExact(shown(document)));
