import { after, describe, test } from 'node:test';
import { expect } from 'expect';
import { type Sending, startConduit } from './start-conduit.ts';

const { call, tokens, register, publish, stop } = await startConduit();
after(stop);

const ann = await register();
const bob = await register();
const slug = await publish(ann.token);
const comment = { comment: { body: 'Thank you.' } };
const { id } = (await call('POST', `/articles/${slug}/comments`, { token: ann.token, body: comment })).body
  .comment;

const { token } = ann;
const article = { title: 'A title', description: 'About figs', body: 'Prune them.' };
const newArticle = (changes: object): Sending => ({ token, body: { article: { ...article, ...changes } } });
const newUser = (changes: object): Sending => ({
  body: { user: { username: 'carl', email: 'carl@example.com', password: 'correct horse', ...changes } },
});
const withHeader = (authorization: string): Sending => ({ headers: { authorization } });
const [header, , signature] = token.split('.');
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Wrong requests, each with the status that it gets. */
type Case = readonly [what: string, method: string, path: string, sending: Sending, status: number];

const CREDENTIALS: readonly Case[] = [
  ['no token', 'GET', '/user', {}, 401],
  ['an empty header', 'GET', '/user', withHeader(''), 401],
  ['a scheme without a token', 'GET', '/user', withHeader('Token'), 401],
  ['another scheme', 'GET', '/user', withHeader(`Basic ${btoa('ann:correct horse')}`), 401],
  ['a token without a scheme', 'GET', '/user', withHeader(token), 401],
  ['a malformed token', 'GET', '/user', { token: 'a.b.c' }, 401],
  ['an expired token', 'GET', '/user', { token: tokens.sign(1n, Date.now() - 1000) }, 401],
  [
    'a token with other claims',
    'GET',
    '/user',
    { token: `${header}.${encode({ sub: '2', exp: 1e10 })}.${signature}` },
    401,
  ],
  ['a token with another signature', 'GET', '/user', { token: `${token.slice(0, -3)}abc` }, 401],
  [
    'a token without a signature',
    'GET',
    '/user',
    { token: `${encode({ alg: 'none' })}.${encode({ sub: '1', exp: 1e10 })}.` },
    401,
  ],
  ['a wrong token and a wrong body', 'POST', '/articles', { token: 'a.b.c', body: '{' }, 401],
  [
    'a wrong password',
    'POST',
    '/users/login',
    { body: { user: { email: ann.email, password: 'wrong' } } },
    401,
  ],
  [
    'an unknown e-mail address',
    'POST',
    '/users/login',
    { body: { user: { email: 'no@example.com', password: 'wrong' } } },
    401,
  ],
];

const NAMES: readonly Case[] = [
  ['a username that is taken', 'POST', '/users', newUser({ username: ann.username }), 409],
  ['an e-mail address that is taken', 'POST', '/users', newUser({ email: ann.email }), 409],
  [
    'a change to a username that is taken',
    'PUT',
    '/user',
    { token: bob.token, body: { user: { username: ann.username } } },
    409,
  ],
  [
    'a change to an e-mail address that is taken',
    'PUT',
    '/user',
    { token: bob.token, body: { user: { email: ann.email } } },
    409,
  ],
  ['a slug that is taken', 'POST', '/articles', newArticle({ title: slug }), 409],
];

const OTHERS: readonly Case[] = [
  [
    'the article of another user changed',
    'PUT',
    `/articles/${slug}`,
    { token: bob.token, body: { article: { body: 'x' } } },
    403,
  ],
  ['the article of another user deleted', 'DELETE', `/articles/${slug}`, { token: bob.token }, 403],
  [
    'the comment of another user deleted',
    'DELETE',
    `/articles/${slug}/comments/${id}`,
    { token: bob.token },
    403,
  ],
];

