// spec.md, What the service does: "the vendor's official SDKs work when only the base address is changed", here @google/genai.
import { beforeEach, describe, expect, test } from 'bun:test'
import {
  ApiError,
  FunctionCallingConfigMode,
  type GenerateContentResponse,
  GoogleGenAI,
  HarmBlockThreshold,
  HarmCategory,
} from '@google/genai'
import { suspendAccount } from '../../src/access/accounts.ts'
import { events as recorded } from '../protocols/gemini/recordings.ts'
import { MODEL, RETIRED, UPSTREAM_MODEL } from '../support/catalogue.ts'
import { ANSWER_NANOS, answer, answering, piece, usage } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { events, refusal, SILENCE, stream, whole } from '../support/upstream.ts'

const { gateway, upstream, key, upstreamBody, lastCall, recatalogue } = await fileScene()
beforeEach(() => upstream.answer(answering))

const sdkWith = (apiKey: string, version: object = {}) =>
  new GoogleGenAI({
    apiKey,
    httpOptions: { baseUrl: gateway.url.origin, retryOptions: { attempts: 1 }, ...version },
  })
const sdk = sdkWith(key)
/** The SDK for a version of the API other than its default. */
const inVersion = (apiVersion: string) => sdkWith(key, { apiVersion })

const request = { model: MODEL, contents: 'Say hello.' }

/** The contents of the last upstream request. */
const sentContents = () => upstreamBody().contents as { role: string; parts: object[] }[]

async function collect(
  generator: AsyncIterable<GenerateContentResponse>,
): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = []
  for await (const chunk of generator) chunks.push(chunk)
  return chunks
}

/** The error that the SDK throws for a call that must fail. */
async function errorOf(promise: Promise<unknown>): Promise<ApiError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (thrown instanceof ApiError) return thrown
  throw new Error(`expected an ApiError, got ${thrown}`)
}

