import { gzipSync } from 'node:zlib';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { build } from 'esbuild';
import { generateIn } from './generate.ts';

const makeFolder = temporaryFolders();
let folder: string;
beforeAll(async () => {
  folder = await makeFolder();
  await generateIn(folder);
}, 60_000);

/** Bundles a module for browsers. It fails on every API that only Node has. */
const bundle = async (contents: string) => {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: folder },
    conditions: ['source'],
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

const SAMPLE_PATHS = ['"/things"', '"/things/{id}"'];

test('the client is a few kilobytes for a browser, without third-party packages', async () => {
  const { text, files } = await bundle(`
    import { createClient } from './generated/client.ts';
    globalThis.client = createClient({ url: '/' });`);
  expect(files.filter((file) => file.includes('node_modules'))).toEqual([]);
  expect(SAMPLE_PATHS.filter((path) => !text.includes(path))).toEqual([]);
  const descriptions = await bundle(`
    import { operations } from './generated/client.ts';
    globalThis.operations = operations;`);
  expect(gzipSync(text).length - gzipSync(descriptions.text).length).toBeLessThan(5_000);
});

test('a client of some operations leaves out all others', async () => {
  const { text } = await bundle(`
    import { createClientOf } from './generated/client.ts';
    globalThis.client = createClientOf([], { url: '/' });`);
  expect(text).toContain('multipart');
  expect(SAMPLE_PATHS.filter((path) => text.includes(path))).toEqual([]);
});
