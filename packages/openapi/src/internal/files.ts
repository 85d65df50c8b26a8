export * from '../files/load.ts';
