// Exports for the light part of a server: a program that serves nothing loads no more than this.

export { noSuchPath, overloaded, titleOf } from './problems/problem.ts';
export { andThen } from './security/security.ts';
