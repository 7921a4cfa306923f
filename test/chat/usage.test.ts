// silent.md, "Chat completions": the usage is asked upstream always, and shown to the caller only on request.

import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { framed, INPUT_NANOS, MODELS, OUTPUT_NANOS, recorded, streamOf } from '../surfaces/world.ts'
import { BODY, chunksOf, SHOWN, useChat } from './scene.ts'

const scene = useChat()

describe('"stream_options.include_usage (asked upstream always, shown to the caller only on request)"', () => {
  const ways: [string, JsonObject][] = [
    ['nothing said', {}],
    ['said no', { stream_options: { include_usage: false } }],
    ['other options', { stream_options: { include_obfuscation: false } }],
    ['null', { stream_options: null }],
  ]
  test.each(ways)('%s: asked upstream, and not shown', async (_, said) => {
    const payloads = await scene.streamed(said)
    expect(scene.world.asked().stream_options).toEqual({
      ...((said.stream_options as JsonObject) ?? {}),
      include_usage: true,
    })
    for (const chunk of chunksOf(payloads)) expect(chunk.usage ?? null).toBeNull()
    expect(payloads).toEqual(
      recorded('openai', 'stream-text').filter((payload) => !payload.includes('"choices":[]')),
    )
    expect(await scene.world.lastCall()).toMatchObject({ estimated: 0, output_tokens: 24 })
  })
  test('on request it is shown, and every byte is the vendor’s', async () => {
    const text = await (await scene.post({ ...BODY, ...SHOWN })).text()
    expect(text).toBe(
      recorded('openai', 'stream-text')
        .map((payload) => framed('openai', payload))
        .join(''),
    )
  })
  test.each(['gemini', 'anthropic'] as const)(
    '%s: shown on request only, in a last chunk without choices',
    async (vendor) => {
      const shown = chunksOf(await scene.streamed({ ...SHOWN, model: MODELS[vendor] }))
      expect(shown.at(-1)).toMatchObject({
        choices: [],
        usage: { prompt_tokens: 14, completion_tokens: 24, total_tokens: 38 },
      })
      const hidden = chunksOf(await scene.streamed({ model: MODELS[vendor] }))
      for (const chunk of hidden) expect(chunk.usage ?? null).toBeNull()
      expect(hidden).toHaveLength(shown.length - 1)
    },
  )
  const told = { prompt_tokens: 20, completion_tokens: 12, total_tokens: 32 }
  const servers: [string, string[]][] = [
    [
      'beside the last choice',
      [
        '{"id":"1","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}',
        `{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":${JSON.stringify(told)}}`,
        '[DONE]',
      ],
    ],
    [
      'in every chunk',
      [
        `{"id":"1","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}],"usage":{"prompt_tokens":20,"completion_tokens":1,"total_tokens":21}}`,
        `{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":${JSON.stringify(told)}}`,
        '[DONE]',
      ],
    ],
  ]
  test.each(servers)(
    'servers that tell it %s: not shown unasked, billed all the same',
    async (_, payloads) => {
      scene.world.upstream.answer(streamOf('openai', payloads))
      const answered = await scene.streamed({})
      expect(answered.join('')).not.toContain('usage')
      expect(answered).toHaveLength(3)
      expect(answered.at(-1)).toBe('[DONE]')
      expect(await scene.world.lastCall()).toMatchObject({
        cost_nanos: 20 * INPUT_NANOS + 12 * OUTPUT_NANOS,
        estimated: 0,
      })
    },
  )
  test('a whole call is not asked for it, and shows it always', async () => {
    const answer = (await (await scene.post(BODY)).json()) as JsonObject
    expect(scene.world.asked()).not.toHaveProperty('stream_options')
    expect(answer.usage).toMatchObject({ prompt_tokens: 14, completion_tokens: 24 })
  })
})
