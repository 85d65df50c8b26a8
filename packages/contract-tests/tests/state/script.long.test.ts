import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { examineShop } from './examine.ts';
import { SHOP_TOKEN, startShop } from './shop.ts';

/** The status of the last answer when the lines of a failure are run in a shell. */
const paste = async (told: string): Promise<string | undefined> => {
  const [, ...lines] = told.split('\n');
  const env = { PATH: process.env.PATH, TOKEN: SHOP_TOKEN };
  const { stdout } = await promisify(execFile)('sh', ['-c', lines.join('\n')], { env });
  return stdout.match(/HTTP\/1.1 \d+/g)?.at(-1);
};

test('the script of a failure shows it again, and shows nothing wrong of a right shop', async () => {
  const [wrong, right] = [await startShop({ deleted: () => {} }), await startShop()];
  const told = await examineShop(wrong, 1, '/things', 80);
  const script = told.find((each) => each.includes('a deleted thing cannot be read: status 200')) ?? '';
  expect(script).toMatch(/-X DELETE "http:.*\/things\/\$ID\d?"/);
  expect(await paste(script)).toBe('HTTP/1.1 200');
  expect(await paste(script.replaceAll(wrong.url, right.url))).toBe('HTTP/1.1 404');
  await wrong.close();
  await right.close();
}, 120_000);
