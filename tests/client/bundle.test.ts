import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { operations } from '../../src/client/client.ts';
import { ROOT } from '../support/scratch.ts';

/** What a bundler for browsers makes of a module. It fails on everything that only Node has. */
const bundle = async (contents: string) => {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return { text: outputFiles.map(({ text }) => text).join(''), files: Object.keys(metafile.inputs) };
};

const paths = Object.values(operations).map(({ path }) => `"${path}"`);

test('the client is a few kilobytes for a browser, without a package of somebody else', async () => {
  const { text, files } = await bundle(`
    import { createClient } from './src/client/client.ts';
    globalThis.client = createClient({ url: '/' });`);
  expect(files.filter((file) => file.includes('node_modules'))).toEqual([]);
  expect(paths.filter((path) => !text.includes(path))).toEqual([]);
  const descriptions = JSON.stringify(operations).length;
  expect(gzipSync(text).length).toBeLessThan(5_000 + descriptions);
});

test('a client of some operations leaves out all others', async () => {
  const { text } = await bundle(`
    import { createClientOf } from './src/client/client.ts';
    globalThis.client = createClientOf([], { url: '/' });`);
  expect(text).toContain('multipart');
  expect(paths.filter((path) => text.includes(path))).toEqual([]);
});
