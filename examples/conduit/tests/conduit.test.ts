import { after, before, describe, test } from 'node:test';
import { expect } from 'expect';
import { startConduit } from './start-conduit.ts';

const { call, register, publish, stop } = await startConduit();
after(stop);

test('a user registers, logs in, and is known by the token', async () => {
  const user = { username: 'Ann', email: 'ann@example.com', password: 'correct horse' };
  const registered = await call('POST', '/users', { body: { user } });
  const shown = {
    username: 'Ann',
    email: 'ann@example.com',
    bio: null,
    image: null,
    token: expect.any(String),
  };
  expect(registered).toMatchObject({ status: 201, body: { user: shown } });
  const { email, password } = user;
  const loggedIn = await call('POST', '/users/login', { body: { user: { email, password } } });
  expect(loggedIn).toMatchObject({ status: 200, body: { user: shown } });
  for (const { token } of [registered.body.user, loggedIn.body.user])
    for (const scheme of ['Token', 'token', 'Bearer'])
      expect(await call('GET', '/user', { headers: { authorization: `${scheme} ${token}` } })).toMatchObject({
        status: 200,
        body: { user: shown },
      });
});

test('a user changes the given members, and nothing else', async () => {
  const { username, email, password, token } = await register();
  const update = (user: object) => call('PUT', '/user', { token, body: { user } });
  const shown = { username, email, image: null, token: expect.any(String) };
  expect(await update({ bio: 'I prune figs.' })).toMatchObject({
    status: 200,
    body: { user: { ...shown, bio: 'I prune figs.' } },
  });
  expect((await update({ image: 'https://example.com/a.png', bio: null })).body.user).toMatchObject({
    image: 'https://example.com/a.png',
    bio: null,
  });
  expect((await update({})).status).toBe(200);
  const renamed = { username: `${username} the second`, email: `2.${email}` };
  expect((await update({ ...renamed, password: 'battery staple' })).body.user).toMatchObject(renamed);
  expect((await call('GET', '/user', { token })).body.user).toMatchObject(renamed);
  const logIn = async (user: object) => (await call('POST', '/users/login', { body: { user } })).status;
  expect(await logIn({ email, password })).toBe(401);
  expect(await logIn({ email: renamed.email, password })).toBe(401);
  expect(await logIn({ email: renamed.email, password: 'battery staple' })).toBe(200);
});

test('users follow each other, and repeating it changes nothing', async () => {
  const [ann, bob] = [await register(), await register()];
  const path = `/profiles/${encodeURIComponent(bob.username)}`;
  const seenBy = async (token?: string) => (await call('GET', path, { token })).body.profile;
  const profile = { username: bob.username, bio: null, image: null };
  for (const following of [true, true, false, false]) {
    const method = following ? 'POST' : 'DELETE';
    expect(await call(method, `${path}/follow`, { token: ann.token })).toMatchObject({
      status: 200,
      body: { profile: { ...profile, following } },
    });
    expect(await seenBy(ann.token)).toEqual({ ...profile, following });
    for (const token of [bob.token, undefined])
      expect(await seenBy(token)).toEqual({ ...profile, following: false });
  }
});

test('an article is published, read, changed and deleted', async () => {
  const { username, token } = await register();
  const article = { title: 'How to Prune a Fig!', description: 'In winter', body: 'Cut it.' };
  const created = await call('POST', '/articles', {
    token,
    body: { article: { ...article, tagList: ['fig', 'winter', 'fig'] } },
  });
  const shown = {
    ...{ ...article, slug: 'how-to-prune-a-fig', tagList: ['fig', 'winter'] },
    ...{ createdAt: expect.any(String), updatedAt: expect.any(String), favorited: false, favoritesCount: 0 },
    author: { username, bio: null, image: null, following: false },
  };
  expect(created).toMatchObject({ status: 201, body: { article: shown } });
  const path = '/articles/how-to-prune-a-fig';
  expect(await call('GET', path)).toMatchObject({ status: 200, body: created.body });
  const changed = await call('PUT', path, { token, body: { article: { body: 'Cut it twice.' } } });
  expect(changed.body.article).toMatchObject({ ...shown, body: 'Cut it twice.' });
  expect(Date.parse(changed.body.article.updatedAt)).toBeGreaterThanOrEqual(
    Date.parse(created.body.article.updatedAt),
  );
  const renamed = await call('PUT', path, { token, body: { article: { title: 'On Figs' } } });
  expect(renamed.body.article).toMatchObject({ title: 'On Figs', slug: 'on-figs', body: 'Cut it twice.' });
  expect((await call('GET', path)).status).toBe(404);
  expect(await call('DELETE', '/articles/on-figs', { token })).toMatchObject({
    status: 204,
    body: undefined,
  });
  for (const method of ['GET', 'DELETE'])
    expect((await call(method, '/articles/on-figs', { token })).status).toBe(404);
});

