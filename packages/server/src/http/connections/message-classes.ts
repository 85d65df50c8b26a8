import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import express, { type Express } from 'express';
import { ExchangeResponse } from '../observe/exchange.ts';
import { BodyMessage, type BodyRequest } from './body-message.ts';
import { addRequest, type Connection, removeRequest } from './connection.ts';
import type { Turns } from './turns.ts';

/** The classes of the requests and responses of a server. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage & (new (socket: Socket) => BodyRequest);
  readonly ServerResponse: typeof ServerResponse<BodyRequest>;
  /** Keeps the methods of a response and its request where another Express app replaces their prototypes. */
  readonly keepMethods: (response: ServerResponse) => void;
}

/**
 * Creates classes of requests and responses that have the prototypes of the app from the start. Express would otherwise
 * replace the prototypes of each request, which costs V8 more than all the rest of Express. Each request is noted in the
 * state of its connection, until it is answered.
 */
export const createMessageClasses = (
  app: Express,
  connections: ReadonlyMap<Socket, Connection>,
  turns: Turns,
): MessageClasses => {
  class Request extends BodyMessage {}
  class Response extends ExchangeResponse<BodyRequest> {
    constructor(request: BodyRequest) {
      super(request);
      const connection = connections.get(request.socket);
      if (connection) addRequest(connection, this);
    }

    /** Node detaches the socket once the whole answer is flushed. */
    override detachSocket(socket: Socket): void {
      super.detachSocket(socket);
      const connection = connections.get(socket);
      if (connection) removeRequest(connection, this, turns);
    }
  }
  const ofRequest = Object.getOwnPropertyDescriptors(BodyMessage.prototype);
  const ofResponse = Object.getOwnPropertyDescriptors(Response.prototype);
  const keepMethods = (response: ServerResponse): void => {
    Object.defineProperties(response.req, ofRequest);
    Object.defineProperties(response, ofResponse);
  };
  for (const source of [express.request, app.request])
    Object.defineProperties(Request.prototype, Object.getOwnPropertyDescriptors(source));
  for (const source of [express.response, app.response])
    Object.defineProperties(Response.prototype, Object.getOwnPropertyDescriptors(source));
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response, keepMethods };
};
