/**
 * What we use of node:http. An `import` would read every property of it, and reading `WebSocket` loads all of Node's
 * fetch: on Node 24 that takes a tenth of the start.
 */
export const { createServer, IncomingMessage, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');
