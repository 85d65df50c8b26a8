import { chmod, chown, stat } from 'node:fs/promises';
import { mountSmallDisk, whyNoSmallDisk } from '../../../scripts/support/small-disk.ts';
import { usePostgres } from '../../service/support/postgres.ts';
import { temporaryFolders } from '../../support/temporary.ts';

const postgres = usePostgres();
const mounted: (() => void)[] = [];
afterAll(() => {
  for (const unmount of mounted) unmount(); // after PostgreSQL has stopped, and before the folders go
});
const makeFolder = temporaryFolders();

/** A store whose table is on a separate small disk: with its log there, PostgreSQL itself would end. */
const openOnSmallDisk = async () => {
  const url = await postgres.createDatabase();
  const session = await postgres.openSession(url);
  const [found] = (await session.query<{ data_directory: string }>('SHOW data_directory')).rows;
  const folder = await makeFolder();
  await chmod(folder, 0o755); // for the user that PostgreSQL runs as
  const disk = await mountSmallDisk(folder, 4);
  mounted.push(disk.unmount);
  const { uid, gid } = await stat(found?.data_directory ?? '');
  await chown(disk.path, uid, gid);
  const plants = await postgres.openPlants(url);
  const tablespace = `disk_${mounted.length}`;
  await session.query(`CREATE TABLESPACE ${tablespace} LOCATION '${disk.path}'`);
  await session.query(`ALTER TABLE plants SET TABLESPACE ${tablespace}`);
  return { plants, disk };
};

const describeIfMountable = whyNoSmallDisk() === undefined ? describe : describe.skip;

describeIfMountable('PostgreSQL on a full disk (as root on Linux, or these are skipped)', () => {
  test('refuses creates, and serves once there is room', async () => {
    const { plants, disk } = await openOnSmallDisk();
    await disk.fill();
    await expect(plants.create({ id: 1n, name: 'Fern' })).rejects.toThrow('the store is full');
    await disk.clear();
    expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('created');
  });
});
