import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import express, { type Express } from 'express';
import * as http from './node-http.ts';

/**
 * Express gives every request and response another prototype as it comes in, which costs V8 more than all the
 * rest of Express does. Born of these classes they have the prototypes that the app wants, and keep them.
 */
export const createMessageClasses = (
  app: Express,
  onAsked: (response: ServerResponse, socket: Socket) => void,
  onAnswered: (response: ServerResponse, socket: Socket) => void,
) => {
  class Request extends http.IncomingMessage {}
  class Response extends http.ServerResponse<Request> {
    constructor(request: Request) {
      super(request);
      onAsked(this, request.socket);
    }

    /** Node lets go of the socket once the whole answer has left us. */
    override detachSocket(socket: Socket): void {
      super.detachSocket(socket);
      onAnswered(this, socket);
    }
  }
  for (const source of [express.request, app.request])
    Object.defineProperties(Request.prototype, Object.getOwnPropertyDescriptors(source));
  for (const source of [express.response, app.response])
    Object.defineProperties(Response.prototype, Object.getOwnPropertyDescriptors(source));
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
};
