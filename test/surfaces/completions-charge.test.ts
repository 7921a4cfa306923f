// The charge of a legacy completion: that of the same chat completion, to the nano-dollar, whole and streamed.
import { expect, test } from 'bun:test'
import { readRecording, streamOf, wantsStream } from '../support/replay.ts'
import { MODELS, PROTOCOLS, threeProviders } from '../support/three-providers.ts'
import { whole } from '../support/upstream.ts'

const { upstream, call, lastCall } = await threeProviders()

const SURFACES = {
  '/v1/chat/completions': { messages: [{ role: 'user', content: 'Why are there tides?' }] },
  '/v1/completions': { prompt: 'Why are there tides?' },
} as const

test.each(PROTOCOLS.flatMap((provider) => [false, true].map((streams) => [provider, streams] as const)))(
  'a %s model, streamed %p',
  async (provider, streams) => {
    upstream.answer((seen) =>
      wantsStream(seen)
        ? streamOf(provider, readRecording(provider, 'stream-text'))
        : whole(readRecording(provider, 'whole-text')[0]),
    )
    const costs: unknown[] = []
    for (const [path, body] of Object.entries(SURFACES)) {
      const response = await call(path, { ...body, model: MODELS[provider], stream: streams })
      expect(response.status).toBe(200)
      await response.text()
      const { cost_nanos, input_tokens, output_tokens, thinking_tokens, estimated } = await lastCall()
      costs.push({ cost_nanos, input_tokens, output_tokens, thinking_tokens, estimated })
    }
    expect(costs[0]).toMatchObject({ estimated: 0 })
    expect(costs[1]).toEqual(costs[0])
  },
)