describe('generateContent', () => {
  test('gives the text, the usage and the model', async () => {
    const response = await sdk.models.generateContent(request)
    expect(response.text).toBe('Hello.')
    expect(response.usageMetadata).toMatchObject({ promptTokenCount: 10, candidatesTokenCount: 5 })
    expect(response.modelVersion).toBe(`${MODEL}-001`)
    expect(upstream.last().path).toBe(`/v1beta/models/${UPSTREAM_MODEL}:generateContent`)
    expect(await lastCall()).toMatchObject({ cost_nanos: ANSWER_NANOS, streamed: 0, outcome: 'completed' })
  })

  test.each(['v1beta', 'v1'])('uses version %s of the API, whole and streamed', async (version) => {
    const client = inVersion(version)
    expect((await client.models.generateContent(request)).text).toBe('Hello.')
    const chunks = await collect(await client.models.generateContentStream(request))
    expect(chunks.map(({ text }) => text)).toEqual(['Hello.'])
  })

  test('a model may be named with "models/" before it', async () => {
    const response = await sdk.models.generateContent({ ...request, model: `models/${MODEL}` })
    expect(response.text).toBe('Hello.')
  })

  test('carries systemInstruction, safetySettings, thinkingConfig and limits upstream', async () => {
    await sdk.models.generateContent({
      ...request,
      config: {
        systemInstruction: 'Be brief.',
        safetySettings: [
          { category: HarmCategory.HARM_CATEGORY_HARASSMENT, threshold: HarmBlockThreshold.BLOCK_ONLY_HIGH },
        ],
        thinkingConfig: { thinkingBudget: 128, includeThoughts: true },
        maxOutputTokens: 100,
        temperature: 0.5,
        topP: 0.9,
        topK: 3,
        seed: 7,
      },
    })
    expect(upstreamBody()).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' }],
      generationConfig: {
        thinkingConfig: { thinkingBudget: 128, includeThoughts: true },
        maxOutputTokens: 100,
        temperature: 0.5,
        topP: 0.9,
        topK: 3,
        seed: 7,
      },
    })
  })

  test('thinking is separate from the text, and charged as output', async () => {
    const parts = [{ text: 'Let me see.', thought: true, thoughtSignature: 'c2ln' }, { text: 'Yes.' }]
    const thoughtful = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }
    upstream.answer(whole({ ...thoughtful, usageMetadata: usage(10, 2, { thoughtsTokenCount: 30 }) }))
    const response = await sdk.models.generateContent(request)
    expect(response.text).toBe('Yes.')
    expect(response.candidates?.[0]?.content?.parts?.[0]).toMatchObject({
      thought: true,
      text: 'Let me see.',
    })
    expect(await lastCall()).toMatchObject({ thinking_tokens: 30, cost_nanos: 10 * 1_000 + 32 * 4_000 })
  })

  test.each(['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif'])(
    'accepts %s inline',
    async (mimeType) => {
      const data = Buffer.from([1, 2, 3, 250]).toString('base64')
      await sdk.models.generateContent({
        model: MODEL,
        contents: [{ inlineData: { mimeType, data } }, 'What is it?'],
      })
      expect(sentContents()[0]?.parts[0]).toEqual({ inlineData: { mimeType, data } })
    },
  )

  const weather = {
    functionDeclarations: [
      {
        name: 'get_weather',
        parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
      },
    ],
  }
  const functionCall = { id: 'call-1', name: 'get_weather', args: { city: 'Bergen' } }

  test('function calls, and the second turn with the function’s response', async () => {
    const callTurn = { role: 'model', parts: [{ functionCall, thoughtSignature: 'c2ln' }] }
    upstream.answer(
      whole({ candidates: [{ content: callTurn, finishReason: 'STOP' }], usageMetadata: usage(20, 8) }),
    )
    const config = {
      tools: [weather],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
    }
    const first = await sdk.models.generateContent({ ...request, config })
    expect(first.functionCalls).toEqual([functionCall])
    expect(upstreamBody().toolConfig).toEqual({ functionCallingConfig: { mode: 'ANY' } })

    upstream.answer(whole(answer('It rains.')))
    const functionResponse = { id: 'call-1', name: 'get_weather', response: { sky: 'rain' } }
    const question = { role: 'user', parts: [{ text: 'The weather in Bergen?' }] }
    const second = await sdk.models.generateContent({
      model: MODEL,
      contents: [question, callTurn, { role: 'user', parts: [{ functionResponse }] }],
      config,
    })
    expect(second.text).toBe('It rains.')
    expect(sentContents()[1]).toEqual(callTurn)
    expect(sentContents()[2]?.parts[0]).toEqual({ functionResponse })
  })

  test('a chat of two turns', async () => {
    const chat = sdk.chats.create({ model: MODEL })
    await chat.sendMessage({ message: 'One' })
    await chat.sendMessage({ message: 'Two' })
    expect(sentContents().map(({ role }) => role)).toEqual(['user', 'model', 'user'])
  })

  test('a prompt that the provider blocks is an answer without candidates, charged for its input', async () => {
    upstream.answer(
      whole({
        promptFeedback: { blockReason: 'SAFETY' },
        usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
      }),
    )
    const response = await sdk.models.generateContent(request)
    expect(response.promptFeedback?.blockReason as string).toBe('SAFETY')
    expect(await lastCall()).toMatchObject({ cost_nanos: 7_000, outcome: 'completed', estimated: 0 })
  })

  test('abort: the upstream call is aborted, its input is charged', async () => {
    upstream.answer(SILENCE)
    const seen = upstream.requests.length
    const leaving = new AbortController()
    const call = sdk.models.generateContent({ ...request, config: { abortSignal: leaving.signal } })
    await upstream.waitForRequest(seen + 1)
    leaving.abort()
    await expect(call).rejects.toThrow(/abort/i)
    await upstream.last().over
    expect(upstream.last().aborted).toBe(true)
    expect(await lastCall()).toMatchObject({
      outcome: 'cancelled',
      status: 499,
      output_tokens: 0,
      estimated: 1,
    })
  })
})

describe('generateContentStream', () => {
  test('gives the chunks; the last one has finishReason and the complete usageMetadata', async () => {
    upstream.answer(
      events([piece('Hel', { usageMetadata: usage(10, 1) }), piece('lo'), answer('.', usage(10, 5))]),
    )
    const chunks = await collect(await sdk.models.generateContentStream(request))
    expect(chunks.map(({ text }) => text)).toEqual(['Hel', 'lo', '.'])
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason as string).toBe('STOP')
    expect(chunks.at(-1)?.usageMetadata).toMatchObject({ totalTokenCount: 15 })
    expect(await lastCall()).toMatchObject({ cost_nanos: ANSWER_NANOS, streamed: 1, outcome: 'completed' })
  })

  test.each([
    ['thinking', 'stream-thinking'],
    ['function calls', 'stream-function-call'],
    ['safety', 'stream-safety-finish'],
    ['an image', 'stream-image'],
  ])('with %s', async (_, name) => {
    upstream.answer(events(recorded(name)))
    const chunks = await collect(await sdk.models.generateContentStream(request))
    const candidates = (all: readonly { candidates?: unknown }[]) => all.map(({ candidates: found }) => found)
    expect(JSON.stringify(candidates(chunks))).toBe(JSON.stringify(candidates(recorded(name))))
  })

  test('abort in the middle: the upstream call is aborted, and the usage reported so far is charged', async () => {
    upstream.answer(stream({ event: piece('Hello', { usageMetadata: usage(10, 2) }) }, 'hang'))
    const leaving = new AbortController()
    const generator = await sdk.models.generateContentStream({
      ...request,
      config: { abortSignal: leaving.signal },
    })
    const first = await generator.next()
    expect((first.value as GenerateContentResponse).text).toBe('Hello')
    leaving.abort()
    await expect(generator.next()).rejects.toThrow()
    await upstream.last().over
    expect(upstream.last().aborted).toBe(true)
    expect(await lastCall()).toMatchObject({ outcome: 'cancelled', cost_nanos: 10 * 1_000 + 2 * 4_000 })
  })

  test('a stream that breaks ends with an error that the SDK throws', async () => {
    upstream.answer(stream({ event: piece('Hello') }, 'reset'))
    const generator = await sdk.models.generateContentStream(request)
    expect(((await generator.next()).value as GenerateContentResponse).text).toBe('Hello')
    const thrown = await errorOf(generator.next())
    expect(thrown.message).toContain('UNAVAILABLE')
    expect(await lastCall()).toMatchObject({ outcome: 'broken', estimated: 1 })
  })
})

