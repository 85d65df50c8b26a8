export {
  type Files,
  loadDocument,
  parsePage,
  type ReadText,
  readContract,
  readFiles,
  readLocal,
  showUrl,
  toServed,
} from './files/load.ts';
