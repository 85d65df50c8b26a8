export { writeBody } from './body.ts';
