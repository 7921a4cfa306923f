// Audio, moderations and rerank from the simulated provider, through a whole gateway with the catalogue that a first start writes.
import { afterAll, describe, expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { wholeDurationMs } from '../media/support.ts'
import { startTestGateway } from '../support/gateway.ts'

const gateway = await startTestGateway({ catalogue: FIRST_CATALOGUE })
afterAll(() => gateway.stop())
const key = await gateway.caller('10')
const sdk = new OpenAI({ apiKey: key, baseURL: new URL('/v1', gateway.url).href, maxRetries: 0 })

const TEXT = 'The sea comes and goes, and so do we.'
const lastCall = async () => await gateway.lastCall()

describe('speech', () => {
  test.each([
    ['mp3', 'audio/mpeg'],
    ['wav', 'audio/wav'],
  ] as const)('as %s: audio with its duration in the container', async (response_format, type) => {
    const answer = await sdk.audio.speech.create({
      model: 'sim-speech',
      input: TEXT,
      voice: 'alloy',
      response_format,
    })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    expect(answer.headers.get('content-type')).toBe(type)
    expect(Math.abs((wholeDurationMs(bytes) ?? 0) - (TEXT.length / 15) * 1_000)).toBeLessThan(50)
    expect(await lastCall()).toMatchObject({ cost_nanos: TEXT.length * 15_000, estimated: 0 })
  })

  test('as events', async () => {
    const answer = await sdk.audio.speech.create({
      model: 'sim-speech',
      input: TEXT,
      voice: 'alloy',
      stream_format: 'sse',
    })
    const text = await answer.text()
    expect(text).toContain('"type":"speech.audio.delta"')
    expect(text.trimEnd().split('\n\n').at(-1)).toContain('"type":"speech.audio.done"')
    expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: TEXT.length * 15_000 })
  })

  test('an unsupported format and a missing voice are refused', async () => {
    const ask = { model: 'sim-speech', input: TEXT }
    for (const wrong of [{ voice: 'alloy', response_format: 'opus' }, { voice: '' }] as const) {
      const response = await gateway.call('/v1/audio/speech', { ...ask, ...wrong }, { key })
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('message')])
    }
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })
})

/** Simulated speech, as a file. */
async function spokenFile() {
  const spoken = await sdk.audio.speech.create({
    model: 'sim-speech',
    input: TEXT,
    voice: 'alloy',
    response_format: 'wav',
  })
  return toFile(new Uint8Array(await spoken.arrayBuffer()), 'spoken.wav')
}

describe('speech is transcribed', () => {
  test('by its duration', async () => {
    const answer = await sdk.audio.transcriptions.create({ model: 'sim-whisper', file: await spokenFile() })
    expect(answer.text).toContain('2.467 seconds')
    expect(await lastCall()).toMatchObject({ estimated: 0, cost_nanos: 2_467 * 100 })
  })

  test('by tokens, as a stream', async () => {
    const stream = await sdk.audio.transcriptions.create({
      model: 'sim-transcribe',
      file: await spokenFile(),
      stream: true,
    })
    let text = ''
    for await (const event of stream) if (event.type === 'transcript.text.delta') text += event.delta
    expect(text).toContain('2.467 seconds')
    const call = await lastCall()
    expect(call).toMatchObject({ estimated: 0, streamed: 1, input_audio_tokens: 25 })
    expect(call?.cost_nanos).toBe(25 * 6_000 + (call?.output_tokens ?? 0) * 10_000)
  })

  test.each(['text', 'srt', 'vtt', 'verbose_json'] as const)(
    'as %s, and translated',
    async (response_format) => {
      const file = await spokenFile()
      for (const endpoint of [sdk.audio.transcriptions, sdk.audio.translations] as const) {
        const answer: unknown = await endpoint.create({
          model: 'sim-whisper',
          file,
          response_format,
        } as never)
        expect(JSON.stringify(answer)).toContain('2.467')
        expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: 2_467 * 100 })
      }
    },
  )
})

test('moderations: a text with the blocking word is flagged, others are not, at no cost', async () => {
  const { results, model } = await sdk.moderations.create({ input: ['A calm sea.', 'SIMULATE_BLOCK'] })
  expect([model, ...results.map(({ flagged }) => flagged)]).toEqual(['sim-moderation', false, true])
  expect(results[1]?.categories.violence).toBe(true)
  expect(await lastCall()).toMatchObject({ model: 'sim-moderation', cost_nanos: 0, hold_nanos: 0 })
})

test.each(['/v1/rerank', '/v2/rerank'])(
  '%s: the documents that share the most words with the query come first',
  async (path) => {
    const body = {
      model: 'sim-rerank',
      query: 'the moon and the tides',
      documents: ['wind', 'the moon', 'tides and the moon'],
      top_n: 2,
    }
    const response = await gateway.call(path, body, { key })
    const { results } = (await response.json()) as { results: { index: number }[] }
    expect(results.map(({ index }) => index)).toEqual([2, 1])
    expect(await lastCall()).toMatchObject({ cost_nanos: 2_000_000, estimated: 0 })
  },
)

test('the list of models has their kinds', async () => {
  const response = await gateway.call('/v1/models', undefined, { key })
  const { data } = (await response.json()) as { data: { id: string; kind: string }[] }
  const kinds = Object.fromEntries(data.map(({ id, kind }) => [id, kind]))
  expect(kinds).toMatchObject({
    'sim-speech': 'speech',
    'sim-whisper': 'transcription',
    'sim-moderation': 'moderation',
    'sim-rerank': 'rerank',
  })
})
