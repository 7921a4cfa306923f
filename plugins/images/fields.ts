// Owns holding a request's fields against their schema: what is wrong is refused by its name.
import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler, type ValueError, ValueErrorType } from '@sinclair/typebox/compiler'
import { type GatewayError, invalidRequest } from '../../src/domain/errors.ts'

/** Of a name that a caller made up, this many characters are repeated to him. */
const MAX_NAME_CHARS = 64

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()

/**
 * Checks the fields of a request. A field that is null counts as absent, as it does at OpenAI.
 *
 * @throws GatewayError invalid_request, with the first field at fault as `param`
 */
export function checkFields<S extends TObject>(
  schema: S,
  values: Readonly<Record<string, unknown>>,
): Static<S> {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
  const check = compiled.get(schema) ?? TypeCompiler.Compile<TSchema>(schema)
  compiled.set(schema, check)
  const fault = check.Errors(given).First()
  if (fault) throw refusalOf(schema, fault)
  return given as Static<S>
}

function refusalOf(schema: TObject, { type, path, schema: expected }: ValueError): GatewayError {
  const param = nameOf(path)
  if (type === ValueErrorType.ObjectAdditionalProperties)
    return invalidRequest(
      `${param}: does not exist here. There are ${Object.keys(schema.properties).join(', ')}.`,
      {
        param,
      },
    )
  const missing = type === ValueErrorType.ObjectRequiredProperty
  return invalidRequest(
    `${param}: ${missing ? 'is missing; it must be' : 'must be'} ${String(expected.must)}.`,
    {
      param,
    },
  )
}

/** `/image_urls/0` (RFC 6901) as a caller would write it: `image_urls[0]`. */
const nameOf = (pointer: string): string =>
  pointer
    .slice(1)
    .replace(/\/(\d+)/g, '[$1]')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
    .slice(0, MAX_NAME_CHARS)
