/** Starts thread.ts from the sources, since Node 20 does not read TypeScript. Built packages start thread.js itself. */
require('tsx/cjs/api').register();
require('./thread.ts');
