// How the simulated vendor's answers go out: shapes, pace, refusals, and connections that break.
import { afterAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { GoogleGenAI } from '@google/genai'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { toByteString } from '../../src/protocols/wire/byte-string.ts'
import { createSimulator, type SimulatorEvent } from '../../src/simulator/index.ts'
import { LEAKED } from '../../src/simulator/mishaps.ts'
import { pairs, recordedPairs } from './shapes.ts'
import { ask, configured, createVendor, payloadsOf, textOf } from './vendor.ts'

const BODY = ask('Why do tides rise?')

test('the simulator is a program of its own: it imports nothing of the gateway', () => {
  const folder = join(import.meta.dir, '../../src/simulator')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const outside = files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/from '(\.[^']+)'/g)]
      .map(([, path = '']) => relative(folder, join(folder, dirname(file), path)))
      .filter((path) => path.startsWith('..')),
  )
  expect(outside).toEqual([])
  expect(files.length).toBeGreaterThan(5)
})

describe('shapes are those of the recordings: the same names, in the same order', () => {
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
    const vendor = createVendor()
    const answers = [await vendor.whole(model, body), ...(await vendor.stream(model, body))]
    expect(answers.flatMap((answer) => pairs(answer)).filter((pair) => !recorded.has(pair))).toEqual([])
  })
})

describe('streams', () => {
  test('server-sent events end with an empty line, and usage is in each', async () => {
    const response = await createVendor().post('flash:streamGenerateContent?alt=sse', BODY)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const text = await response.text()
    expect(text).toEndWith('}\r\n\r\n')
    for (const data of payloadsOf(text)) expect(JSON.parse(data).usageMetadata).toBeObject()
  })

  test('without alt=sse it is one JSON array of the same events', async () => {
    const vendor = createVendor()
    const response = await vendor.post('flash:streamGenerateContent', BODY)
    expect(response.headers.get('content-type')).toStartWith('application/json')
    expect(await response.json()).toEqual(await vendor.stream('flash', BODY))
  })

  test('finishReason is in the last event only', async () => {
    const events = await createVendor().stream('flash', BODY)
    const reasons = events.map((event) => event.candidates?.[0]?.finishReason)
    expect(reasons.at(-1)).toBe('STOP')
    expect(reasons.slice(0, -1).every((reason) => reason === undefined)).toBe(true)
  })

  test('events-N streams N events; fewer where the output limit is in the way', async () => {
    const vendor = createVendor()
    expect(await vendor.stream('flash-lite-events-200', BODY)).toHaveLength(200)
    expect(await vendor.stream('flash-lite-events-200', configured({ maxOutputTokens: 3 }))).toHaveLength(3)
    const thoughtful = configured({ thinkingConfig: { includeThoughts: true } })
    expect(await vendor.stream('pro-events-12', thoughtful)).toHaveLength(12)
  })

  test('slow-N waits before the first byte, pace-N between events', async () => {
    const vendor = createVendor()
    await vendor.stream('flash-lite-slow-1500-pace-20-events-4', BODY)
    expect(vendor.waits_ms).toEqual([1500, 20, 20, 20])
  })

  test('slow-0 and pace-0 wait for nothing', async () => {
    const vendor = createVendor()
    await vendor.stream('flash-slow-0-pace-0', BODY)
    expect(vendor.waits_ms).toEqual([])
  })

  test('what the simulator counts is what the gateway reads', async () => {
    const vendor = createVendor()
    const text = await (await vendor.post('pro:streamGenerateContent?alt=sse', BODY)).text()
    const reading = gemini.text.stream.open()
    for (const data of payloadsOf(text)) reading.read(toByteString(Buffer.from(data)))
    const finished = vendor.seen.at(-1)
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
    ['flash-fail-503', 503, 'UNAVAILABLE', 'upstream_error'],
    ['flash-fail-504', 504, 'DEADLINE_EXCEEDED', 'upstream_error'],
    ['flash-fail-429-slow-3', 429, 'RESOURCE_EXHAUSTED', 'rate_limited'],
    ['flash-fail-', 404, 'NOT_FOUND', 'upstream_error'],
  ])('%s', async (model, code, status, failure_class) => {
    for (const action of ['generateContent', 'streamGenerateContent?alt=sse']) {
      const response = await createVendor().post(`${model}:${action}`, BODY)
      const body = await response.text()
      expect(response.status).toBe(code)
      expect(JSON.parse(body).error).toMatchObject({ code, status })
      expect(gemini.readFailure(code, response.headers, body).failure_class).toBe(failure_class as 'bad_key')
    }
  })

  test('429 says when to come back', async () => {
    const response = await createVendor().post('flash-fail-429:generateContent', BODY)
    expect(gemini.readFailure(429, response.headers, await response.text()).retry_after_s).toBe(7)
  })

  test('a key that starts with bad is refused as the vendor refuses it', async () => {
    const init = { headers: { 'x-goog-api-key': 'bad-key' } }
    const response = await createVendor().post('flash:generateContent', BODY, init)
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
    const { error } = await createVendor().whole('flash', body)
    expect(error?.code).toBe(400)
    expect(error?.details?.[0]?.fieldViolations).toMatchObject([{ field }])
  })

  test('a body that is no JSON is 400', async () => {
    expect((await createVendor().post('flash:generateContent', undefined, { body: '{' })).status).toBe(400)
  })

  test.each(['flash:countTokens', 'flash:predict'])('%s is 404', async (path) => {
    expect((await createVendor().post(path, BODY)).status).toBe(404)
  })

  test('a path of no vendor is 404', async () => {
    expect((await createVendor().fetch(new Request('http://vendor/'))).status).toBe(404)
  })

  test('html-N is a page with an address in it', async () => {
    const response = await createVendor().post('flash-html-500:generateContent', BODY)
    expect(response.status).toBe(500)
    expect(response.headers.get('content-type')).toStartWith('text/html')
    expect(await response.text()).toContain(LEAKED[0])
  })

  test('leak-N names a host, an address, the key that called and another', async () => {
    const init = { headers: { 'x-goog-api-key': 'key-of-the-caller' } }
    const response = await createVendor().post('flash-leak-400:generateContent', BODY, init)
    const body = await response.text()
    expect(response.status).toBe(400)
    for (const secret of [...LEAKED, 'key-of-the-caller']) expect(body).toContain(secret)
  })

  test('refuse throws as fetch does', async () => {
    await expect(createVendor().post('flash-refuse:generateContent', BODY)).rejects.toBeInstanceOf(TypeError)
  })
})

