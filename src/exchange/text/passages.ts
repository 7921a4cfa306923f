// The choice of a request's passages: through to providers of the caller's own protocol, translated to all others.
import { type Registry, spokenTo } from '../../protocols/registry.ts'
import { type OwnProtocol, passThrough } from './pass-through.ts'
import type { Passage, Passages, TextRequest } from './passage.ts'
import { translation } from './translation.ts'

/** The passages of one request. @param own for providers of the caller's own protocol */
export function passagesOf(request: TextRequest, protocols: Registry, own: OwnProtocol): Passages {
  const made = new Map<string, Passage>()
  return (provider) => {
    const protocol = spokenTo(protocols, request.dialect.protocol, provider)
    const known = made.get(protocol.name)
    if (known) return known
    const passage =
      protocol.name === request.dialect.protocol.name
        ? passThrough(request, protocol, own)
        : translation(request, protocol)
    made.set(protocol.name, passage)
    return passage
  }
}
