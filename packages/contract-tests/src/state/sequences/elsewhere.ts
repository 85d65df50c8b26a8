import { textOf } from '../../values/json.ts';
import { Broken } from './broken.ts';
import { idsIn } from './lists.ts';
import { isDone, type World } from './world.ts';

/** Makes another of what the collection is a part of: its things must not be there. */
export const lookElsewhere = async (world: World): Promise<void> => {
  const { session, resource } = world;
  const { parent, read, list, shape, create } = resource;
  const [one] = world.known;
  const isInside = parent !== undefined && shape.startsWith(`${parent.shape}/`);
  const other = isInside && one && !one.isGone ? await session.things.makeNew(parent) : undefined;
  if (!other || !one || create.method !== 'POST') return;
  world.exchanges.push(...other.before.slice(-1));
  const id = textOf(one.thing.identity.value);
  const ids = [...other.ids, ...one.thing.ids.slice(other.ids.length)];
  if (read && !one.thing.identity.isClientMade) {
    const claim = 'a thing is only where it was created';
    const { status } = await world.ask(world.about({ ...one.thing, ids }, read), claim);
    if (isDone(status)) throw new Broken(claim, `status ${status}`, read);
  }
  const listing = await world.listAll('a list has only its own things', undefined, other);
  if (list && listing && idsIn(listing).includes(id) && !one.thing.identity.isClientMade)
    throw new Broken('a list has only its own things', `${id} is there`, list);
};
