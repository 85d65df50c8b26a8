export { createPrettyLines } from './program/log/pretty-log.ts';
