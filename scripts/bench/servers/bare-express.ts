/** Express 5 with one route, as its guide shows it. */
import { createServer } from 'node:http';
import express from 'express';
import { listen } from './settings.ts';

const app = express();
app.get('/healthz', (_request, response) => {
  response.json({ status: 'ok' });
});
listen(createServer(app));
