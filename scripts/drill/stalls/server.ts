/** Serves the document that is made to be hard. Operations with a JSON body return it, the others answer 204. */
import { type HandlerRequest, serve } from '../measure/serve.ts';
import { CLASSES } from './classes.ts';
import { documentOf, operationsOf } from './hard-document.ts';

const document = documentOf(CLASSES);
const echo = async ({ body }: HandlerRequest) => ({ status: 200, body });
const answerEmpty = async () => ({ status: 204 });

await serve(
  document,
  Object.fromEntries(
    operationsOf(document.paths).map(({ id, isEchoed }) => [id, isEchoed ? echo : answerEmpty]),
  ),
);
