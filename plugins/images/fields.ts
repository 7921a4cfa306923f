// The fields of a request against their schema.
import type { Static, TObject } from '@sinclair/typebox'
import { faultsIn, fits } from '../../src/domain/validation.ts'
import { refusalOf } from '../../src/http/refusal.ts'

/**
 * Checks the fields of a request. A field that is null counts as absent, as it does at OpenAI.
 * @throws GatewayError invalid_request about the first field at fault, which is its `param`
 */
export function checkFields<S extends TObject>(
  schema: S,
  values: Readonly<Record<string, unknown>>,
): Static<S> {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
  if (fits(schema, given)) return given
  const [first] = faultsIn(schema, given)
  throw refusalOf(first ? [first] : [], 'field')
}
