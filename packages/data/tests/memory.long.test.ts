import { promiseTheSame } from './promises.ts';

promiseTheSame(async () => 'memory:');
