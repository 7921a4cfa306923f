// The answers of a simulated provider, and their usage.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { inFull, totalTokens } from '../../src/domain/usage.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { type Answer, ask, configured, createProvider, partsOf, textOf } from './provider.ts'
import { countTokens, tokenize } from './tokens.ts'

const provider = createProvider()
const countOf = (answer: Answer | undefined, name: string): number =>
  Number(answer?.usageMetadata?.[name] ?? 0)

describe('the prompt and the seed determine the text', () => {
  test('the same prompt and seed give the same answer', async () => {
    const [first, second] = [
      await provider.whole('flash', ask('Tides?')),
      await provider.whole('flash', ask('Tides?')),
    ]
    expect(second).toEqual(first)
  })

  test('temperature has no effect', async () => {
    const cold = await provider.whole('flash', configured({ temperature: 0 }))
    expect(textOf(await provider.whole('flash', configured({ temperature: 2 })))).toBe(textOf(cold))
  })

  test('another prompt or seed gives another text', async () => {
    const answers = [
      await provider.whole('flash', configured({ seed: 1 })),
      await provider.whole('flash', configured({ seed: 2 })),
      await provider.whole('flash', configured({ seed: 1 }, 'Why do tides fall?')),
    ]
    expect(new Set(answers.map(textOf)).size).toBe(3)
  })

  test('it uses words of the prompt', async () => {
    expect(textOf(await provider.whole('flash', ask('Zanzibar')))).toContain('Zanzibar')
  })

  test('the stream has the text of the whole answer', async () => {
    expect(textOf(await provider.stream('flash', ask('Tides?')))).toBe(
      textOf(await provider.whole('flash', ask('Tides?'))),
    )
  })

  test('several candidates differ, and each ends', async () => {
    const { candidates = [] } = await provider.whole('flash', configured({ candidateCount: 3 }))
    expect(candidates.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(new Set(candidates.map(({ content }) => content?.parts?.[0]?.text)).size).toBe(3)
    const events = await provider.stream('flash', configured({ candidateCount: 3 }))
    expect(events.filter((event) => event.candidates?.[0]?.finishReason === 'STOP').length).toBe(3)
  })
})

describe('output limits', () => {
  test('maxOutputTokens ends the answer with MAX_TOKENS', async () => {
    const answer = await provider.whole('flash-lite', configured({ maxOutputTokens: 7 }))
    expect(answer.candidates?.[0]?.finishReason).toBe('MAX_TOKENS')
    expect(countTokens(textOf(answer))).toBe(7)
  })

  test('spec.md, Errors: reasoning can exhaust maxOutputTokens and truncate visible output', async () => {
    const answer = await provider.whole('pro', configured({ maxOutputTokens: 10 }))
    expect(answer.candidates?.[0]).toEqual({
      content: { role: 'model' },
      finishReason: 'MAX_TOKENS',
      avgLogprobs: -0.125,
      index: 0,
    } as never)
    expect(countOf(answer, 'thoughtsTokenCount')).toBe(10)
    expect(answer.usageMetadata).not.toHaveProperty('candidatesTokenCount')
  })

  test('a stop sequence ends the answer before it', async () => {
    const whole = textOf(await provider.whole('flash', configured({})))
    const stop = whole.slice(30, 36)
    const answer = await provider.whole('flash', configured({ stopSequences: [stop] }))
    expect(textOf(answer)).toBe(whole.slice(0, whole.indexOf(stop)))
    expect(answer.candidates?.[0]?.finishReason).toBe('STOP')
  })

  test('tokens-N writes N tokens', async () => {
    expect(
      countOf(await provider.whole('flash-lite-tokens-500', ask('Tides?')), 'candidatesTokenCount'),
    ).toBe(500)
  })
})

describe('thinking', () => {
  test.each([
    ['thinkingBudget 0 disables it', 'flash', { thinkingBudget: 0 }, 0, 0],
    ['thinkingBudget bounds it', 'flash', { thinkingBudget: 5 }, 5, 5],
    ['-1 leaves it to the model', 'pro', { thinkingBudget: -1 }, 24, 160],
    ['no budget leaves it to the model', 'flash', {}, 24, 160],
    ['a lite model does not think', 'flash-lite', { thinkingBudget: 100 }, 0, 0],
  ])('%s', async (_name, model, thinkingConfig, min, max) => {
    const answer = await provider.whole(model, configured({ thinkingConfig }))
    expect(countOf(answer, 'thoughtsTokenCount')).toBeWithin(min, max + 1)
  })

  test('includeThoughts shows them first, and signs the part after them', async () => {
    const body = configured({ thinkingConfig: { includeThoughts: true } })
    for (const parts of [
      partsOf(await provider.whole('pro', body)),
      partsOf(await provider.stream('pro', body)),
    ]) {
      expect(parts[0]?.thought).toBe(true)
      expect(parts[1]?.thought).toBeUndefined()
      expect(parts[1]?.thoughtSignature).toBeString()
    }
  })

  test('hidden thoughts are counted, too', async () => {
    const answer = await provider.whole('pro', configured({}))
    expect(partsOf(answer).some(({ thought }) => thought)).toBe(false)
    expect(countOf(answer, 'thoughtsTokenCount')).toBeGreaterThan(0)
  })
})

const WEATHER = {
  name: 'get_weather',
  parameters: {
    type: 'OBJECT',
    properties: {
      city: { type: 'STRING' },
      days: { type: 'INTEGER', minimum: 1, maximum: 7 },
      unit: { type: 'STRING', enum: ['celsius', 'fahrenheit'] },
      hours: { type: 'ARRAY', items: { type: 'NUMBER' }, minItems: '2', maxItems: '2' },
    },
    required: ['city', 'days', 'unit', 'hours'],
  },
}

describe('function calls', () => {
  const tools = [{ functionDeclarations: [WEATHER, { name: 'get_time' }] }]
  const mode = (value: string, more = {}) => ({ functionCallingConfig: { mode: value, ...more } })
  const calledNames = async (body: unknown) =>
    partsOf(await provider.whole('flash', body)).flatMap(({ functionCall }) => functionCall?.name ?? [])

  test.each<[string, Record<string, unknown>, string[]]>([
    ['nothing is called unless mentioned', ask('Hello', { tools }), []],
    ['a name in the prompt is called', ask('Please get_time now', { tools }), ['get_time']],
    ['two names are both called', ask('get_time and get_weather', { tools }), ['get_weather', 'get_time']],
    ['mode ANY calls', ask('Hello', { tools, toolConfig: mode('ANY') }), ['get_weather']],
    [
      'allowedFunctionNames selects',
      ask('Hello', { tools, toolConfig: mode('ANY', { allowedFunctionNames: ['get_time'] }) }),
      ['get_time'],
    ],
    ['mode NONE never calls', ask('Please get_time', { tools, toolConfig: mode('NONE') }), []],
    [
      'snake_case is the same',
      ask('Hello', {
        tools: [{ function_declarations: [WEATHER] }],
        tool_config: { function_calling_config: { mode: 'ANY' } },
      }),
      ['get_weather'],
    ],
  ])('%s', async (_name, body, names) => expect(await calledNames(body)).toEqual(names))

  test('arguments fit the schema', async () => {
    const [part] = partsOf(await provider.whole('flash', ask('get_weather', { tools })))
    const { city, days, unit, hours } = part?.functionCall?.args ?? {}
    expect(city).toBeString()
    expect(Number.isInteger(days) && Number(days) >= 1 && Number(days) <= 7).toBe(true)
    expect(['celsius', 'fahrenheit']).toContain(String(unit))
    expect(hours).toHaveLength(2)
  })

  test('after a functionResponse, the text quotes it', async () => {
    const response = { parts: [{ functionResponse: { name: 'get_time', response: { now: 'noon' } } }] }
    const answer = await provider.whole('flash', {
      contents: [{ parts: [{ text: 'get_time' }] }, response],
      tools,
    })
    expect(textOf(answer)).toContain('{"now":"noon"}')
  })

  test('a call that does not fit the output limit is left out', async () => {
    const body = { ...configured({ maxOutputTokens: 3 }, 'get_weather'), tools }
    const answer = await provider.whole('flash-lite', body)
    expect(answer.candidates?.[0]?.finishReason).toBe('MAX_TOKENS')
    expect(partsOf(answer)).toEqual([])
  })
})

describe('JSON answers', () => {
  test('fit the schema', async () => {
    const responseSchema = {
      type: 'ARRAY',
      items: {
        type: 'OBJECT',
        properties: { name: { type: 'STRING', maxLength: '4' }, ok: { type: 'BOOLEAN' } },
      },
    }
    const answer = await provider.whole(
      'flash',
      configured({ responseMimeType: 'application/json', responseSchema }),
    )
    const rows: { name: string; ok: boolean }[] = JSON.parse(textOf(answer))
    expect(rows.length).toBeGreaterThan(0)
    for (const { name, ok } of rows) {
      expect(name.length).toBeLessThanOrEqual(4)
      expect(ok).toBeBoolean()
    }
  })

  test('fit a schema that refers to itself, to a limited depth', async () => {
    const responseJsonSchema = {
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['next'] } },
      $ref: '#/$defs/node',
    }
    const answer = await provider.whole(
      'flash',
      configured({ responseMimeType: 'application/json', responseJsonSchema }),
    )
    expect(JSON.parse(textOf(answer))).toBeObject()
  })
})

