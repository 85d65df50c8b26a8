export {
  type ErrorBody,
  overloaded,
  PROBLEMS,
  Problem,
  problem,
  type Refusal,
  titleOf,
} from './problems/problem.ts';
export { stub } from './reply/stub.ts';
export {
  type ApiKeyAuthenticator,
  type Authenticator,
  type Authenticators,
  andThen,
  type BasicAuthenticator,
  type BearerAuthenticator,
  hasScope,
  type Principal,
  type RequestAuthenticator,
} from './security.ts';
