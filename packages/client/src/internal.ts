export { writeBody } from './body.ts';
export { textOf, writePairs, writeSegment } from './styles.ts';
