// Owns which model a call asks for and whether it streams, for surfaces that say so in the body.

import { invalidRequest } from '../domain/errors.ts'
import type { JsonObject } from '../protocols/wire/json.ts'

/** What a caller asks for, before anything else is known of his call. */
export interface CallTarget {
  model_id: string
  streams: boolean
}

/**
 * The model and the way of answering that a body asks for.
 *
 * @throws GatewayError invalid_request without a model, or where `stream` is no boolean
 */
export function readCallTarget({ model, stream = false }: JsonObject): CallTarget {
  if (typeof model !== 'string' || model === '') {
    throw invalidRequest('model: must be the name of a model.', { param: 'model' })
  }
  if (typeof stream !== 'boolean' && stream !== null) {
    throw invalidRequest('stream: must be true or false.', { param: 'stream' })
  }
  return { model_id: model, streams: stream === true }
}
