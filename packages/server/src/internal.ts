export { compilePositions } from './contract/body/multipart/positions.ts';
export { isInt64 } from './contract/codec/needs-decoding.ts';
export { parameterDefault, parameterSchemaAt } from './contract/parameters/parameters.ts';
export { placeOf } from './contract/parameters/places.ts';
export { itemSchemaAt } from './contract/reply/streams.ts';
export { schemaRef } from './contract/validation/references.ts';
export { createValidationContext } from './contract/validation/validation-context.ts';
export { createValidators } from './contract/validation/validators.ts';
export { createPrettyLines } from './program/log/pretty-log.ts';
