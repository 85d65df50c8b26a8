export { writeBody } from './body.ts';
export { writeBasic } from './credentials.ts';
