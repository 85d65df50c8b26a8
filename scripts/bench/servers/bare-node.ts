/** The least that Node can do: one answer to whatever is sent. */
import { createServer } from 'node:http';
import { listen } from './settings.ts';

listen(
  createServer((_request, response) => {
    const payload = '{"status":"ok"}';
    response
      .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': payload.length })
      .end(payload);
  }),
);
