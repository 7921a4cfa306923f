// "passed on byte for byte": what the vendor gets is what the caller sent, and what the caller gets is what the vendor sent.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { lines } from '../protocols/gemini/recordings.ts'
import { catalogueOf, MODEL, PROVIDER_KEYS, UPSTREAM_MODEL } from '../support/catalogue.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { answer, ask, payloadsOf, piece, streamPath, wholePath } from '../support/native.ts'
import {
  eventBytes,
  events,
  inChunks,
  splitAt,
  startUpstream,
  stream,
  type Upstream,
  whole,
} from '../support/upstream.ts'

let upstream: Upstream
let gateway: TestGateway
let key: string

beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startTestGateway({ upstream })
  key = await gateway.caller('100')
})
afterAll(async () => {
  await gateway.stop()
  await upstream[Symbol.asyncDispose]()
})
beforeEach(() => {
  upstream.answer((seen) => (seen.path.includes(':stream') ? events([answer()]) : whole(answer())))
})

const ARRAY_PATH = `/v1beta/models/${MODEL}:streamGenerateContent`
const PATHS = [wholePath(), streamPath(), ARRAY_PATH]
const text = '{"text":"Hi"}'
const contents = `"contents":[{"parts":[${text}]}]`

const BODIES: [string, string | Uint8Array][] = [
  ['odd white space', `\n {\t"contents" : [ {"parts":\r\n[ ${text} ] } ]  }\n\n`],
  ['keys in another order', `{"tools":[],"safetySettings":[],${contents},"cachedContent":""}`],
  ['unknown fields', `{${contents},"newField":{"a":[1,null,true]},"another":"x"}`],
  ['unknown fields of a part', `{"contents":[{"parts":[{"text":"Hi","novel":{"x":1}}],"who":"me"}]}`],
  ['integers beyond 2^53', `{${contents},"seed":12345678901234567890,"n":-9223372036854775808}`],
  ['numbers as they are written', `{${contents},"x":1.0,"y":1E2,"z":0.10,"w":-0}`],
  ['duplicate keys', `{"x":1,${contents},"x":2}`],
  ['escapes of every sort', `{"contents":[{"parts":[{"text":"\\u0041\\/\\ud83d\\ude00\\n"}]}]}`],
  ['characters of four bytes', `{"contents":[{"parts":[{"text":"😀 é 漢"}]}]}`],
  ['a lone surrogate', `{"contents":[{"parts":[{"text":"\\ud800"}]}]}`],
  ['a byte order mark', Buffer.from(`\ufeff{${contents}}`)],
  [
    'snake case',
    `{${contents},"generation_config":{"max_output_tokens":100},"system_instruction":{"parts":[${text}]}}`,
  ],
  ['a system instruction', `{${contents},"systemInstruction":{"parts":[${text}]}}`],
  [
    'tools and their mode',
    `{${contents},"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT"}}]},{"googleSearch":{}}],"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}}`,
  ],
  [
    'safety settings',
    `{${contents},"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}]}`,
  ],
  ['a thinking budget of 0', `{${contents},"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}}`],
  [
    'a thinking budget of -1',
    `{${contents},"generationConfig":{"thinkingConfig":{"thinkingBudget":-1,"includeThoughts":true}}}`,
  ],
  ['a cached content', `{${contents},"cachedContent":"cachedContents/abc"}`],
  ['__proto__ as a key', `{${contents},"__proto__":{"x":1},"constructor":1}`],
]
/** spec.md, "Allowed image MIME types". */
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif']

describe('what the price hangs on has one value: the one that was read', () => {
  test.each([wholePath(), streamPath()])(
    '%s: a second generationConfig cannot ask for more',
    async (path) => {
      const twice = `{"generationConfig":{"maxOutputTokens":9999},${contents},"generationConfig":{"maxOutputTokens":7}}`
      const response = await gateway.call(path, twice, { key })
      expect(response.status).toBe(200)
      await response.text()
      const seen = upstream.last().body.toString()
      expect(seen.match(/"maxOutputTokens":7\b/g)).toHaveLength(2)
      expect(seen).not.toContain('9999')
      await gateway.atRest()
    },
  )
})

