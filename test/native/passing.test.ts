// Between equal protocols every byte passes: the provider gets what the caller sent, and the caller what the provider sent.
import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { lines } from '../protocols/gemini/recordings.ts'
import { PROVIDER, PROVIDER_KEYS, UPSTREAM_MODEL } from '../support/catalogue.ts'
import {
  answer,
  answering,
  arrayPath,
  ask,
  payloadsOf,
  piece,
  streamPath,
  wholePath,
} from '../support/native.ts'
import { fileScene, scene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { eventBytes, inChunks, type Step, splitAt, stream, whole } from '../support/upstream.ts'

/** Callers and the provider call it by the same name: its answers have nothing to change. */
const SAME_NAME = UPSTREAM_MODEL
const AS_NAMED = modelSection(SAME_NAME, { [PROVIDER]: SAME_NAME })
const { gateway, upstream, key, call, recatalogue, counts, expectCounts } = await fileScene({
  more: AS_NAMED,
})
beforeEach(() => upstream.answer(answering))

const PATHS = [wholePath(), streamPath(), arrayPath()]
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
  ['escapes of every kind', `{"contents":[{"parts":[{"text":"\\u0041\\/\\ud83d\\ude00\\n"}]}]}`],
  ['characters of four bytes', `{"contents":[{"parts":[{"text":"😀 é 漢"}]}]}`],
  ['a lone surrogate', `{"contents":[{"parts":[{"text":"\\ud800"}]}]}`],
  ['snake case', `{${contents},"system_instruction":{"parts":[${text}]},"safety_settings":[]}`],
  ['a system instruction', `{${contents},"systemInstruction":{"parts":[${text}]}}`],
  [
    'tools and their mode',
    `{${contents},"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT"}}]},{"function_declarations":[]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}}`,
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
/** The usual provider may be silent for two hours, that of the model `impatient` only for a moment. */
const WITH_IMPATIENT_PROVIDER = {
  provider: 'idle_timeout_ms = 7200000',
  more: (url: string) => `
${providerSection('impatient', 'gemini', url, 'idle_timeout_ms = 100', [])}
${modelSection('impatient', { impatient: 'x' })}
`,
}
/** spec.md, Native generation request: "Allowed image MIME types". */
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif']

describe('fields that decide the price reach every server of the protocol as the gateway read them', () => {
  test.each([
    [
      'snake case, which not all servers know',
      `{"generation_config":{"max_output_tokens":100,"top_k":3},${contents},"x":1.0}`,
      `{${contents},"x":1.0,"generationConfig":{"maxOutputTokens":100,"topK":3}}`,
    ],
    [
      'snake case further in',
      `{${contents},"generationConfig":{"candidate_count":2}}`,
      `{${contents},"generationConfig":{"candidateCount":2}}`,
    ],
    ['a count with a fraction', `{${contents},"generationConfig":{"maxOutputTokens":7.0}}`, undefined],
    ['a model, which the address names', `{"model":"models/dear",${contents}}`, `{${contents}}`],
    ['a byte order mark', `\ufeff{${contents}}`, `{${contents}}`],
  ])('%s', async (_, body, sent = `{${contents},"generationConfig":{"maxOutputTokens":7}}`) => {
    const response = await call(wholePath(), body)
    expect(response.status).toBe(200)
    expect(upstream.last().body.toString()).toBe(sent)
  })
})

describe('"Unknown fields pass through untouched": the body is sent upstream byte for byte', () => {
  test.each(PATHS.flatMap((path) => BODIES.map(([what, body]) => [path, what, body] as const)))(
    '%s: %s',
    async (path, _, body) => {
      const response = await call(path, body)
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
    expect((await call(wholePath(), body)).status).toBe(200)
    expect(upstream.last().body.toString()).toBe(body)
  })

  test('any JSON beside the contents, at random', async () => {
    const property = fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), fc.string(), async (value, spaces) => {
      const blank = spaces.replace(/[^ \n\t\r]/g, ' ')
      const body = `{${contents},"extra":${JSON.stringify(value)}${blank}}`
      const response = await call(wholePath(), body)
      expect(response.status).toBe(200)
      await response.text()
      expect(upstream.last().body.toString()).toBe(body)
    })
    await fc.assert(property, { numRuns: 50 })
  })

  test('a body of an unannounced length, too', async () => {
    const body = `{ ${contents} , "x":1.0}`
    const response = await call(wholePath(), inChunks(body, 7))
    expect(response.status).toBe(200)
    expect(upstream.last().body.toString()).toBe(body)
  })
})