describe('each error status is an ApiError with that status', () => {
  type Call = (client: GoogleGenAI, model?: string) => Promise<unknown>
  const CALLS: [string, Call][] = [
    ['whole', (client, model = MODEL) => client.models.generateContent({ ...request, model })],
    [
      'streamed',
      async (client, model = MODEL) =>
        collect(await client.models.generateContentStream({ ...request, model })),
    ],
  ]
  const account = async (balance_usd: string) => {
    const { name } = await gateway.account(`sdk-${crypto.randomUUID()}`, { balance_usd })
    return name
  }
  const CASES: [number, string, (call: Call) => Promise<unknown>][] = [
    [
      400,
      'INVALID_ARGUMENT',
      (call) => {
        upstream.answer(
          refusal(400, {
            error: { code: 400, message: 'temperature is out of range', status: 'INVALID_ARGUMENT' },
          }),
        )
        return call(sdk)
      },
    ],
    [401, 'UNAUTHENTICATED', (call) => call(sdkWith('tg_wrong'))],
    [402, 'FAILED_PRECONDITION', async (call) => call(sdkWith(await gateway.key(await account('0'))))],
    [
      403,
      'PERMISSION_DENIED',
      async (call) => {
        const name = await account('1')
        await suspendAccount(gateway.store, name, { now_ms: 0 })
        return call(sdkWith(await gateway.key(name)))
      },
    ],
    [
      403,
      'PERMISSION_DENIED',
      async (call) => call(sdkWith(await gateway.caller('1', { models: ['other'] }))),
    ],
    [404, 'NOT_FOUND', (call) => call(sdk, RETIRED)],
    [404, 'NOT_FOUND', (call) => call(sdk, 'no-such-model')],
    [
      429,
      'RESOURCE_EXHAUSTED',
      async (call) => {
        await recatalogue({ more: '[limits.key]\nrequests_per_minute = 1' })
        try {
          const limited = sdkWith(await gateway.caller())
          await call(limited)
          return await call(limited)
        } finally {
          await recatalogue()
        }
      },
    ],
    [
      502,
      'UNAVAILABLE',
      (call) => {
        upstream.answer(refusal(500))
        return call(sdk)
      },
    ],
  ]
  test.each(
    CASES.flatMap(([code, status, bring]) =>
      CALLS.map(([how, call]) => [code, status, how, bring, call] as const),
    ),
  )('%i %s, %s', async (code, status, _, bring, call) => {
    const error = await errorOf(bring(call))
    expect(error.status).toBe(code)
    expect(JSON.parse(error.message)).toMatchObject({ error: { code, status } })
    await gateway.rest()
  })

  test.each([
    ['countTokens', () => sdk.models.countTokens(request)],
    ['embedContent', () => sdk.models.embedContent(request)],
    ['models.list of v1beta', () => inVersion('v1beta').models.list()],
    ['models.get of v1beta', () => inVersion('v1beta').models.get({ model: MODEL })],
    ['countTokens of v1beta', () => inVersion('v1beta').models.countTokens(request)],
    ['files.list of v1beta', () => inVersion('v1beta').files.list()],
    ['caches.list of v1beta', () => inVersion('v1beta').caches.list()],
    ['files.list', () => sdk.files.list()],
    ['files.get', () => sdk.files.get({ name: 'files/abc' })],
    ['files.upload', () => sdk.files.upload({ file: new Blob(['x'], { type: 'text/plain' }) })],
    ['caches.create', () => sdk.caches.create({ model: MODEL, config: {} })],
    ['caches.list', () => sdk.caches.list()],
    ['batches.create', () => sdk.batches.create({ model: MODEL, src: [{ contents: 'Hi' }] })],
  ])('501 UNIMPLEMENTED: %s', async (_, call) => {
    const error = await errorOf(call())
    expect(error.status).toBe(501)
    expect(error.message).toContain('UNIMPLEMENTED')
    await gateway.rest()
  })
})
