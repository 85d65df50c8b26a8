export * from '../http/media-types.ts';
export * from '../http/styles.ts';
export * from '../http/styles.ts';