const UNKNOWN: readonly Case[] = [
  ['an unknown slug', 'GET', '/articles/none', {}, 404],
  ['an unknown slug changed', 'PUT', '/articles/none', { token, body: { article: { body: 'x' } } }, 404],
  ['an unknown slug deleted', 'DELETE', '/articles/none', { token }, 404],
  ['an unknown slug favorited', 'POST', '/articles/none/favorite', { token }, 404],
  ['an unknown slug no longer favorited', 'DELETE', '/articles/none/favorite', { token }, 404],
  ['comments on an unknown slug', 'GET', '/articles/none/comments', {}, 404],
  ['a comment on an unknown slug', 'POST', '/articles/none/comments', { token, body: comment }, 404],
  ['an unknown comment', 'DELETE', `/articles/${slug}/comments/9223372036854775807`, { token }, 404],
  ['a comment under another slug', 'DELETE', `/articles/none/comments/${id}`, { token }, 404],
  ['an unknown profile', 'GET', '/profiles/none', {}, 404],
  ['an unknown profile followed', 'POST', '/profiles/none/follow', { token }, 404],
  ['an unknown profile no longer followed', 'DELETE', '/profiles/none/follow', { token }, 404],
  ['an unknown path', 'GET', '/nowhere', {}, 404],
  ['a slug with an encoded slash', 'GET', '/articles/a%2Fb', {}, 404],
  ['a slug with an encoded quote', 'GET', "/articles/'%20OR%201=1%20--", {}, 404],
  ['a very long slug', 'GET', `/articles/${'a'.repeat(8000)}`, {}, 404],
  ['a method that the path does not have', 'PATCH', `/articles/${slug}`, { token, body: {} }, 405],
];

const PATHS: readonly Case[] = [
  ['a slug that is no UTF-8', 'GET', '/articles/%ff', {}, 422],
  ['a slug with half an encoding', 'GET', '/articles/100%', {}, 422],
  ['a slug with U+0000', 'GET', '/articles/a%00b', {}, 422],
  ['a filter with U+0000', 'GET', '/articles?tag=%00', {}, 422],
  ['an id that is no integer', 'DELETE', `/articles/${slug}/comments/1.5`, { token }, 422],
  ['an id beyond int64', 'DELETE', `/articles/${slug}/comments/9223372036854775808`, { token }, 422],
  ...['0', '-1', '101', '1.5', '1e1', '0x10', '', ' 5', 'NaN', '9223372036854775808', '1'.repeat(400)].map(
    (limit): Case => [
      `a limit of ${limit.slice(0, 20)}`,
      'GET',
      `/articles?limit=${encodeURIComponent(limit)}`,
      {},
      422,
    ],
  ),
  ...['-1', '2147483648', '9223372036854775807', '9223372036854775808', '1e400', 'x'].map(
    (offset): Case => [`an offset of ${offset}`, 'GET', `/articles/feed?offset=${offset}`, { token }, 422],
  ),
  ['a limit twice', 'GET', '/articles?limit=1&limit=2', {}, 422],
];

const BODIES: readonly Case[] = [
  ['no body', 'POST', '/articles', { token }, 422],
  ['an empty body', 'POST', '/articles', { token, body: '' }, 422],
  ['a body that is no JSON', 'POST', '/articles', { token, body: '{"article":' }, 422],
  ['a body with a single quote', 'POST', '/articles', { token, body: "{'article': {}}" }, 422],
  ...[null, [], 5, 'text', {}, { article: null }, { article: [] }, { article: 5 }, { article: {} }].map(
    (body): Case => [
      `the body ${JSON.stringify(body)}`,
      'POST',
      '/articles',
      { token, body: JSON.stringify(body) },
      422,
    ],
  ),
  ...['title', 'description', 'body'].flatMap((member): Case[] => [
    ...[undefined, null, 5, true, [], {}, ''].map(
      (value): Case => [
        `${member}: ${JSON.stringify(value)}`,
        'POST',
        '/articles',
        newArticle({ [member]: value }),
        422,
      ],
    ),
    [`${member} with U+0000`, 'POST', '/articles', newArticle({ [member]: 'a\0b' }), 422],
    [`${member} with half a character`, 'POST', '/articles', newArticle({ [member]: 'a\ud800b' }), 422],
  ]),
  ['a title of 201 characters', 'POST', '/articles', newArticle({ title: 'a'.repeat(201) }), 422],
  ['tags that are no list', 'POST', '/articles', newArticle({ tagList: 'fig' }), 422],
  ['tags that are null', 'POST', '/articles', newArticle({ tagList: null }), 422],
  ['a tag that is a number', 'POST', '/articles', newArticle({ tagList: [5] }), 422],
  ['a tag that is empty', 'POST', '/articles', newArticle({ tagList: [''] }), 422],
  ['a tag with U+0000', 'POST', '/articles', newArticle({ tagList: ['\0'] }), 422],
  ['21 tags', 'POST', '/articles', newArticle({ tagList: Array(21).fill('fig') }), 422],
  ['an empty comment', 'POST', `/articles/${slug}/comments`, { token, body: { comment: { body: '' } } }, 422],
  [
    'a change to an empty title',
    'PUT',
    `/articles/${slug}`,
    { token, body: { article: { title: '' } } },
    422,
  ],
  ['a change to no title', 'PUT', `/articles/${slug}`, { token, body: { article: { title: null } } }, 422],
  ['a user without a password', 'POST', '/users', newUser({ password: undefined }), 422],
  ['a short password', 'POST', '/users', newUser({ password: '1234567' }), 422],
  ['a very long password', 'POST', '/users', newUser({ password: 'a'.repeat(201) }), 422],
  ['a malformed e-mail address', 'POST', '/users', newUser({ email: 'ann' }), 422],
  ['a username of 65 characters', 'POST', '/users', newUser({ username: 'a'.repeat(65) }), 422],
  ['a username that is null', 'PUT', '/user', { token, body: { user: { username: null } } }, 422],
  ['a bio that is a number', 'PUT', '/user', { token, body: { user: { bio: 5 } } }, 422],
  ['a bio with half a character', 'PUT', '/user', { token, body: '{"user":{"bio":"\\udc00"}}' }, 422],
  [
    'another media type',
    'POST',
    '/articles',
    { ...newArticle({}), headers: { 'content-type': 'text/plain' } },
    415,
  ],
  [
    'another character set',
    'POST',
    '/articles',
    { ...newArticle({}), headers: { 'content-type': 'application/json; charset=latin1' } },
    415,
  ],
  ['a very long text', 'POST', '/articles', newArticle({ body: 'a'.repeat(200_000) }), 413],
];

