import type { IncomingMessage } from 'node:http';
import { addChunk, type BodySource, joinChunks } from '@trellis/contract/internal';
import type { OwnRequest } from './connection.ts';
import * as http from './node-http.ts';

/** A request of our server: the source of the bytes of its body. */
export interface BodyRequest extends OwnRequest, BodySource {
  /** Called before the body is read for the first time. */
  beforeFirstRead: (() => void) | undefined;
}

/** What arrives of a body is kept outside the stream until it is read. It is a class because Node's server creates it. */
export class BodyMessage extends http.IncomingMessage implements BodyRequest {
  beforeFirstRead: (() => void) | undefined;
  /** The chunks of the body that arrived before it was read. */
  private chunks: Buffer[] | undefined;
  private size = 0;
  private hasEnded = false;
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
    if (chunk === null) this.hasEnded = true;
    else {
      this.size += chunk.length;
      this.chunks = addChunk(this.chunks ?? [], chunk);
    }
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

  dropRest(): void {
    this.isDropped = true;
    this.resume();
  }

  /** Takes the chunks that arrived before the body was read. */
  takeUnread(): { readonly bytes: Buffer; readonly hasEnded: boolean } | undefined {
    if (!this.isRead) this.beforeFirstRead?.();
    this.isRead = true;
    const { chunks, hasEnded } = this;
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
