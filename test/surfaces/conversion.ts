// The protocols by name, and a stream's translation between two of them without a gateway around it.

import { ParsedBody } from '../../src/calls/kinds/text/body.ts'
import type { TextRequest } from '../../src/calls/kinds/text/passage.ts'
import { translation } from '../../src/calls/kinds/text/passages.ts'
import { NO_USAGE } from '../../src/domain/usage.ts'
import { STREAM_ERROR_EVENT } from '../../src/protocols/anthropic/errors.ts'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import { BUILT_IN_REGISTRY, type BuiltInProtocol } from '../../src/protocols/registry.ts'
import { eventFrame, type Relay } from '../../src/upstream/relay.ts'

const PROTOCOL_OF: Readonly<Record<BuiltInProtocol, Protocol>> = { gemini, anthropic, openai }

/** Translates a provider's stream for a caller of another protocol. */
export function translateStream(surface: BuiltInProtocol, provider: BuiltInProtocol): Relay {
  const frame = eventFrame(surface === 'anthropic' ? STREAM_ERROR_EVENT : undefined)
  const request: TextRequest = {
    dialect: { protocol: PROTOCOL_OF[surface], frame, raw: true, shows_usage: true },
    body: new ParsedBody(BUILT_IN_REGISTRY, {
      bytes: new Uint8Array(),
      json: {},
      keys: [],
      respelled: new Set(),
      counted: { values: 0, bare_bytes: 0 },
    }),
    streams: true,
    context: { id: 'call-1', model: 'asked', created_s: 1, shows_usage: true },
  }
  const { text } = PROTOCOL_OF[provider]
  const billed = () => ({ usage: NO_USAGE, estimated: false })
  return translation(request, PROTOCOL_OF[provider]).stream(text.stream.open(), {
    billed,
    service_tier: () => undefined,
    upstream_model: 'asked',
    restore: undefined,
  })
}
