import { createHash, timingSafeEqual } from 'node:crypto';
import basicAuth from '@fastify/basic-auth';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError } from './errors.ts';

interface User {
  readonly name: string;
  readonly isStaff: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    user: User | null;
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Lets in the users of a text such as `todd:s3cret,ada:t0psecret:staff`. */
export const authenticate = async (app: FastifyInstance, users: string): Promise<void> => {
  const known = new Map(
    users.split(',').map((entry) => {
      const [name = '', password = '', role] = entry.split(':');
      return [name, { name, isStaff: role === 'staff', hash: digest(password) }];
    }),
  );
  app.decorateRequest('user', null);
  await app.register(basicAuth, {
    authenticate: true,
    async validate(name, password, request) {
      const user = known.get(name);
      if (!user || !timingSafeEqual(user.hash, digest(password)))
        throw new HttpError(401, 'the name or the password is wrong');
      request.user = user;
    },
  });
  app.addHook('onRequest', app.basicAuth);
};

export const staffOnly = async ({ user }: FastifyRequest): Promise<void> => {
  if (!user?.isStaff) throw new HttpError(403, 'only staff may do this');
};
