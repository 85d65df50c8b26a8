/** Serves the documents that are made to be hard: what takes a body gives it back, the rest answers 204. */
import { type Asked, serve } from '../measure/serve.ts';
import { CLASSES } from './classes.ts';
import { documentOf, operationsOf } from './document.ts';

const document = documentOf(CLASSES);

const giveBack = async ({ body }: Asked) => ({ status: 200, body });
const answerNothing = async () => ({ status: 204 });
const takesJson = (id: string) => id !== 'takeForm' && id !== 'takeParts';

await serve(
  document,
  Object.fromEntries(
    operationsOf(document.paths).map(({ id, method }) => [
      id,
      method === 'post' && takesJson(id) ? giveBack : answerNothing,
    ]),
  ),
);
