// Checks shared by JSON requests of speech, moderations and rerank: fields billed beyond their units, and unknown ones.
import type { FieldHandling } from '../../domain/catalogue.ts'
import { unknownField } from '../extras.ts'
import { type JsonObject, refusal } from '../wire/json.ts'
import { extras } from './extras.ts'

/**
 * These calls are priced by their units alone.
 *
 * @param known the fields that the call has
 * @throws GatewayError invalid_request naming what is billed beyond them, or an unknown field where the model refuses them
 */
export function rejectBeyondUnits(
  body: JsonObject,
  known: ReadonlySet<string>,
  unknown_fields: FieldHandling,
): void {
  const [extra] = extras.find(body, {})
  if (extra) throw refusal(extra.at, 'is billed beyond the units of this call. Leave it out.')
  if (unknown_fields === 'pass') return
  for (const name of Object.keys(body)) if (!known.has(name)) throw unknownField(name)
}
