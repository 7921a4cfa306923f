// The choice of a request's passages: through to providers of the caller's own protocol, translated to all others.
import type { RequestFacts } from '../../../protocols/facts.ts'
import { type Registry, upstreamProtocol } from '../../../protocols/registry.ts'
import { type OwnProtocol, passThrough } from './pass-through.ts'
import type { Passage, Passages, TextRequest } from './passage.ts'
import { translation } from './translation.ts'

/** The passages of one request. @param own for providers of the caller's own protocol */
export function passagesOf(
  request: TextRequest,
  facts: RequestFacts,
  protocols: Registry,
  own: OwnProtocol,
): Passages {
  // Of one protocol, or of two: a list is found through sooner than a map is made.
  const made: Passage[] = []
  return ({ provider, model, endpoint, generation }) => {
    const { protocol: callers } = request.dialect
    const protocol = upstreamProtocol(protocols, {
      provider,
      model,
      endpoint,
      generation,
      caller: callers.name,
      facts,
    })
    for (const known of made) if (known.protocol === protocol) return known
    const passage =
      protocol.name === callers.name ? passThrough(request, protocol, own) : translation(request, protocol)
    made.push(passage)
    return passage
  }
}