describe('"Unknown fields pass through untouched": the body goes to the vendor byte for byte', () => {
  test.each(PATHS.flatMap((path) => BODIES.map(([what, body]) => [path, what, body] as const)))(
    '%s: %s',
    async (path, _, body) => {
      const response = await gateway.call(path, body, { key })
      expect(response.status).toBe(200)
      await response.text()
      expect(upstream.last().body.equals(Buffer.from(body))).toBe(true)
    },
  )

  test.each(
    IMAGE_TYPES.flatMap((type) => [
      [type, `{"inline_data":{"mime_type":"${type}","data":"AAECAwQ="}}`],
      [type, `{"inlineData":{"mimeType":"${type}","data":"AAECAwQ="}}`],
    ]),
  )('an image part of %s: %s', async (_, part) => {
    const body = `{"contents":[{"role":"user","parts":[${part},${text}]}]}`
    expect((await gateway.call(wholePath(), body, { key })).status).toBe(200)
    expect(upstream.last().body.toString()).toBe(body)
  })

  test('any JSON besides the contents, by chance', async () => {
    const property = fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), fc.string(), async (value, spaces) => {
      const blank = spaces.replace(/[^ \n\t\r]/g, ' ')
      const body = `{${contents},"extra":${JSON.stringify(value)}${blank}}`
      const response = await gateway.call(wholePath(), body, { key })
      expect(response.status).toBe(200)
      await response.text()
      expect(upstream.last().body.toString()).toBe(body)
    })
    await fc.assert(property, { numRuns: 50 })
  })

  test('sent in chunks of no announced length too', async () => {
    const body = `{ ${contents} , "x":1.0}`
    const response = await gateway.call(wholePath(), inChunks(body, 7), { key })
    expect(response.status).toBe(200)
    expect(upstream.last().body.toString()).toBe(body)
  })
})

describe('what the vendor is asked', () => {
  test.each([
    [wholePath(), `/v1beta/models/${UPSTREAM_MODEL}:generateContent`],
    [streamPath(), `/v1beta/models/${UPSTREAM_MODEL}:streamGenerateContent?alt=sse`],
    [ARRAY_PATH, `/v1beta/models/${UPSTREAM_MODEL}:streamGenerateContent?alt=sse`],
    [`${wholePath()}?alt=json&prettyPrint=true&x=%2F..`, `/v1beta/models/${UPSTREAM_MODEL}:generateContent`],
  ])('%s: its own path, and nothing of the caller’s query', async (path, asked) => {
    await (await gateway.call(path, ask(), { key })).text()
    expect([upstream.last().method, upstream.last().path]).toEqual(['POST', asked])
  })

  test.each(['meta/llama-4', 'meta%2Fllama-4'])('of a model whose id holds a slash: %s', async (id) => {
    const route = 'routes = [{ provider = "vendor", model = "tuned/x" }]'
    const more = `[[models]]\nid = "meta/llama-4"\nkind = "text"\n${route}\nprice = { input = 1, output = 1 }`
    await gateway.recatalogue(catalogueOf({ upstream_url: upstream.url, more }))
    expect((await gateway.call(wholePath(id), ask(), { key })).status).toBe(200)
    expect(upstream.last().path).toBe('/v1beta/models/tuned/x:generateContent')
  })

  test('with the gateway’s key in a header, and no header of the caller’s', async () => {
    const headers = {
      'x-goog-api-client': 'sdk/1.0',
      'x-goog-user-project': 'p',
      cookie: 'a=b',
      'x-forwarded-for': '203.0.113.9',
      'accept-language': 'de',
      'x-secret-of-the-caller': 'y',
      'user-agent': 'callers-own',
    }
    await (await gateway.call(wholePath(), ask(), { key, headers })).text()
    const seen = upstream.last().headers
    expect(seen['x-goog-api-key']).toBe(PROVIDER_KEYS[0])
    expect(seen['content-type']).toBe('application/json')
    for (const name of Object.keys(headers)) expect(seen[name] ?? '').not.toBe(headers[name as 'cookie'])
    expect(seen.authorization).toBeUndefined()
  })
})

describe('a whole answer is the vendor’s, byte for byte', () => {
  test.each([
    [
      'odd white space and numbers',
      `{ "candidates":[{"finishReason":"STOP","avgLogprobs":-0.10}],\n"usageMetadata":{"promptTokenCount":1} }\n`,
    ],
    [
      'what nobody knows yet',
      '{"candidates":[],"usageMetadata":{"promptTokenCount":3},"new":{"x":[1,2]},"n":12345678901234567890}',
    ],
    ['characters of four bytes', JSON.stringify(answer('😀 漢字 é'))],
    ['a recording', lines('whole-text')[0] ?? ''],
  ])('%s', async (_, body) => {
    upstream.answer(whole(body, { 'x-vendor-trace': 'abc', 'set-cookie': 'a=b', server: 'vendor' }))
    const response = await gateway.call(wholePath(), ask(), { key })
    expect(await response.text()).toBe(body)
    expect(response.headers.get('content-type')).toBe('application/json')
    for (const name of ['x-vendor-trace', 'set-cookie', 'server'])
      expect(response.headers.has(name)).toBe(false)
  })

  test('of several megabytes, as images make it', async () => {
    const data = Buffer.alloc(3_000_000, 'x').toString('base64')
    const body = JSON.stringify({
      candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] } }],
      usageMetadata: {},
    })
    upstream.answer(whole(body))
    expect(await (await gateway.call(wholePath(), ask(), { key })).text()).toBe(body)
  })
})

