// A program that translates one very long stream, and prints by how much its memory grew: for stream-memory.test.ts.

import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { pump } from '../../src/upstream/pump.ts'
import { PlainSignal } from '../../src/utilities/plain-signal.ts'
import { translateStream } from './conversion.ts'

const [surface, provider, events, piece_bytes] = Bun.argv.slice(2)
const EVENTS = Number(events)
/** Growth is counted from here on, once the runtime has warmed up. */
const WARM_EVENTS = EVENTS / 5
const TEXT = 'x'.repeat(Number(piece_bytes))

const DELTA: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: `data: {"candidates":[{"content":{"parts":[{"text":"${TEXT}"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1}}\n\n`,
  anthropic: `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${TEXT}"}}\n\n`,
  openai: `data: {"id":"1","choices":[{"index":0,"delta":{"content":"${TEXT}"},"finish_reason":null}]}\n\n`,
}
const START: Partial<Record<BuiltInProtocol, string>> = {
  anthropic:
    'event: message_start\ndata: {"type":"message_start","message":{"id":"1","usage":{"input_tokens":1,"output_tokens":1}}}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
}
const END: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'data: {"candidates":[{"finishReason":"STOP","index":0}]}\n\n',
  anthropic:
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\nevent: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
  openai: 'data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
}

const to = surface as BuiltInProtocol
const from = provider as BuiltInProtocol

/** Each event in two packets, so that the first always waits for the second. */
function* packets(): Generator<Buffer> {
  yield Buffer.from(START[from] ?? ': begins\n\n')
  for (let event = 0; event < EVENTS; event++) {
    const bytes = Buffer.from(DELTA[from])
    yield bytes.subarray(0, 40)
    yield bytes.subarray(40)
  }
  yield Buffer.from(END[from])
}

const source = packets()
const answer = pump({
  opened: {
    reader: {
      async read() {
        const { done, value } = source.next()
        return value ? { done: false, value } : { done: done === true }
      },
    },
  },
  relay: translateStream(to, from),
  gone: new PlainSignal(),
  read_by: 'gateway',
  abortUpstream: () => undefined,
  drain_timeout_ms: 0,
  settle: async () => undefined,
  renderError: (cause) => JSON.stringify(String(cause)),
})

let bytes = 0
let chunks = 0
let warm_bytes = 0
let most_bytes = 0
for await (const chunk of answer) {
  bytes += chunk.length
  chunks++
  if (chunks % 1_000 !== 0) continue
  Bun.gc(true)
  const used = process.memoryUsage.rss()
  if (chunks <= WARM_EVENTS) warm_bytes = Math.max(warm_bytes, used)
  most_bytes = Math.max(most_bytes, used)
}
process.stdout.write(JSON.stringify({ chunks, bytes, grown_bytes: most_bytes - warm_bytes }))