test('a slug has letters of any alphabet, and is never `feed`', async () => {
  const { token } = await register();
  for (const [title, slug] of [
    ['Größe & Maß: 100 %', 'größe-maß-100'],
    ['剪枝的方法', '剪枝的方法'],
    ['Feed', 'article-feed'],
    ['!?', 'article-'],
  ] as const) {
    expect(await publish(token, { title })).toBe(slug);
    expect((await call('GET', `/articles/${encodeURIComponent(slug)}`)).body.article.title).toBe(title);
  }
});

test('texts come back unchanged', async () => {
  const { token } = await register();
  const texts = [
    '\u202eright to left',
    '👩‍👩‍👧‍👦',
    "'; DROP TABLE person; --",
    '</script>',
    ' \t\n',
    'x'.repeat(50_000),
  ];
  for (const body of texts) {
    const slug = await publish(token, { body, description: body });
    expect((await call('GET', `/articles/${slug}`)).body.article).toMatchObject({ body, description: body });
  }
});

describe('articles are listed, the newest first', () => {
  let ann: Awaited<ReturnType<typeof register>>;
  let bob: typeof ann;
  let slugs: string[];
  before(async () => {
    [ann, bob] = [await register(), await register()];
    slugs = [];
    for (const tags of [['a'], ['a', 'b'], ['b'], ['c']])
      slugs.unshift(await publish(ann.token, { tagList: tags.map((tag) => `${tag} of ${ann.username}`) }));
    slugs.unshift(await publish(bob.token));
  });
  const list = async (query: Record<string, string>, token?: string) => {
    const { status, body } = await call('GET', `/articles?${new URLSearchParams(query)}`, { token });
    expect(status).toBe(200);
    return { slugs: body.articles.map(({ slug }: { slug: string }) => slug), count: body.articlesCount };
  };

  test('all of them, page by page, without their texts', async () => {
    const all = await list({ limit: '100' });
    expect(all.slugs.slice(0, 5)).toEqual(slugs);
    expect(await list({ limit: '2', offset: '1' })).toEqual({ slugs: slugs.slice(1, 3), count: all.count });
    expect(await list({ offset: '2147483647' })).toEqual({ slugs: [], count: all.count });
    const [first] = (await call('GET', '/articles?limit=1')).body.articles;
    expect(first).toMatchObject({ slug: slugs[0], author: { username: bob.username } });
    expect(first).not.toHaveProperty('body');
  });

  test('by tag, by author, by a user who favorited them, and by all at once', async () => {
    const [, , third = '', fourth = ''] = slugs;
    const tag = `b of ${ann.username}`;
    for (const slug of [third, fourth])
      await call('POST', `/articles/${slug}/favorite`, { token: bob.token });
    expect(await list({ tag })).toEqual({ slugs: [third, fourth], count: 2 });
    expect(await list({ author: ann.username })).toEqual({ slugs: slugs.slice(1), count: 4 });
    expect(await list({ favorited: bob.username })).toEqual({ slugs: [third, fourth], count: 2 });
    expect(
      await list({ tag: `a of ${ann.username}`, author: ann.username, favorited: bob.username }),
    ).toEqual({
      slugs: [fourth],
      count: 1,
    });
    for (const query of [
      { tag: 'none' },
      { author: 'none' },
      { favorited: 'none' },
      { tag, author: bob.username },
    ])
      expect(await list(query)).toEqual({ slugs: [], count: 0 });
  });

  test('in a feed, of the authors whom the caller follows', async () => {
    const { token } = await register();
    const feed = async (query = '') => (await call('GET', `/articles/feed${query}`, { token })).body;
    expect(await feed()).toEqual({ articles: [], articlesCount: 0 });
    await call('POST', `/profiles/${encodeURIComponent(ann.username)}/follow`, { token });
    const { articles, articlesCount } = await feed('?limit=2&offset=1');
    expect(articlesCount).toBe(4);
    expect(articles.map(({ slug }: { slug: string }) => slug)).toEqual(slugs.slice(2, 4));
    expect(articles[0].author).toMatchObject({ username: ann.username, following: true });
  });
});

