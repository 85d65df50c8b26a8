import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import express, { type Express } from 'express';
import { holdRest } from './connection.ts';
import * as http from './node-http.ts';

/** In place of Node's own, which reads and drops what nobody has read of a request, without bound, once it is answered. */
function dumpIfComplete(this: IncomingMessage): void {
  if (this.complete) this.resume();
}

function answerEarly(this: ServerResponse): void {
  holdRest(this);
}

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
  Object.assign(Request.prototype, { _dump: dumpIfComplete });
  Object.assign(Response.prototype, { answerEarly });
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
};
