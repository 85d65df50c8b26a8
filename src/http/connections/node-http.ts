/**
 * What we use of node:http. An `import` of it would read every property that it has, and with `WebSocket` the whole
 * of Node's fetch: on Node 24 a tenth of the start.
 */
export const { createServer, IncomingMessage, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');
