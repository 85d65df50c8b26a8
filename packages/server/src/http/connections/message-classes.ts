import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addChunk, joinChunks, type Unread } from '@trellis/contract/internal';
import express, { type Express } from 'express';
import { addRequest, type Connection, pauseRest, removeRequest } from './connection.ts';
import * as http from './node-http.ts';
import type { Turns } from './turns.ts';

/** Replaces Node's own `_dump`, which reads and drops the rest of an answered request without limit. */
function dumpIfComplete(this: IncomingMessage): void {
  this.takeUnread?.();
  if (this.complete && this.readableLength > 0) this.resume();
}

/**
 * Replaces Node's `readableEnded`, which asks for the `end` of the stream. Bodies are read without it, and Node would
 * keep their requests in memory as long as the connection is idle.
 */
function isReadToTheEnd(this: IncomingMessage): boolean {
  return this.complete && this.readableLength === 0;
}

function beforeEarlyReply(this: ServerResponse): void {
  pauseRest(this);
}

declare module 'http' {
  interface IncomingMessage {
    /** Called before somebody reads the body for the first time. */
    beforeFirstRead?(): void;
  }
  interface ServerResponse {
    /** Called before another Express app may get the request: it replaces the prototypes by its own. */
    keepMethods?(): void;
  }
}

/** What Node's server makes of each request and its response. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse<IncomingMessage>;
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
  class Request extends http.IncomingMessage {
    /** What has arrived of the body before anybody read it. */
    private chunks: Buffer[] | undefined;
    private size = 0;
    private hasEnded = false;
    /** Whether somebody reads the stream. */
    private isRead = false;

    /**
     * Keeps what arrives until somebody reads it. Chunks are joined: in the stream, thousands of tiny ones would take a
     * hundred times their bytes. Once this returns false, Node reads no more until somebody reads the stream.
     */
    override push(chunk: Buffer | null): boolean {
      if (this.isRead || (chunk === null && !this.chunks)) return super.push(chunk);
      if (chunk === null) this.hasEnded = true;
      else {
        this.size += chunk.length;
        this.chunks = addChunk(this.chunks ?? [], chunk);
      }
      return this.size < this.readableHighWaterMark;
    }

    /** Called once somebody reads the stream. */
    override _read(size: number): void {
      const unread = this.takeUnread();
      if (unread) super.push(unread.bytes);
      if (unread?.hasEnded) super.push(null);
      else super._read(size);
    }

    override get unreadLength(): number {
      return this.chunks ? this.size : 0;
    }

    override takeUnread(): Unread | undefined {
      if (!this.isRead) this.beforeFirstRead?.();
      this.isRead = true;
      const { chunks, hasEnded } = this;
      this.chunks = undefined;
      return chunks && { bytes: joinChunks(chunks), hasEnded };
    }
  }
  class Response extends http.ServerResponse<Request> {
    constructor(request: Request) {
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
  Object.assign(Request.prototype, { _dump: dumpIfComplete });
  Object.defineProperty(Request.prototype, 'readableEnded', { get: isReadToTheEnd });
  const ofRequest = Object.getOwnPropertyDescriptors(Request.prototype);
  const ofResponse = Object.getOwnPropertyDescriptors(Response.prototype);
  function keepMethods(this: ServerResponse): void {
    Object.defineProperties(this.req, ofRequest);
    Object.defineProperties(this, ofResponse);
  }
  for (const source of [express.request, app.request])
    Object.defineProperties(Request.prototype, Object.getOwnPropertyDescriptors(source));
  for (const source of [express.response, app.response])
    Object.defineProperties(Response.prototype, Object.getOwnPropertyDescriptors(source));
  Object.assign(Response.prototype, { beforeEarlyReply, keepMethods });
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
};
