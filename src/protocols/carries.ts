// The coverage of translation: each protocol's tables of fields and pieces, and the errors that follow from them.
import { type GatewayError, internal, invalidRequest } from '../domain/errors.ts'
import type { RequestFields } from './canonical/fields.ts'
import type { JsonObject } from './wire/json.ts'

/** `dropped`: left out silently, as the providers' own compatibility endpoints do. `refused`: answered with a 400 that names the field. */
export interface Loss {
  readonly fate: 'dropped' | 'refused'
  readonly why: string
}

/** @param why completes the sentence "it is left out, because …" */
export const dropped = (why: string): Loss => ({ fate: 'dropped', why })

/** @param why follows the field's name in the message to the caller */
export const refused = (why: string): Loss => ({ fate: 'refused', why })

export const NO_EFFECT: Loss = dropped('it changes how a provider serves the call, not the answer')
export const NO_VERBOSITY: Loss = dropped('other providers have no such setting')
export const SERVER_SIDE: Loss = refused('only its own provider has this feature')

/** A field that a request can set, apart from its conversation. */
export type RequestField = keyof RequestFields

/** The pieces of a conversation that some protocols cannot express. */
export type ConversationPiece =
  | 'image_url'
  | 'document'
  | 'document_url'
  | 'audio'
  | 'tool_result_image'
  | 'failed_tool_result'
  | 'answered_image'
  | 'json_without_schema'
  | 'late_system_message'
  | 'own_thinking'
  | 'thinking_of_others'
  | 'cut_arguments'

/** The tables of one protocol. Each thing has either its place in requests or the reason why translation loses it. */
export interface Carries {
  /** The protocol's models in error messages, such as "a Claude model". */
  readonly models: string
  /** The reason why its callers cannot get images that a model generates; absent if they can. */
  readonly lacks_images?: string
  readonly fields: Readonly<Record<RequestField, string | Loss>>
  readonly pieces: Readonly<Record<ConversationPiece, string | Loss>>
  /** Translation requests JSON without a schema by an instruction, so the gateway checks the answer. */
  readonly instructs_json?: true
  /** Fields of its requests that no other protocol has. A field in none of the tables is unknown, and refused. */
  readonly own_fields: Readonly<Record<string, Loss>>
}

const cannotCarry = (path: string, to: string, why: string): GatewayError =>
  invalidRequest(`${path} is not supported by ${to}: ${why}. Leave it out, or choose another model.`, {
    param: path,
  })

/**
 * Checks the names of the fields of a request, or of an object in it.
 * @param from the tables of the caller's protocol
 * @param known the fields that its decoder reads
 * @param within the object's place in the request; undefined for the request itself
 * @throws GatewayError invalid_request for an unknown field, and for a field that must not be lost
 */
export function rejectUncarried(
  { own_fields }: Carries,
  body: JsonObject,
  known: ReadonlySet<string>,
  within?: string,
): void {
  for (const [name, value] of Object.entries(body)) {
    if (known.has(name) || value === null) continue
    const path = within === undefined ? name : `${within}.${name}`
    const loss = Object.hasOwn(own_fields, path) ? own_fields[path] : undefined
    if (loss?.fate === 'dropped') continue
    throw cannotCarry(path, 'models of other providers', loss?.why ?? 'the gateway does not know this field')
  }
}

/**
 * Checks that a protocol has a place for each field that a request sets.
 * @param to the tables of the provider's protocol
 * @throws GatewayError invalid_request that names the field as the caller's protocol does
 */
export function rejectUnsupported(request: RequestFields & { readonly from: Carries }, to: Carries): void {
  for (const field of Object.keys(to.fields) as RequestField[]) {
    const place = to.fields[field]
    if (typeof place === 'string' || place.fate === 'dropped' || !isSet(request, field)) continue
    throw cannotCarry(placeIn(request.from.fields, field), to.models, place.why)
  }
}

/**
 * Refuses a model that generates images if its caller cannot get them: they would be lost, and charged.
 * @param from the tables of the caller's protocol
 * @throws GatewayError invalid_request that names the surfaces which can return images
 */
export function rejectLostImages({ lacks_images }: Carries): void {
  if (lacks_images === undefined) return
  throw invalidRequest(
    `model: returns images, and ${lacks_images}. Call it at /v1/chat/completions or the native endpoint, or choose another model.`,
    { param: 'model' },
  )
}

/**
 * The error for an image from a model whose name promises none; other models are refused earlier (`rejectLostImages`).
 * The provider is not at fault, so its key stays in use.
 * @param from as for `rejectLostImages`
 */
export const lostImageError = ({ lacks_images = 'an answer cannot contain images' }: Carries): GatewayError =>
  internal(
    `The model returned an image, and ${lacks_images}. Call the model at /v1/chat/completions or the native endpoint.`,
  )

/** The error for a piece of a conversation that translation cannot express. @param at its place in the caller's request */
export function unsupportedPiece(piece: ConversationPiece, to: Carries, at: string): GatewayError {
  const place = to.pieces[piece]
  return cannotCarry(at, to.models, typeof place === 'string' ? place : place.why)
}

/** A table's name for a thing; the thing's own name if the table has none. */
export function placeIn<K extends string>(table: Readonly<Record<K, string | Loss>>, thing: K): string {
  const place = table[thing]
  return typeof place === 'string' ? place : thing
}

/** The error for a field that the server does not accept, in the words of the caller's protocol. */
export const refusedByServer = (field: string): GatewayError =>
  cannotCarry(field, "this model's server", 'the server rejects it')

/** One candidate and no images are the defaults. */
export function isSet(request: RequestFields, field: RequestField): boolean {
  const value = request[field]
  if (field === 'candidates') return value !== undefined && value !== 1
  if (field === 'images') return value !== undefined && value !== false
  return Array.isArray(value) ? value.length > 0 : value !== undefined
}
