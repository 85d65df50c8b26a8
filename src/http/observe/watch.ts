import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Facts } from '../../contract/contract.ts';
import type { Problem } from '../../contract/problems/problem.ts';
import type { Metrics } from './metrics.ts';
import { createRequestIds } from './request-id.ts';
import { createRequestLog, type Log } from './request-log.ts';

/** A request and its reply, from the one to the other. */
export interface Exchange extends Facts {
  readonly id: string;
  readonly started: number;
  /** What went wrong, where something did. */
  error?: unknown;
  isOver: boolean;
  /** Tells the log and the figures how it ended; `undefined` if the client hung up before there was a reply. */
  readonly end: (response: ServerResponse, status: number | undefined) => void;
}

declare module 'http' {
  interface ServerResponse {
    /** What is known of the request travels with the response to it. */
    exchange?: Exchange;
  }
}

/** A request, with what Express adds to those that it has seen. */
type Asked = IncomingMessage & { readonly originalUrl?: string };

/** Longer than this no path is told. */
const LONGEST_PATH = 256;

/** Neither the query nor whatever stands before the path of an absolute target, since both may hold a secret. */
const pathOf = (target: string): string => {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  const isAbsolute = !path.startsWith('/');
  return (isAbsolute ? path.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '') : path).slice(0, LONGEST_PATH);
};

/** Sees every request: gives it an id, counts it, and writes its line into the log. */
export const createWatch = ({ log, metrics }: { readonly log: Log; readonly metrics: Metrics }) => {
  const nameRequest = createRequestIds();
  const write = createRequestLog(log);

  const report = (exchange: Exchange, status: number | undefined, request?: Asked): void => {
    if (exchange.isOver) return;
    exchange.isOver = true;
    const milliseconds = performance.now() - exchange.started;
    const { operation } = exchange; // none for what nobody serves, so that figures have a bound
    metrics.requests.count(operation ?? 'none', status, milliseconds / 1000);
    write(
      {
        requestId: exchange.id,
        method: request?.method,
        path: request && pathOf(request.originalUrl ?? request.url ?? ''),
        operation,
        who: exchange.principal?.name,
        status,
        ms: Math.round(milliseconds * 1000) / 1000,
      },
      exchange.error,
    );
  };

  const end: Exchange['end'] = (response, status) => {
    if (response.exchange) report(response.exchange, status, response.req);
  };

  const createExchange = (sentId?: string | string[]): Exchange => ({
    id: nameRequest(sentId),
    started: performance.now(),
    operation: undefined,
    principal: undefined,
    share: undefined,
    error: undefined,
    isOver: false,
    end,
  });

  return {
    /** Begins to watch a request, once. */
    open(request: IncomingMessage, response: ServerResponse): Exchange {
      response.exchange ??= createExchange(request.headers['x-request-id']);
      return response.exchange;
    },

    /** Notes a refusal that is written past the response, or where there is none; gives the id for it to carry. */
    refuse(problem: Problem, response?: ServerResponse): string {
      const exchange = response?.exchange ?? createExchange();
      exchange.error = problem;
      report(exchange, problem.status, response?.req);
      return exchange.id;
    },
  };
};

/** Sees every request. */
export type Watch = ReturnType<typeof createWatch>;
