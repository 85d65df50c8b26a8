export {
  type Files,
  parsePage,
  readFiles,
  readLocal,
  showUrl,
  toServed,
} from '../files/load.ts';