describe('answers that do not end well', () => {
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
    const vendor = createVendor()
    const { text, error } = await readEvents(
      await vendor.post(`flash-break-${count}:streamGenerateContent?alt=sse`, BODY),
    )
    expect(payloadsOf(text)).toHaveLength(count)
    expect(error).toBeInstanceOf(Error)
    expect(vendor.seen.at(-1)).toMatchObject({ kind: 'broken', sent_events: count })
  })

  test.each([0, 1, 3])('error-%i sends an error record after that many events, and ends', async (count) => {
    const events = await createVendor().stream(`flash-error-${count}`, BODY)
    expect(events).toHaveLength(count + 1)
    expect(events.at(-1)?.error?.code).toBe(503)
  })

  test('break of a whole answer comes after half of it', async () => {
    const { text, error } = await readEvents(await createVendor().post('flash-break-0:generateContent', BODY))
    expect(text.length).toBeGreaterThan(0)
    expect(() => JSON.parse(text)).toThrow()
    expect(error).toBeInstanceOf(Error)
  })

  test.each(['generateContent', 'streamGenerateContent?alt=sse', 'streamGenerateContent'])(
    'truncate of %s ends properly with a cut JSON',
    async (action) => {
      const { text, error } = await readEvents(await createVendor().post(`flash-truncate:${action}`, BODY))
      expect(error).toBeUndefined()
      expect(() => JSON.parse(payloadsOf(text).at(-1) ?? '')).toThrow()
    },
  )
})

describe('a caller who leaves', () => {
  const aborting = () => {
    const controller = new AbortController()
    return { controller, init: { signal: controller.signal } }
  }

  test('hang waits until he does', async () => {
    const vendor = createVendor()
    const { controller, init } = aborting()
    const answer = vendor.post('flash-hang:generateContent', BODY, init)
    controller.abort()
    await expect(answer).rejects.toThrow()
    await answer.catch(() => {})
    expect(vendor.seen.map(({ kind }) => kind)).toEqual(['request', 'aborted'])
  })

  test('his abort stops a stream', async () => {
    const vendor = createVendor()
    const { controller, init } = aborting()
    const response = await vendor.post('flash-stall-2:streamGenerateContent?alt=sse', BODY, init)
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.read()
    controller.abort()
    await expect(reader?.read()).rejects.toThrow()
    await reader?.closed.catch(() => {})
    expect(vendor.seen.at(-1)).toMatchObject({ kind: 'aborted', sent_events: 2 })
  })

  test('cancelling the body stops a stream', async () => {
    const vendor = createVendor()
    const response = await vendor.post('flash-stall-1:streamGenerateContent?alt=sse', BODY)
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(vendor.seen.at(-1)).toMatchObject({ kind: 'aborted', sent_events: 1 })
  })

  test('a body that nobody reads is not made further than its first piece', async () => {
    const vendor = createVendor()
    const response = await vendor.post('flash-events-100:streamGenerateContent?alt=sse', BODY)
    await Bun.sleep(1)
    expect(vendor.waits_ms.length).toBeLessThan(5)
    await response.body?.cancel()
  })
})

describe("the vendor's own SDK, over a real socket", () => {
  const seen: SimulatorEvent[] = []
  const simulator = createSimulator({ onEvent: (event) => seen.push(event) })
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: simulator.fetch })
  afterAll(() => server.stop(true))
  const ai = new GoogleGenAI({ apiKey: 'key-of-the-caller', httpOptions: { baseUrl: server.url.href } })
  const question = { contents: 'Why do tides rise?' }

  test('a whole answer', async () => {
    const answer = await ai.models.generateContent({ model: 'flash', ...question })
    expect(answer.text).toBe(textOf(await createVendor().whole('flash', BODY)))
    expect(answer.usageMetadata?.totalTokenCount).toBeGreaterThan(0)
  })

  test('a stream', async () => {
    const texts: (string | undefined)[] = []
    for await (const event of await ai.models.generateContentStream({ model: 'flash', ...question })) {
      texts.push(event.text)
    }
    expect(texts.length).toBeGreaterThan(1)
    expect(texts.join('')).toBe(textOf(await createVendor().whole('flash', BODY)))
  })

  test('a refusal', async () => {
    await expect(ai.models.generateContent({ model: 'flash-fail-503', ...question })).rejects.toMatchObject({
      status: 503,
    })
  })

  test('a caller who leaves is seen', async () => {
    const controller = new AbortController()
    const init = { method: 'POST', body: JSON.stringify(BODY), signal: controller.signal }
    const path = 'v1beta/models/flash-stall-1:streamGenerateContent?alt=sse'
    const response = await fetch(`${server.url}${path}`, init)
    await response.body?.getReader().read()
    controller.abort()
    while (seen.at(-1)?.kind !== 'aborted') await Bun.sleep(1)
    expect(seen.at(-1)).toMatchObject({ kind: 'aborted', sent_events: 1 })
  })
})