describe('usage', () => {
  const PNG = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }

  test('an image is 258 tokens of the prompt', async () => {
    const answer = await provider.whole('flash', { contents: [{ parts: [{ text: 'one two' }, PNG, PNG] }] })
    expect(countOf(answer, 'promptTokenCount')).toBe(2 + 2 * 258)
    expect(answer.usageMetadata?.promptTokensDetails).toEqual([
      { modality: 'TEXT', tokenCount: 2 },
      { modality: 'IMAGE', tokenCount: 516 },
    ])
  })

  test('a cached content is 4096 tokens, all read from the cache', async () => {
    const answer = await provider.whole('flash', ask('one two', { cachedContent: 'cachedContents/1' }))
    expect(countOf(answer, 'promptTokenCount')).toBe(4098)
    expect(countOf(answer, 'cachedContentTokenCount')).toBe(4096)
  })

  test('cache reports half of the prompt as cached', async () => {
    expect(
      countOf(await provider.whole('flash-cache', ask('one two three four')), 'cachedContentTokenCount'),
    ).toBe(2)
  })

  test('nousage reports none, zerousage zeros', async () => {
    for (const event of await provider.stream('flash-nousage', ask('Tides?'))) {
      expect(event).not.toHaveProperty('usageMetadata')
    }
    const zero = { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 }
    expect((await provider.whole('flash-zerousage', ask('Tides?'))).usageMetadata).toEqual(zero)
  })

  test('a picture is 1290 tokens of output, in the requested shape', async () => {
    const answer = await provider.whole('flash-image', configured({ imageConfig: { aspectRatio: '16:9' } }))
    expect(answer.usageMetadata?.candidatesTokensDetails).toEqual([{ modality: 'IMAGE', tokenCount: 1290 }])
    const png = Buffer.from(partsOf(answer)[1]?.inlineData?.data ?? '', 'base64')
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([512, 288])
  })

  test('counts add up, whole and streamed, and the gateway reads the same (property)', async () => {
    const requests = fc.record({
      text: fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' }),
      images: fc.nat(3),
      model: fc.constantFrom(
        'flash',
        'pro',
        'flash-lite',
        'flash-image',
        'flash-cache',
        'pro-events-5',
        'flash-safety',
      ),
      generationConfig: fc.record(
        {
          maxOutputTokens: fc.integer({ min: 1, max: 2000 }),
          seed: fc.integer(),
          candidateCount: fc.integer({ min: 1, max: 3 }),
          thinkingConfig: fc.record({
            thinkingBudget: fc.integer({ min: -1, max: 50 }),
            includeThoughts: fc.boolean(),
          }),
        },
        { requiredKeys: [] },
      ),
    })
    await fc.assert(
      fc.asyncProperty(requests, async ({ text, images, model, generationConfig }) => {
        const parts = [{ text }, ...Array.from({ length: images }, () => PNG)]
        const body = { contents: [{ parts }], generationConfig }
        const whole = await provider.whole(model, body)
        const events = await provider.stream(model, body)
        expect(events.at(-1)?.usageMetadata).toEqual(whole.usageMetadata)
        const usage = inFull(gemini.text.readUsage(whole as unknown as JsonObject))
        expect(usage && totalTokens(usage)).toBe(countOf(whole, 'totalTokenCount'))
        const limit = generationConfig.maxOutputTokens ?? Number.POSITIVE_INFINITY
        const output = countOf(whole, 'candidatesTokenCount') + countOf(whole, 'thoughtsTokenCount')
        expect(output).toBeLessThanOrEqual(limit * (generationConfig.candidateCount ?? 1))
        const totals = events.map((event) => countOf(event, 'totalTokenCount'))
        expect(totals).toEqual([...totals].sort((a, b) => a - b))
      }),
      { numRuns: 60 },
    )
  })

  test('tokens joined are the text (property)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => expect(tokenize(text).join('')).toBe(text)),
    )
  })
})

describe('safety', () => {
  test.each([
    ['a word in the prompt', 'flash', ask('Please SIMULATE_BLOCK this')],
    ['the model', 'flash-block', ask('Tides?')],
  ])('%s blocks the prompt: no candidates, a blockReason, the prompt counted', async (_name, model, body) => {
    for (const answer of [await provider.whole(model, body), ...(await provider.stream(model, body))]) {
      expect(answer).not.toHaveProperty('candidates')
      expect(answer.promptFeedback?.blockReason).toBe('SAFETY')
      expect(countOf(answer, 'totalTokenCount')).toBe(countOf(answer, 'promptTokenCount'))
    }
  })

  test('safety stops in the middle of the answer', async () => {
    const whole = textOf(await provider.whole('flash', ask('Tides?')))
    const stopped = await provider.whole('flash-safety', ask('Tides?'))
    expect(stopped.candidates?.[0]?.finishReason).toBe('SAFETY')
    expect(whole).toStartWith(textOf(stopped))
    expect(textOf(stopped).length).toBeLessThan(whole.length)
  })
})
