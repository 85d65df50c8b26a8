import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const deriveKey = promisify<string, Buffer, number, Buffer>(scrypt);

/** Hashes a password with a new salt. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(16);
  const key = await deriveKey(password, salt, 32);
  return `${salt.toString('base64')}.${key.toString('base64')}`;
};

/** Takes as long as a right hash, so that the time does not tell which users exist. */
const NOBODY = `${Buffer.alloc(16).toString('base64')}.${Buffer.alloc(32).toString('base64')}`;

/** Whether a password has a hash. */
export const isPassword = async (password: string, hash = NOBODY): Promise<boolean> => {
  const [salt, key] = hash.split('.').map((part) => Buffer.from(part, 'base64'));
  return salt !== undefined && key !== undefined && timingSafeEqual(await deriveKey(password, salt, 32), key);
};
