// The requested model and the stream flag, where the body carries them.
import { invalidRequest } from '../../domain/errors.ts'
import type { JsonObject } from '../../protocols/wire/json.ts'

export interface CallTarget {
  model_id: string
  streams: boolean
}

/** Reads `model` and `stream`. @throws GatewayError invalid_request without a model, or where `stream` is no boolean */
export function readCallTarget({ model, stream = false }: JsonObject): CallTarget {
  if (typeof model !== 'string' || model === '') {
    throw invalidRequest('model: must be the name of a model.', { param: 'model' })
  }
  if (typeof stream !== 'boolean' && stream !== null) {
    throw invalidRequest('stream: must be true or false.', { param: 'stream' })
  }
  return { model_id: model, streams: stream === true }
}
