// The servers of Claude that fetch nothing: images and documents have to be in the request itself.

import { invalidRequest } from '../../domain/errors.ts'
import { VERTEX_AI } from '../../domain/servers/vertex.ts'
import type { MediaPart, Part } from '../canonical/parts.ts'
import type { ConversationRequest, TargetModel } from '../canonical/request.ts'

/**
 * https://github.com/BerriAI/litellm/issues/18430 (images), https://github.com/anthropics/anthropic-sdk-typescript/issues/1038
 * (documents).
 * @throws GatewayError invalid_request naming an image or document that is an address
 */
export function rejectAddresses({ turns }: ConversationRequest, { server }: TargetModel): void {
  if (server !== VERTEX_AI) return
  const address = turns
    .flatMap(({ parts }) => parts)
    .flatMap(mediaIn)
    .find(({ source }) => source.by === 'url')
  if (address)
    throw invalidRequest(
      `${address.at}: must be inline, because this model's server fetches no addresses. Send its bytes as base64, or choose another model.`,
      { param: address.at },
    )
}

function mediaIn(part: Part): readonly MediaPart[] {
  if (part.kind === 'tool_result') return part.content.filter((piece) => piece.kind !== 'text')
  return part.kind === 'image' || part.kind === 'document' ? [part] : []
}