test('articles are favorited, and repeating it changes nothing', async () => {
  const [ann, bob] = [await register(), await register()];
  const path = `/articles/${await publish(ann.token)}`;
  const seenBy = async (token?: string) => {
    const { favorited, favoritesCount } = (await call('GET', path, { token })).body.article;
    return [favorited, favoritesCount];
  };
  for (const [method, token, favorited, favoritesCount] of [
    ['POST', ann.token, true, 1],
    ['POST', ann.token, true, 1],
    ['POST', bob.token, true, 2],
    ['DELETE', ann.token, false, 1],
    ['DELETE', ann.token, false, 1],
  ] as const) {
    expect(await call(method, `${path}/favorite`, { token })).toMatchObject({
      status: 200,
      body: { article: { favorited, favoritesCount } },
    });
    expect(await seenBy(token)).toEqual([favorited, favoritesCount]);
  }
  expect([await seenBy(bob.token), await seenBy()]).toEqual([
    [true, 1],
    [false, 1],
  ]);
  expect(await seenBy('an expired token')).toEqual([false, 1]); // an invalid token is ignored where credentials are optional
});

test('articles are commented on, and authors delete their comments', async () => {
  const [ann, bob] = [await register(), await register()];
  const path = `/articles/${await publish(ann.token)}/comments`;
  const write = (token: string, body: string) => call('POST', path, { token, body: { comment: { body } } });
  const first = await write(ann.token, 'Thank you.');
  expect(first).toMatchObject({
    status: 200,
    body: { comment: { body: 'Thank you.', author: { username: ann.username, following: false } } },
  });
  const second = await write(bob.token, 'No, thank you.');
  await call('POST', `/profiles/${encodeURIComponent(bob.username)}/follow`, { token: ann.token });
  const { comments } = (await call('GET', path, { token: ann.token })).body;
  expect(comments).toEqual([
    { ...second.body.comment, author: { ...second.body.comment.author, following: true } },
    first.body.comment,
  ]);
  const { id } = first.body.comment;
  expect((await call('DELETE', `${path}/${id}`, { token: ann.token })).status).toBe(204);
  expect((await call('DELETE', `${path}/${id}`, { token: ann.token })).status).toBe(404);
  expect((await call('GET', path)).body.comments).toHaveLength(1);
  expect((await write(bob.token, 'Again')).body.comment.id).toBeGreaterThan(second.body.comment.id);
});

test('tags are listed as long as an article has them', async () => {
  const { token } = await register();
  const tag = `tag ${process.pid}`;
  const slug = await publish(token, { tagList: [tag] });
  const tags = async () => (await call('GET', '/tags')).body.tags;
  expect(await tags()).toContain(tag);
  await call('POST', `/articles/${slug}/favorite`, { token });
  await call('POST', `/articles/${slug}/comments`, { token, body: { comment: { body: 'Thanks' } } });
  expect((await call('DELETE', `/articles/${slug}`, { token })).status).toBe(204);
  expect(await tags()).not.toContain(tag);
});

describe('of many at once', () => {
  const atOnce = async (count: number, send: (nth: number) => Promise<{ status: number }>) =>
    (await Promise.all(Array.from({ length: count }, (_, nth) => send(nth))))
      .map(({ status }) => status)
      .sort();
  const oneOf = (count: number, status: number) => [status, ...Array.from({ length: count - 1 }, () => 409)];

  test('one gets a name', async () => {
    const password = 'correct horse';
    const user = (nth: number) => ({ username: 'The same', email: `same${nth}@example.com`, password });
    expect(await atOnce(5, (nth) => call('POST', '/users', { body: { user: user(nth) } }))).toEqual(
      oneOf(5, 201),
    );
  });

  test('one gets a slug', async () => {
    const { token } = await register();
    const article = { title: 'The same', description: 'figs', body: 'Prune them.', tagList: ['the same'] };
    const body = (nth: number) => ({ article: { ...article, body: `${nth}` } });
    expect(await atOnce(20, (nth) => call('POST', '/articles', { token, body: body(nth) }))).toEqual(
      oneOf(20, 201),
    );
    expect((await call('GET', '/articles?tag=the+same')).body.articlesCount).toBe(1);
    const others = await Promise.all(Array.from({ length: 5 }, () => publish(token)));
    const title = { article: { title: 'The same again' } };
    expect(await atOnce(5, (nth) => call('PUT', `/articles/${others[nth]}`, { token, body: title }))).toEqual(
      oneOf(5, 200),
    );
  });

  test('each favorite counts once', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, register));
    const path = `/articles/${await publish(people[0]?.token ?? '')}`;
    const tokens = [...people, ...people].map(({ token }) => token);
    const favorited = await atOnce(16, (nth) => call('POST', `${path}/favorite`, { token: tokens[nth] }));
    expect(favorited).toEqual(Array(16).fill(200));
    expect((await call('GET', path)).body.article.favoritesCount).toBe(8);
  });
});