describe('the request that is sent upstream', () => {
  test.each([
    [wholePath(), `/v1beta/models/${UPSTREAM_MODEL}:generateContent`],
    [streamPath(), `/v1beta/models/${UPSTREAM_MODEL}:streamGenerateContent?alt=sse`],
    [arrayPath(), `/v1beta/models/${UPSTREAM_MODEL}:streamGenerateContent?alt=sse`],
    [`${wholePath()}?alt=json&prettyPrint=true&x=%2F..`, `/v1beta/models/${UPSTREAM_MODEL}:generateContent`],
  ])('%s: the provider’s own path, and nothing of the caller’s query', async (path, sent_to) => {
    await (await call(path, ask())).text()
    expect([upstream.last().method, upstream.last().path]).toEqual(['POST', sent_to])
  })

  test.each(['meta/llama-4', 'meta%2Fllama-4'])('a model whose id contains a slash: %s', async (id) => {
    const route = `routes = [{ provider = "${PROVIDER}", model = "tuned/x" }]`
    const more = `[[models]]\nid = "meta/llama-4"\nkind = "text"\n${route}\nprice = { input = 1, output = 1 }`
    await recatalogue({ more: AS_NAMED + more })
    expect((await call(wholePath(id), ask())).status).toBe(200)
    expect(upstream.last().path).toBe('/v1beta/models/tuned/x:generateContent')
  })

  test('the provider’s key in a header, and no header of the caller’s', async () => {
    const headers = {
      'x-goog-api-client': 'sdk/1.0',
      'x-goog-user-project': 'p',
      cookie: 'a=b',
      'x-forwarded-for': '203.0.113.9',
      'accept-language': 'de',
      'x-secret-of-the-caller': 'y',
      'user-agent': 'callers-own',
    }
    await (await call(wholePath(), ask(), { headers })).text()
    const seen = upstream.last().headers
    expect(seen['x-goog-api-key']).toBe(PROVIDER_KEYS[0])
    expect(seen['content-type']).toBe('application/json')
    for (const name of Object.keys(headers)) expect(seen[name] ?? '').not.toBe(headers[name as 'cookie'])
    expect(seen.authorization).toBeUndefined()
  })
})

