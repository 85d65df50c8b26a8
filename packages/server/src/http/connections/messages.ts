import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addChunk, type BodySource, joinChunks } from '@trellis/contract/internal';
import express, { type Express } from 'express';
import { ExchangeResponse } from '../observe/exchange.ts';
import { type Connection, removeRequest } from './connection.ts';
import * as http from './node-http.ts';
import type { Turns } from './turns.ts';

/** A request of our server. What arrives of its body is kept outside the stream until it is read. */
export class BodyMessage extends http.IncomingMessage implements BodySource {
  // Node's server sets both.
  declare method: string;
  declare url: string;
  /** Called before the body is read for the first time. */
  beforeFirstRead: (() => void) | undefined;
  /** The chunks of the body that arrived before it was read. */
  private chunks: Buffer[] | undefined;
  private size = 0;
  private isRead = false;
  private isDropped = false;
  /** Gets the chunks in place of the stream. */
  private receiver: ((chunk: Buffer | null) => void) | undefined;
  private listener: ((bytes: number) => void) | undefined;

  get stream(): this {
    return this;
  }

  /**
   * Keeps what arrives until the body is read. Chunks are joined: in the stream, thousands of tiny ones would take a
   * hundred times their bytes. Once this returns false, Node reads no more until the stream is read.
   */
  override push(chunk: Buffer | null): boolean {
    if (this.isDropped) return chunk === null ? super.push(null) : true;
    this.listener?.(chunk?.length ?? 0);
    if (this.receiver) {
      this.receiver(chunk);
      if (!this.readableFlowing) return true; // otherwise another listener reads the stream, too
    }
    if (this.isRead || (chunk === null && !this.chunks)) return super.push(chunk);
    if (chunk === null) return true; // Node has set `complete`
    this.size += chunk.length;
    this.chunks = addChunk(this.chunks ?? [], chunk);
    return this.size < this.readableHighWaterMark;
  }

  /** Called once the stream is read. */
  override _read(size: number): void {
    const unread = this.takeUnread();
    if (unread) super.push(unread.bytes);
    if (unread?.hasEnded) super.push(null);
    else super._read(size);
  }

  /** A body does not go through the stream, whose events cost a request some 15 µs, unless it has other listeners. */
  takeChunks(onChunk: (chunk: Buffer) => void, onEnd: () => void): () => void {
    const unread = this.takeUnread();
    if (unread && unread.bytes.length > 0) onChunk(unread.bytes);
    if (unread?.hasEnded) {
      onEnd();
      return () => {};
    }
    for (let chunk: Buffer | null = this.read(); chunk; chunk = this.read()) onChunk(chunk);
    this.on('end', onEnd); // for a stream that has ended already
    this.receiveBy((chunk) => (chunk ? onChunk(chunk) : onEnd()));
    return () => this.receiveBy(undefined);
  }

  /**
   * V8 keeps a function that is written on the right of `object.name =` until the next major collection, and with it
   * the request. A function that is passed in is collected like any other.
   */
  private receiveBy(receiver: ((chunk: Buffer | null) => void) | undefined): void {
    this.receiver = receiver;
  }

  arrived(): number {
    return (this.chunks ? this.size : 0) + this.readableLength;
  }

  onArrival(listener: (bytes: number) => void): void {
    this.listener = listener;
  }

  /** Drops the rest of the request, whatever others do with its stream. */
  dropRest(): void {
    this.isDropped = true;
    this.resume();
  }

  /** Takes the chunks that arrived before the body was read. */
  takeUnread(): { readonly bytes: Buffer; readonly hasEnded: boolean } | undefined {
    if (!this.isRead) this.beforeFirstRead?.();
    this.isRead = true;
    const { chunks, complete: hasEnded } = this;
    this.chunks = undefined;
    return chunks && { bytes: joinChunks(chunks), hasEnded };
  }

  /** Replaces Node's own `_dump`, which reads and drops the rest of an answered request without limit. */
  _dump(): void {
    this.takeUnread();
    if (this.complete && this.readableLength > 0) this.resume();
  }
}

/**
 * Replaces Node's `readableEnded`, which asks for the `end` of the stream. Bodies are read without it, and Node would
 * keep their requests in memory as long as the connection is idle.
 */
function isReadToTheEnd(this: IncomingMessage): boolean {
  return this.complete && this.readableLength === 0;
}
Object.defineProperty(BodyMessage.prototype, 'readableEnded', { get: isReadToTheEnd });

/** The classes of the requests and responses of a server. */
export interface MessageClasses {
  readonly IncomingMessage: typeof BodyMessage;
  readonly ServerResponse: typeof ServerResponse<BodyMessage>;
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
  class Response extends ExchangeResponse<BodyMessage> {
    constructor(request: BodyMessage) {
      super(request);
      const connection = connections.get(request.socket);
      if (!connection) return;
      connection.unanswered.push(this);
      connection.latest = this;
    }

    /** Node detaches the socket once the whole answer is flushed. */
    override detachSocket(socket: Socket): void {
      super.detachSocket(socket);
      const connection = connections.get(socket);
      if (connection) removeRequest(connection, this, turns);
    }

    override keepMethods(): void {
      Object.defineProperties(this.req, ofRequest);
      Object.defineProperties(this, ofResponse);
    }
  }
  const ofRequest = Object.getOwnPropertyDescriptors(BodyMessage.prototype);
  const ofResponse = Object.getOwnPropertyDescriptors(Response.prototype);
  for (const source of [express.request, app.request])
    Object.defineProperties(Request.prototype, Object.getOwnPropertyDescriptors(source));
  for (const source of [express.response, app.response])
    Object.defineProperties(Response.prototype, Object.getOwnPropertyDescriptors(source));
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
};
