export { textOf, writePairs, writeSegment } from './styles.ts';
