import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long a request waits for a first byte before others make way for it. */
const PATIENCE_MS = 500;

const destroyThis = function (this: Duplex): void {
  this.destroy();
};

/**
 * Keeps idle connections from doing harm. What arrives on one belongs to no request, and must not be taken for the next
 * reply. And a service that serves one connection at a time would never come to a request on another one.
 */
export const createIdleCare = (agent: Agent) => {
  const hungry = new Set<object>();
  const keep = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  agent.keepSocketAlive = (socket) => {
    if (hungry.size > 0) return false;
    socket.on('data', destroyThis);
    return keep(socket);
  };
  agent.reuseSocket = (socket, request) => {
    socket.off('data', destroyThis);
    reuse(socket, request);
  };
  const closeIdle = (): void => {
    for (const sockets of Object.values(agent.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  };

  /** Watches a request until it is settled: as long as nothing has come for it, idle connections are closed. */
  return (isWaiting: () => boolean): (() => void) => {
    const request = {};
    const timer = setTimeout(() => {
      if (!isWaiting()) return;
      hungry.add(request);
      closeIdle();
    }, PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      hungry.delete(request);
    };
  };
};