describe('a whole answer is the provider’s, byte for byte', () => {
  test.each([
    [
      'odd white space and numbers',
      `{ "candidates":[{"finishReason":"SAFETY","avgLogprobs":-0.10}],\n"usageMetadata":{"promptTokenCount":1} }\n`,
    ],
    [
      'unknown fields',
      '{"candidates":[{"finishReason":"SAFETY"}],"usageMetadata":{"promptTokenCount":3},"new":{"x":[1,2]},"n":12345678901234567890}',
    ],
    ['characters of four bytes', JSON.stringify(answer('😀 漢字 é'))],
    ['a recording', lines('whole-text')[0] ?? ''],
  ])('%s', async (_, body) => {
    upstream.answer(whole(body, { 'x-provider-trace': 'abc', 'set-cookie': 'a=b', server: 'provider' }))
    const response = await call(wholePath(SAME_NAME), ask())
    expect(await response.text()).toBe(body)
    expect(response.headers.get('content-type')).toBe('application/json')
    for (const name of ['x-provider-trace', 'set-cookie', 'server'])
      expect(response.headers.has(name)).toBe(false)
  })

  test('several megabytes, as of an image', async () => {
    const data = Buffer.alloc(3_000_000, 'x').toString('base64')
    const body = JSON.stringify({
      candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] } }],
      usageMetadata: {},
    })
    upstream.answer(whole(body))
    expect(await (await call(wholePath(SAME_NAME), ask())).text()).toBe(body)
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
    const response = await call(streamPath(SAME_NAME), ask())
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await response.text()).toBe(sent)
  })

  test('however it is split into packets: inside a character, a line end, a word', async () => {
    const sent = Buffer.concat([
      eventBytes(piece('😀 漢')),
      eventBytes(piece(' é\n')),
      eventBytes(answer('end')),
    ])
    const property = fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: sent.length - 1 }), { maxLength: 12 }),
      async (places) => {
        upstream.answer(stream(...splitAt(sent, ...places.sort((a, b) => a - b))))
        const response = await call(streamPath(SAME_NAME), ask())
        expect(Buffer.from(await response.bytes()).equals(sent)).toBe(true)
      },
    )
    await fc.assert(property, { numRuns: 30 })
    await gateway.rest()
  })

  test('an event reaches the caller when the provider sends it, not at the end of the answer', async () => {
    const more = Promise.withResolvers<void>()
    upstream.answer(stream({ event: piece('first') }, { wait: more.promise }, { event: answer('last') }))
    const response = await call(streamPath(), ask())
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('first')
    more.resolve()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('last')
    expect((await reader.read()).done).toBe(true)
  })

  test('"No `:` comment lines on native streams": the gateway adds none in an hour of silence', async () => {
    let offset_ms = 0
    const silence = Promise.withResolvers<void>()
    const pause: Step = { wait: silence.promise }
    await using s = await scene({
      ...WITH_IMPATIENT_PROVIDER,
      script: stream({ event: piece('first') }, pause, { event: answer('last') }),
      now: () => Date.now() + offset_ms,
    })
    const response = await s.call(streamPath(), ask())
    const impatient = await s.call(streamPath('impatient'), ask())
    offset_ms = 3_600_000
    // The end of this stream shows that the gateway's timers have run since.
    expect(payloadsOf(await impatient.text())).toHaveLength(2)
    silence.resolve()
    const sent = Buffer.concat([piece('first'), answer('last')].map(eventBytes)).toString()
    expect(await response.text()).toBe(sent)
  })

  test('comment lines of the provider are dropped, for they may name internal addresses; other lines pass', async () => {
    const sent = `event: message\nid: 1\ndata: ${JSON.stringify(answer())}\n\n`
    upstream.answer(stream({ send: `: by 10.0.0.7\n\n: again\n${sent}` }))
    expect(await (await call(streamPath(), ask())).text()).toBe(sent)
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
    const response = await call(arrayPath(SAME_NAME), ask())
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual(lines(name).map((line) => JSON.parse(line)))
  })

  test('its elements arrive one by one', async () => {
    const more = Promise.withResolvers<void>()
    upstream.answer(stream({ event: piece('first') }, { wait: more.promise }, { event: answer('last') }))
    const response = await call(arrayPath(), ask())
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
    '%s is answered with a JSON array, too',
    async (query) => {
      const response = await call(arrayPath() + query, ask())
      expect(await response.json()).toEqual([answer()])
    },
  )

  test.each(['?key=KEY&alt=sse', '?alt=sse&key=KEY', '?alt=sse&x=1'])(
    '%s is answered with a stream of events',
    async (query) => {
      const response = await call(arrayPath() + query.replace('KEY', key), ask())
      expect(payloadsOf(await response.text())).toEqual([answer()])
    },
  )
})

describe('one object in place of a list, where Google’s own server and SDKs take one', () => {
  const CONTENT = { role: 'user', parts: { text: 'Hi' } }
  const TOOL = { functionDeclarations: [{ name: 'f' }] }

  test.each([
    ['contents as one object', { contents: CONTENT }, { contents: [CONTENT] }],
    ['tools as one object', { ...ask(), tools: TOOL }, { tools: [TOOL] }],
    ['both', { contents: CONTENT, tools: TOOL }, { contents: [CONTENT], tools: [TOOL] }],
    ['lists stay', { contents: [CONTENT], tools: [TOOL] }, { contents: [CONTENT], tools: [TOOL] }],
  ])('%s', async (_, body, expected) => {
    expect((await call(wholePath(), body)).status).toBe(200)
    expect(JSON.parse(upstream.last().body.toString())).toMatchObject(expected)
  })

  test('a single tool that the provider bills is refused as in a list', async () => {
    const [single, list] = await Promise.all(
      [{ googleSearch: {} }, [{ googleSearch: {} }]].map((tools) => call(wholePath(), { ...ask(), tools })),
    )
    expect([single?.status, list?.status]).toEqual([400, 400])
  })

  test.each([
    ['an object without parts', { contents: {} }],
    ['a list in a list', { contents: [[CONTENT]] }],
  ])('refused: %s', async (_, body) => {
    const before = counts()
    expect((await call(wholePath(), body)).status).toBe(400)
    await expectCounts(before)
  })
})
