import { send as sendTo } from '../../../packages/server/tests/auth/jwt-service.ts';

/** The reply to POST /plants, as far as authentication decides it. */
export const send = (service: { url: string }, token: string) => sendTo(service, token, '/plants');