const KINDS = {
  credentials: CREDENTIALS,
  names: NAMES,
  'changes to the work of others': OTHERS,
  'names and paths that do not exist': UNKNOWN,
  'paths and queries': PATHS,
  bodies: BODIES,
};
for (const [kind, cases] of Object.entries(KINDS))
  describe(`wrong ${kind}`, () => {
    for (const [what, method, path, sending, status] of cases)
      test(what, async () => {
        expect(await call(method, path, sending)).toMatchObject({ status });
      });
  });

test('the wrong requests have changed nothing', async () => {
  expect((await call('GET', '/user', { token })).body.user).toMatchObject({
    username: ann.username,
    email: ann.email,
  });
  expect((await call('GET', `/articles/${slug}`)).body.article).toMatchObject({
    ...article,
    title: expect.any(String),
  });
  expect((await call('GET', `/articles/${slug}/comments`)).body.comments).toHaveLength(1);
  expect((await call('GET', '/articles')).body.articlesCount).toBe(1);
});

test('members that the contract does not declare change nothing', async () => {
  const { username, email, token } = await register();
  const user = {
    id: 777,
    bio: 'mine',
    token: 'x',
    follower_id: 1,
    constructor: 1,
    __proto__: { username: 'x' },
  };
  expect(await call('PUT', '/user', { token, body: { user } })).toMatchObject({
    status: 200,
    body: { user: { username, email, bio: 'mine' } },
  });
  expect((await call('PUT', '/user', { token, body: { user: { id: 777 } } })).status).toBe(200);
  expect((await call('GET', '/user', { token })).body.user).toMatchObject({ username, email, bio: 'mine' });
  const { favorited, favoritesCount } = (
    await call('POST', '/articles', {
      token,
      body: { article: { ...article, favoritesCount: 9, author_id: 1, id: 1 } },
    })
  ).body.article;
  expect([favorited, favoritesCount]).toEqual([false, 0]);
  const path = '/articles/a-title';
  await call('PUT', path, {
    token,
    body: { article: { slug: 'stolen', author_id: 1, id: 1, created_at: 'never' } },
  });
  expect((await call('GET', path)).body.article).toMatchObject({ author: { username } });
});

test('refusals name each place that is wrong', async () => {
  const { body } = await call('POST', '/users', { body: { user: { username: '', email: 'ann' } } });
  expect(body.errors.body).toHaveLength(3);
  expect(body.errors.body).toEqual(
    expect.arrayContaining(
      ['username', 'email', 'password'].map((name) => expect.stringContaining(`body.user.${name} `)),
    ),
  );
  expect((await call('GET', '/articles?limit=0')).body).toEqual({
    errors: { body: ['query.limit must be >= 1'] },
  });
  expect((await call('POST', '/users', newUser({ email: ann.email }))).body).toEqual({
    errors: { body: ['email is already taken'] },
  });
});
