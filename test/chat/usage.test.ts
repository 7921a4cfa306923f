// silent.md, Chat completions: the gateway always requests the usage upstream, and shows it to the caller only on request.
import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { frame, readRecording, streamOf } from '../support/replay.ts'
import { INPUT_NANOS, MODELS, OUTPUT_NANOS } from '../support/three-providers.ts'
import { stream } from '../support/upstream.ts'
import { BODY, chatScene, chunksOf, WITH_USAGE } from './support.ts'

const { upstream, upstreamBody, post, streamed, lastCall } = await chatScene()

describe('"stream_options.include_usage (asked upstream always, shown to the caller only on request)"', () => {
  const ways: [string, JsonObject][] = [
    ['no options', {}],
    ['false', { stream_options: { include_usage: false } }],
    ['other options', { stream_options: { include_obfuscation: false } }],
    ['null', { stream_options: null }],
  ]
  test.each(ways)('%s: requested upstream, and not shown', async (_, fields) => {
    const payloads = await streamed(fields)
    expect(upstreamBody().stream_options).toEqual({
      ...((fields.stream_options as JsonObject) ?? {}),
      include_usage: true,
    })
    for (const chunk of chunksOf(payloads)) expect(chunk.usage ?? null).toBeNull()
    expect(payloads).toEqual(
      readRecording('openai', 'stream-text').filter((payload) => !payload.includes('"choices":[]')),
    )
    expect(await lastCall()).toMatchObject({ estimated: 0, output_tokens: 24 })
  })
  test('on request it is shown, and every byte is the provider’s', async () => {
    const text = await (await post({ ...BODY, ...WITH_USAGE })).text()
    expect(text).toBe(
      readRecording('openai', 'stream-text')
        .map((payload) => frame('openai', payload))
        .join(''),
    )
  })
  test('otherwise it is dropped, and every other byte is the provider’s', async () => {
    const payloads = readRecording('openai', 'stream-text')
    const event = (payload: string) => `id: 7\r\ndata:${payload}\r\n\r\n`
    upstream.answer(stream(...payloads.map((payload) => ({ send: event(payload) }))))
    expect(await (await post({ ...BODY, stream: true })).text()).toBe(
      payloads
        .filter((payload) => !payload.includes('"choices":[]'))
        .map(event)
        .join(''),
    )
    expect(await lastCall()).toMatchObject({ estimated: 0, output_tokens: 24 })
  })
  test.each(['gemini', 'anthropic'] as const)(
    '%s: shown on request only, in a last chunk without choices',
    async (provider) => {
      const visible = chunksOf(await streamed({ ...WITH_USAGE, model: MODELS[provider] }))
      expect(visible.at(-1)).toMatchObject({
        choices: [],
        usage: { prompt_tokens: 14, completion_tokens: 24, total_tokens: 38 },
      })
      const hidden = chunksOf(await streamed({ model: MODELS[provider] }))
      for (const chunk of hidden) expect(chunk.usage ?? null).toBeNull()
      expect(hidden).toHaveLength(visible.length - 1)
    },
  )
  const reported = { prompt_tokens: 20, completion_tokens: 12, total_tokens: 32 }
  const servers: [string, string[]][] = [
    [
      'beside the last choice',
      [
        '{"id":"1","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}',
        `{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":${JSON.stringify(reported)}}`,
        '[DONE]',
      ],
    ],
    [
      'in every chunk',
      [
        `{"id":"1","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}],"usage":{"prompt_tokens":20,"completion_tokens":1,"total_tokens":21}}`,
        `{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":${JSON.stringify(reported)}}`,
        '[DONE]',
      ],
    ],
  ]
  test.each(servers)(
    'usage that servers report %s is not shown unless requested, and billed',
    async (_, payloads) => {
      upstream.answer(streamOf('openai', payloads))
      const got = await streamed({})
      expect(got.join('')).not.toContain('usage')
      expect(got).toHaveLength(3)
      expect(got.at(-1)).toBe('[DONE]')
      expect(await lastCall()).toMatchObject({
        cost_nanos: 20 * INPUT_NANOS + 12 * OUTPUT_NANOS,
        estimated: 0,
      })
    },
  )
  test('a whole call does not request it, and always shows it', async () => {
    const answer = (await (await post(BODY)).json()) as JsonObject
    expect(upstreamBody()).not.toHaveProperty('stream_options')
    expect(answer.usage).toMatchObject({ prompt_tokens: 14, completion_tokens: 24 })
  })
})
