export { createBodyReader } from '@trellis/contract/internal/body-reader';
