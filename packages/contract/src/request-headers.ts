/** Header fields by name in lower case, as Node parses them. */
export interface RequestHeaders {
  readonly [name: string]: string | string[] | undefined;
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
  readonly 'content-length'?: string | undefined;
  readonly 'content-type'?: string | undefined;
  readonly 'transfer-encoding'?: string | undefined;
}
