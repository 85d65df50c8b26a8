/**
 * Tests a service against its contract: sends valid and invalid requests generated from openapi.yaml and checks every
 * reply. Without a URL it starts the service of this project from its sources, on a temporary store. See --help.
 */
import { resolve } from 'node:path';
import { runCommand } from '@trellis/contract-tests';
import { PRODUCT } from '../src/product.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
  name: 'npm run test:contract --',
  version: PRODUCT.version,
  own: {
    args: ['--conditions=source', '--import', import.meta.resolve('tsx'), resolve('src/main.ts')],
    spec: 'openapi.yaml',
  },
});
