export { writeBasic } from './credentials.ts';
