import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { INSTALLED, tarballsIn } from '../../../../scripts/pack/pack.ts';

/** Serves the packed packages as a registry does: a page for each package, with its newest version, and its tarball. */
export const startRegistry = async (packed: string) => {
  const manifestOf = (name: string) =>
    JSON.parse(readFileSync(join(packed, INSTALLED, name, 'package.json'), 'utf8'));
  const server = createServer((request, response) => {
    const file = tarballsIn(packed).find((each) => request.url === `/${each}`);
    if (file !== undefined) return void response.end(readFileSync(join(packed, file)));
    const manifest = manifestOf(decodeURIComponent(request.url ?? '').replace('/@trellis/', ''));
    const { name, version } = manifest;
    const tarball = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
    const integrity = createHash('sha512')
      .update(readFileSync(join(packed, tarball)))
      .digest('base64');
    const dist = { tarball: `http://${request.headers.host}/${tarball}`, integrity: `sha512-${integrity}` };
    const page = { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/`,
    version: String(manifestOf('server').version),
    close: () => server.close().closeAllConnections(),
  };
};
