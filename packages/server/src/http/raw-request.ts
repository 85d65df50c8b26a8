import type { Request } from 'express';

// Handlers get the request of Express as `request.raw`.
declare module '@trellis/contract/internal/raw-request' {
  interface RawRequest extends Request {}
}
