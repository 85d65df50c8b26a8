import type { OpenAPIV3, OpenAPIV3_1 } from 'openapi-types';

/** An OpenAPI document: 3.0 or 3.1. */
export type Document = OpenAPIV3_1.Document | OpenAPIV3.Document;