const RECORDINGS = [
  'stream-text',
  'stream-thinking',
  'stream-function-call',
  'stream-cached',
  'stream-image',
  'stream-prompt-blocked',
  'stream-safety-finish',
  'stream-thinking-exhausted',
  'stream-audio-input',
  'stream-usage-at-end',
]

describe('":streamGenerateContent?alt=sse": records of one line "data: <json>" and a blank line', () => {
  test.each(RECORDINGS)('%s, as it was recorded', async (name) => {
    const sent = lines(name)
      .map((line) => `data: ${line}\r\n\r\n`)
      .join('')
    upstream.answer(stream({ send: sent }))
    const response = await gateway.call(streamPath(), ask(), { key })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await response.text()).toBe(sent)
  })

  test('however its packets are split: in the middle of a character, a line end, a word', async () => {
    const sent = Buffer.concat([
      eventBytes(piece('😀 漢')),
      eventBytes(piece(' é\n')),
      eventBytes(answer('end')),
    ])
    const property = fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: sent.length - 1 }), { maxLength: 12 }),
      async (places) => {
        upstream.answer(stream(...splitAt(sent, ...places.sort((a, b) => a - b))))
        const response = await gateway.call(streamPath(), ask(), { key })
        expect(Buffer.from(await response.bytes()).equals(sent)).toBe(true)
      },
    )
    await fc.assert(property, { numRuns: 30 })
    await gateway.atRest()
  })

  test('an event reaches the caller when the vendor sends it, not when the answer is over', async () => {
    const more = Promise.withResolvers<void>()
    upstream.answer(stream({ event: piece('first') }, { wait: more.promise }, { event: answer('last') }))
    const response = await gateway.call(streamPath(), ask(), { key })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('first')
    more.resolve()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('last')
    expect((await reader.read()).done).toBe(true)
  })

  test('"No `:` comment lines on native streams": the gateway adds none, however quiet the vendor is', async () => {
    upstream.answer(stream({ event: piece('first') }, { wait: 700 }, { event: answer('last') }))
    const text = await (await gateway.call(streamPath(), ask(), { key })).text()
    expect(text).toBe(Buffer.concat([piece('first'), answer('last')].map(eventBytes)).toString())
  })

  test('the same: those of the vendor are kept back, and may name what callers must not see; what else there is passes', async () => {
    const sent = `event: message\nid: 1\ndata: ${JSON.stringify(answer())}\n\n`
    upstream.answer(stream({ send: `: by 10.0.0.7\n\n: again\n${sent}` }))
    expect(await (await gateway.call(streamPath(), ask(), { key })).text()).toBe(sent)
  })
})

describe('"streamGenerateContent without alt=sse answers a JSON array, streamed"', () => {
  test.each(RECORDINGS)('%s', async (name) => {
    upstream.answer(
      stream({
        send: lines(name)
          .map((line) => `data: ${line}\r\n\r\n`)
          .join(''),
      }),
    )
    const response = await gateway.call(ARRAY_PATH, ask(), { key })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual(lines(name).map((line) => JSON.parse(line)))
  })

  test('its elements come one by one', async () => {
    const more = Promise.withResolvers<void>()
    upstream.answer(stream({ event: piece('first') }, { wait: more.promise }, { event: answer('last') }))
    const response = await gateway.call(ARRAY_PATH, ask(), { key })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(
      `[${JSON.stringify(piece('first'))}`,
    )
    more.resolve()
    let rest = ''
    for (let part = await reader.read(); !part.done; part = await reader.read())
      rest += Buffer.from(part.value)
    expect(rest).toBe(`,\r\n${JSON.stringify(answer('last'))}]`)
  })

  test.each(['?alt=json', '?alt=', '?alt=sse2', '?notalt=sse', '?x=alt=sse'])(
    'and so does %s',
    async (query) => {
      const response = await gateway.call(ARRAY_PATH + query, ask(), { key })
      expect(await response.json()).toEqual([answer()])
    },
  )

  test.each(['?key=KEY&alt=sse', '?alt=sse&key=KEY', '?alt=sse&x=1'])(
    'but %s is a stream of events',
    async (query) => {
      const response = await gateway.call(ARRAY_PATH + query.replace('KEY', key), ask(), { key })
      expect(payloadsOf(await response.text())).toEqual([answer()])
    },
  )
})
