// Answers of a simulated provider on the wire: shapes, pace, refusals, and connections that break.
import { afterAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { GoogleGenAI } from '@google/genai'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { toByteString } from '../../src/protocols/wire/byte-string.ts'
import { createSimulator, type SimulatorEvent } from './index.ts'
import { LEAKED } from './mishaps.ts'
import { ask, configured, createProvider, payloadsOf, textOf } from './provider.ts'
import { pairs, recordedPairs } from './shapes.ts'

const BODY = ask('Why do tides rise?')
/** By the next turn of the event loop, all work without a wait or a reader is done. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('the simulator imports nothing from the gateway', () => {
  const folder = import.meta.dir
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    // Files of its tests.
    .filter((name) => name !== 'shapes.ts' && !name.startsWith('strict/'))
    // Payment providers, which are not part of it.
    .filter((name) => !/^(?:fake-stripe|epay)\//.test(name))
  const outside = files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/from '(\.[^']+)'/g)]
      .map(([, path = '']) => relative(folder, join(folder, dirname(file), path)))
      .filter((path) => path.startsWith('..')),
  )
  expect(outside).toEqual([])
  expect(files.length).toBeGreaterThan(5)
})

describe('shapes match the recordings: the same names, in the same order', () => {
  const recorded = recordedPairs('gemini')
  const thoughtful = { thinkingConfig: { includeThoughts: true } }
  const tools = { tools: [{ functionDeclarations: [{ name: 'get_time' }] }] }
  test.each<[string, Record<string, unknown>]>([
    ['flash', BODY],
    ['pro', configured(thoughtful)],
    ['flash', ask('get_time', tools)],
    ['flash-lite', ask('Tides?', { cachedContent: 'cachedContents/1' })],
    ['flash-image', BODY],
    ['flash-block', BODY],
    ['flash-error-1', BODY],
    ['pro', configured({ maxOutputTokens: 5 })],
  ])('%s %o', async (model, body) => {
    const provider = createProvider()
    const answers = [await provider.whole(model, body), ...(await provider.stream(model, body))]
    expect(answers.flatMap((answer) => pairs(answer)).filter((pair) => !recorded.has(pair))).toEqual([])
  })
})

describe('streams', () => {
  test('server-sent events end with an empty line, and each has usage', async () => {
    const response = await createProvider().post('flash:streamGenerateContent?alt=sse', BODY)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const text = await response.text()
    expect(text).toEndWith('}\r\n\r\n')
    for (const data of payloadsOf(text)) expect(JSON.parse(data).usageMetadata).toBeObject()
  })

  test('without alt=sse it is one JSON array of the same events', async () => {
    const provider = createProvider()
    const response = await provider.post('flash:streamGenerateContent', BODY)
    expect(response.headers.get('content-type')).toStartWith('application/json')
    expect(await response.json()).toEqual(await provider.stream('flash', BODY))
  })

  test('finishReason is in the last event only', async () => {
    const events = await createProvider().stream('flash', BODY)
    const reasons = events.map((event) => event.candidates?.[0]?.finishReason)
    expect(reasons.at(-1)).toBe('STOP')
    expect(reasons.slice(0, -1).every((reason) => reason === undefined)).toBe(true)
  })

  test('events-N streams N events, or fewer within the output limit', async () => {
    const provider = createProvider()
    expect(await provider.stream('flash-lite-events-200', BODY)).toHaveLength(200)
    expect(await provider.stream('flash-lite-events-200', configured({ maxOutputTokens: 3 }))).toHaveLength(3)
    const thoughtful = configured({ thinkingConfig: { includeThoughts: true } })
    expect(await provider.stream('pro-events-12', thoughtful)).toHaveLength(12)
  })

  test('slow-N waits before the first byte, pace-N between events', async () => {
    const provider = createProvider()
    await provider.stream('flash-lite-slow-1500-pace-20-events-4', BODY)
    expect(provider.waits_ms).toEqual([1500, 20, 20, 20])
  })

  test('slow-0 and pace-0 do not wait', async () => {
    const provider = createProvider()
    await provider.stream('flash-slow-0-pace-0', BODY)
    expect(provider.waits_ms).toEqual([])
  })

  test('the gateway reads the usage that the simulator counts', async () => {
    const provider = createProvider()
    const text = await (await provider.post('pro:streamGenerateContent?alt=sse', BODY)).text()
    const reading = gemini.text.stream.open()
    for (const data of payloadsOf(text)) reading.read(toByteString(Buffer.from(data)))
    const finished = provider.seen.at(-1)
    if (finished?.kind !== 'finished') throw new Error('was not finished')
    expect(reading.finished).toBe(true)
    expect(reading.usage()).toMatchObject({
      input_tokens: finished.totals.prompt,
      output_tokens: finished.totals.output,
      thinking_tokens: finished.totals.thinking,
    })
  })
})

describe('refusals', () => {
  test.each([
    ['flash-fail-400', 400, 'INVALID_ARGUMENT', 'bad_request'],
    ['flash-fail-401', 401, 'UNAUTHENTICATED', 'bad_key'],
    ['flash-fail-403', 403, 'PERMISSION_DENIED', 'bad_key'],
    ['flash-fail-404', 404, 'NOT_FOUND', 'upstream_error'],
    ['pro-fail-429', 429, 'RESOURCE_EXHAUSTED', 'rate_limited'],
    ['flash-fail-500', 500, 'INTERNAL', 'upstream_error'],
    ['flash-fail-503', 503, 'UNAVAILABLE', 'overloaded'],
    ['flash-fail-504', 504, 'DEADLINE_EXCEEDED', 'timed_out'],
    ['flash-fail-429-slow-3', 429, 'RESOURCE_EXHAUSTED', 'rate_limited'],
    ['flash-fail-', 404, 'NOT_FOUND', 'upstream_error'],
  ])('%s', async (model, code, status, failure_class) => {
    for (const action of ['generateContent', 'streamGenerateContent?alt=sse']) {
      const response = await createProvider().post(`${model}:${action}`, BODY)
      const body = await response.text()
      expect(response.status).toBe(code)
      expect(JSON.parse(body).error).toMatchObject({ code, status })
      expect(gemini.readFailure(code, response.headers, body).failure_class).toBe(failure_class as 'bad_key')
    }
  })

  test('429 has a time to retry after', async () => {
    const response = await createProvider().post('flash-fail-429:generateContent', BODY)
    expect(gemini.readFailure(429, response.headers, await response.text()).retry_after_s).toBe(7)
  })

  test('a key that starts with bad is refused as an invalid key', async () => {
    const init = { headers: { 'x-goog-api-key': 'bad-key' } }
    const response = await createProvider().post('flash:generateContent', BODY, init)
    expect(response.status).toBe(400)
    expect(gemini.readFailure(400, response.headers, await response.text()).failure_class).toBe('bad_key')
  })

  test.each<[string, unknown, string]>([
    ['no contents', {}, 'contents'],
    ['no parts', { contents: [{ parts: [] }] }, 'contents[0].parts'],
    [
      'image/gif',
      { contents: [{ parts: [{ inlineData: { mimeType: 'image/gif', data: 'AAAA' } }] }] },
      'contents',
    ],
    ['a limit of zero', configured({ maxOutputTokens: 0 }), 'generation_config.max_output_tokens'],
  ])('%s is 400 with the field', async (_name, body, field) => {
    const { error } = await createProvider().whole('flash', body)
    expect(error?.code).toBe(400)
    expect(error?.details?.[0]?.fieldViolations).toMatchObject([{ field }])
  })

  test('a body that is not JSON is 400', async () => {
    expect((await createProvider().post('flash:generateContent', undefined, { body: '{' })).status).toBe(400)
  })

  test.each(['flash:computeTokens', 'flash:predict'])('%s is 404', async (path) => {
    expect((await createProvider().post(path, BODY)).status).toBe(404)
  })

  test('an unknown path is 404', async () => {
    expect((await createProvider().fetch(new Request('http://provider/'))).status).toBe(404)
  })

  test('html-N is a page that contains an address', async () => {
    const response = await createProvider().post('flash-html-500:generateContent', BODY)
    expect(response.status).toBe(500)
    expect(response.headers.get('content-type')).toStartWith('text/html')
    expect(await response.text()).toContain(LEAKED[0])
  })

  test("leak-N names a host, an address, the caller's key and another", async () => {
    const init = { headers: { 'x-goog-api-key': 'key-of-the-caller' } }
    const response = await createProvider().post('flash-leak-400:generateContent', BODY, init)
    const body = await response.text()
    expect(response.status).toBe(400)
    for (const secret of [...LEAKED, 'key-of-the-caller']) expect(body).toContain(secret)
  })

  test('refuse throws as fetch does', async () => {
    await expect(createProvider().post('flash-refuse:generateContent', BODY)).rejects.toBeInstanceOf(
      TypeError,
    )
  })
})

describe('answers that end early', () => {
  const readEvents = async (response: Response): Promise<{ text: string; error: unknown }> => {
    let text = ''
    try {
      for await (const bytes of response.body ?? []) text += Buffer.from(bytes).toString()
    } catch (error) {
      return { text, error }
    }
    return { text, error: undefined }
  }

  test.each([0, 1, 3, 12])('break-%i breaks after that many events', async (count) => {
    const provider = createProvider()
    const { text, error } = await readEvents(
      await provider.post(`flash-break-${count}:streamGenerateContent?alt=sse`, BODY),
    )
    expect(payloadsOf(text)).toHaveLength(count)
    expect(error).toBeInstanceOf(Error)
    expect(provider.seen.at(-1)).toMatchObject({ kind: 'broken', sent_events: count })
  })

  test.each([0, 1, 3])('error-%i sends an error record after that many events, and ends', async (count) => {
    const events = await createProvider().stream(`flash-error-${count}`, BODY)
    expect(events).toHaveLength(count + 1)
    expect(events.at(-1)?.error?.code).toBe(503)
  })

  test('break of a whole answer sends half of it', async () => {
    const { text, error } = await readEvents(
      await createProvider().post('flash-break-0:generateContent', BODY),
    )
    expect(text.length).toBeGreaterThan(0)
    expect(() => JSON.parse(text)).toThrow()
    expect(error).toBeInstanceOf(Error)
  })

  test.each(['generateContent', 'streamGenerateContent?alt=sse', 'streamGenerateContent'])(
    'truncate of %s ends without an error, with half of the JSON',
    async (action) => {
      const { text, error } = await readEvents(await createProvider().post(`flash-truncate:${action}`, BODY))
      expect(error).toBeUndefined()
      expect(() => JSON.parse(payloadsOf(text).at(-1) ?? '')).toThrow()
    },
  )
})

describe('a caller who disconnects', () => {
  const aborting = () => {
    const controller = new AbortController()
    return { controller, init: { signal: controller.signal } }
  }

  test('ends a hang', async () => {
    const provider = createProvider()
    const { controller, init } = aborting()
    const answer = provider.post('flash-hang:generateContent', BODY, init)
    controller.abort()
    await expect(answer).rejects.toThrow()
    await answer.catch(() => {})
    expect(provider.seen.map(({ kind }) => kind)).toEqual(['request', 'aborted'])
  })

  test('stops a stream by an abort', async () => {
    const provider = createProvider()
    const { controller, init } = aborting()
    const response = await provider.post('flash-stall-2:streamGenerateContent?alt=sse', BODY, init)
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.read()
    controller.abort()
    await expect(reader?.read()).rejects.toThrow()
    await reader?.closed.catch(() => {})
    expect(provider.seen.at(-1)).toMatchObject({ kind: 'aborted', sent_events: 2 })
  })

  test('stops a stream by cancelling the body', async () => {
    const provider = createProvider()
    const response = await provider.post('flash-stall-1:streamGenerateContent?alt=sse', BODY)
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(provider.seen.at(-1)).toMatchObject({ kind: 'aborted', sent_events: 1 })
  })

  test('an unread body is produced only up to its first pieces', async () => {
    const provider = createProvider()
    const response = await provider.post('flash-events-100:streamGenerateContent?alt=sse', BODY)
    await nextTurn()
    expect(provider.waits_ms.length).toBeLessThan(5)
    await response.body?.cancel()
  })
})

describe("Google's SDK, over a real socket", () => {
  const aborted = Promise.withResolvers<SimulatorEvent>()
  const onEvent = (event: SimulatorEvent) => {
    if (event.kind === 'aborted') aborted.resolve(event)
  }
  const simulator = createSimulator({ onEvent })
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: simulator.fetch })
  afterAll(() => server.stop(true))
  const ai = new GoogleGenAI({ apiKey: 'key-of-the-caller', httpOptions: { baseUrl: server.url.href } })
  const question = { contents: 'Why do tides rise?' }

  test('a whole answer', async () => {
    const answer = await ai.models.generateContent({ model: 'flash', ...question })
    expect(answer.text).toBe(textOf(await createProvider().whole('flash', BODY)))
    expect(answer.usageMetadata?.totalTokenCount).toBeGreaterThan(0)
  })

  test('a stream', async () => {
    const texts: (string | undefined)[] = []
    for await (const event of await ai.models.generateContentStream({ model: 'flash', ...question })) {
      texts.push(event.text)
    }
    expect(texts.length).toBeGreaterThan(1)
    expect(texts.join('')).toBe(textOf(await createProvider().whole('flash', BODY)))
  })

  test('a refusal', async () => {
    await expect(ai.models.generateContent({ model: 'flash-fail-503', ...question })).rejects.toMatchObject({
      status: 503,
    })
  })

  test('the simulator sees a caller who disconnects', async () => {
    const controller = new AbortController()
    const init = { method: 'POST', body: JSON.stringify(BODY), signal: controller.signal }
    const path = 'v1beta/models/flash-stall-1:streamGenerateContent?alt=sse'
    const response = await fetch(`${server.url}${path}`, init)
    await response.body?.getReader().read()
    controller.abort()
    expect(await aborted.promise).toMatchObject({ sent_events: 1 })
  })
})
