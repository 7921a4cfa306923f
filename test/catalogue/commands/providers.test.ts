// `providers test`: one real request for each key and route, its result, and an exit status to rely on.
import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { createScene, sceneOfEachTest } from '../../app/commands/scene.ts'
import { RESET, refusal, type Script, startUpstream, whole } from '../../support/upstream.ts'

const upstream = await startUpstream()
afterAll(() => upstream[Symbol.asyncDispose]())
const { url } = upstream

const scene = sceneOfEachTest(() => {
  upstream.requests.length = 0
}, 'nothing')

const GOOD_KEY = 'good-key-0123456789'
const BAD_KEY = 'bad-key-0123456789'
const PRICE = {
  text: 'input = 1, output = 1',
  embedding: 'input = 1',
  image: 'per_image = 1',
  moderation: 'input = 1',
  rerank: 'per_search = 1',
  speech: 'per_minute = 1',
  transcription: 'per_minute = 1',
}

interface Route {
  kind?: keyof typeof PRICE
  provider?: string
  model?: string
}

const provider = (name: string, protocol: string, path = '', keys = [GOOD_KEY]) => `
[[providers]]
name = "${name}"
protocol = "${protocol}"
base_url = "${url}${path}"
api_keys = ${JSON.stringify(keys)}
`
let modelCount = 0
const model = ({ kind = 'text', provider = 'one', model = 'their-model' }: Route = {}) => `
[[models]]
id = "model-${++modelCount}"
kind = "${kind}"
routes = [{ provider = "${provider}", model = "${model}" }]
price = { ${PRICE[kind]} }
`
const catalogue = (...parts: string[]) => writeFileSync(scene.path('tollgate.toml'), parts.join(''))

const COMPLETION = whole({
  id: 'c',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'OK.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
})
const byKey: Script = ({ headers }) =>
  headers.authorization === `Bearer ${GOOD_KEY}`
    ? COMPLETION
    : refusal(401, { error: { message: `Incorrect API key provided: ${BAD_KEY}.`, code: 'invalid_api_key' } })

/** Runs it with --json. */
async function testProviders(...args: string[]) {
  const { status, out, err } = await scene.run('providers', 'test', ...args, '--json')
  return { status, err, ...JSON.parse(out) }
}

const OPENAI = provider('one', 'openai', '/v1')

describe('one request for each key and route', () => {
  test('reports the result of each key: address, status, words without secrets, latency; exits with 1', async () => {
    upstream.answer(byKey)
    catalogue(provider('one', 'openai', '/v1', [GOOD_KEY, BAD_KEY]), model())
    const { status, ok, tested: routes } = await testProviders()
    expect([status, ok]).toEqual([1, false])
    const address = `${url}/v1/chat/completions`
    const common = { provider: 'one', protocol: 'openai', kind: 'text', model: 'their-model', address }
    expect(routes).toEqual([
      {
        ...common,
        provider_key: 'one#1',
        ok: true,
        result: 'ok',
        status: 200,
        words: 'OK.',
        latency_ms: expect.any(Number),
        advice: null,
      },
      {
        ...common,
        provider_key: 'one#2',
        ok: false,
        result: 'bad key',
        status: 401,
        words: 'Incorrect API key provided: [hidden].',
        latency_ms: expect.any(Number),
        advice: expect.stringMatching(/^bad key: /),
      },
    ])
  })

  test('is small, and is sent like a call', async () => {
    upstream.answer(COMPLETION)
    catalogue(`${OPENAI}headers = { x-team = "blue" }\n`, model({ model: 'gpt-4o' }))
    expect((await testProviders()).status).toBe(0)
    const { path, headers, body } = upstream.last()
    expect(path).toBe('/v1/chat/completions')
    expect(headers).toMatchObject({
      authorization: `Bearer ${GOOD_KEY}`,
      'x-team': 'blue',
      'content-type': 'application/json',
      'accept-encoding': 'identity',
    })
    const sentBody = JSON.parse(body.toString())
    expect(sentBody).toMatchObject({ model: 'gpt-4o', messages: [{ role: 'user' }] })
    expect(sentBody.max_completion_tokens ?? sentBody.max_tokens).toBe(256)
    expect(body.length).toBeLessThan(300)
  })

  test('is sent once for an upstream model of several models', async () => {
    upstream.answer(COMPLETION)
    catalogue(OPENAI, model(), model(), model({ model: 'another' }))
    expect((await testProviders()).tested).toHaveLength(2)
    expect(upstream.requests).toHaveLength(2)
  })

  test('goes to the named provider only', async () => {
    upstream.answer(COMPLETION)
    catalogue(OPENAI, provider('two', 'openai', '/two/v1'), model(), model({ provider: 'two' }))
    expect((await testProviders('two')).tested).toMatchObject([{ provider: 'two', ok: true }])
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/two/v1/chat/completions'])
  })

  test('a key that is left out is not tested, and the others keep their numbers', async () => {
    upstream.answer(COMPLETION)
    catalogue(provider('one', 'openai', '/v1', ['env:NOT_SET', GOOD_KEY]), model())
    const { tested: routes, warnings, err } = await testProviders()
    expect(routes).toMatchObject([{ provider_key: 'one#2' }])
    expect(warnings).toMatchObject([{ path: 'providers[0].api_keys[0]' }])
    expect(err).toBe('')
  })
})

describe('images', () => {
  const IMAGE = whole({ created: 1, data: [{ b64_json: 'AAAA' }] })
  const parts = () => [OPENAI, model({ kind: 'image', model: 'gpt-image-1' })]

  test('cost money, so they are tested only with --images', async () => {
    catalogue(...parts())
    const { status, tested: routes, untested } = await testProviders()
    expect([status, routes]).toEqual([0, []])
    expect(untested).toEqual([{ provider: 'one', model: 'gpt-image-1', reason: 'image' }])
    expect(upstream.requests).toEqual([])
  })

  test('are tested by one image each', async () => {
    upstream.answer(IMAGE)
    catalogue(...parts())
    const { status, tested: routes } = await testProviders('--images')
    expect([status, routes]).toMatchObject([0, [{ kind: 'image', result: 'ok', status: 200 }]])
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/v1/images/generations'])
  })

  test('a refusal to generate fails', async () => {
    upstream.answer(refusal(400, { error: { message: 'No.', code: 'moderation_blocked' } }))
    catalogue(...parts())
    expect(await testProviders('--images')).toMatchObject({
      status: 1,
      tested: [{ result: 'refused', words: 'No.' }],
    })
  })
})

test('embeddings are tested too', async () => {
  upstream.answer(
    whole({ object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: [0.5, 1] }] }),
  )
  catalogue(OPENAI, model({ kind: 'embedding' }))
  expect(await testProviders()).toMatchObject({ status: 0, tested: [{ kind: 'embedding', ok: true }] })
  expect(upstream.last().path).toBe('/v1/embeddings')
})

describe('models priced by units get a small request', () => {
  const json = (body: object) => whole(body)
  const GOOD: [kind: keyof typeof PRICE, path: string, answer: Script, sentBody: RegExp][] = [
    ['moderation', '/v1/moderations', json({ results: [{ flagged: false }] }), /"input":"OK"/],
    ['rerank', '/v1/rerank', json({ results: [] }), /"documents":\["OK","No\."\]/],
    [
      'speech',
      '/v1/audio/speech',
      whole('sound', { 'content-type': 'audio/mpeg' }),
      /"input":"OK","voice":"alloy"/,
    ],
    [
      'transcription',
      '/v1/audio/transcriptions',
      json({ text: '' }),
      /name="model"\r\n\r\ntheir-model[\s\S]*filename="silence\.wav"[\s\S]*RIFF/,
    ],
  ]
  test.each(GOOD)('%s', async (kind, path, answer, sentBody) => {
    upstream.answer(answer)
    catalogue(OPENAI, model({ kind }))
    expect(await testProviders()).toMatchObject({ status: 0, tested: [{ kind, ok: true }], untested: [] })
    const { path: sent, headers, body } = upstream.last()
    expect([sent, headers.authorization]).toEqual([path, `Bearer ${GOOD_KEY}`])
    expect(body.toString('latin1')).toMatch(sentBody)
    expect(body.length).toBeLessThan(20_000)
  })

  test.each<[kind: keyof typeof PRICE, answer: Script, result: string, words: string]>([
    ['moderation', json({ hello: 1 }), 'failed', 'no results'],
    ['rerank', json({ results: {} }), 'failed', 'no results'],
    ['speech', json({ error: { message: 'x' } }), 'failed', 'no audio'],
    ['speech', whole('', { 'content-type': 'audio/mpeg' }), 'failed', 'empty answer'],
    ['transcription', json({ words: [] }), 'failed', 'no text'],
    [
      'transcription',
      refusal(400, { error: { message: 'Audio is too short.' } }),
      'refused',
      'Audio is too short.',
    ],
    ['speech', refusal(404, { error: { message: 'No such model.' } }), 'not found', 'No such model.'],
  ])('a failure of %s', async (kind, answer, result, words) => {
    upstream.answer(answer)
    catalogue(OPENAI, model({ kind }))
    const answered = await testProviders()
    expect(answered).toMatchObject({ status: 1, tested: [{ kind, result }] })
    expect(answered.tested[0].words).toContain(words)
  })
})

describe('a provider that also serves responses', () => {
  const byPath: Script = ({ path }) =>
    path.endsWith('/responses')
      ? whole({
          object: 'response',
          output: [{ type: 'message', content: [{ type: 'output_text', text: 'OK.' }] }],
        })
      : COMPLETION
  const BOTH = `${OPENAI}responses = true\n`

  test('is tested by both protocols, with a result for each', async () => {
    upstream.answer(byPath)
    catalogue(BOTH, model(), model({ kind: 'embedding', model: 'e' }))
    const { tested: routes } = await testProviders()
    expect(routes).toMatchObject([
      { kind: 'text', ok: true, address: `${url}/v1/chat/completions` },
      { kind: 'responses', ok: true, words: 'OK.', address: `${url}/v1/responses` },
      { kind: 'embedding' },
    ])
    expect(JSON.parse(upstream.requests[1]?.body.toString() ?? '')).toEqual({
      model: 'their-model',
      input: 'Reply with the word OK.',
      max_output_tokens: 256,
      store: false,
    })
  })

  test('without responses fails there alone', async () => {
    upstream.answer((seen, index) =>
      seen.path.endsWith('/responses')
        ? refusal(404, { error: { message: 'Not here.' } })
        : typeof byPath === 'function'
          ? byPath(seen, index)
          : byPath,
    )
    catalogue(BOTH, model())
    expect(await testProviders()).toMatchObject({
      status: 1,
      tested: [
        { kind: 'text', result: 'ok' },
        { kind: 'responses', result: 'not found', words: 'Not here.' },
      ],
    })
  })
})

describe('kinds of failures', () => {
  const HTML = '<html><title>Not found</title></html>'
  const cases: [name: string, script: Script, result: string, status: number | null, words: string][] = [
    ['a refused key', refusal(403, { error: { message: 'No access.' } }), 'bad key', 403, 'No access.'],
    ['no credit', refusal(402, { error: { message: 'Pay.' } }), 'bad key', 402, 'Pay.'],
    [
      'an unknown model',
      refusal(404, { error: { message: 'No such model.', code: 'model_not_found' } }),
      'not found',
      404,
      'No such model.',
    ],
    ['a web page', refusal(404, HTML), 'not found', 404, HTML],
    ['a limit', refusal(429, { error: { message: 'Slow down.' } }), 'rate limited', 429, 'Slow down.'],
    ['a bad request', refusal(400, { error: { message: 'Bad field.' } }), 'refused', 400, 'Bad field.'],
    ['an error', refusal(500, { error: { message: 'Oops.' } }), 'failed', 500, 'Oops.'],
    ['a redirect', refusal(301, ''), 'failed', 301, 'The provider answered with status 301 and no message.'],
    ['JSON that is no answer', whole({ hello: 'world' }), 'failed', 200, 'neither text nor usage'],
    ['a page under status 200', whole(HTML), 'failed', 200, 'sent no JSON object'],
    [
      'an error under status 200',
      whole({ error: { message: 'x' } }),
      'failed',
      200,
      'error under status 200',
    ],
    ['a broken connection', RESET, 'unreachable', null, ''],
  ]
  test.each(cases)('%s', async (_, script, result, status, words) => {
    upstream.answer(script)
    catalogue(OPENAI, model())
    const answered = await testProviders()
    expect(answered).toMatchObject({ status: 1, ok: false, tested: [{ result, status, ok: false }] })
    expect(answered.tested[0].words).toContain(words)
  })

  test('a provider that does not answer in time', async () => {
    upstream.answer({ steps: ['hang'] })
    catalogue(`${OPENAI}call_timeout_ms = 50\n`, model())
    expect(await testProviders()).toMatchObject({ status: 1, tested: [{ result: 'too slow', status: null }] })
  })

  test('an address without a server', async () => {
    catalogue(OPENAI.replace(url, 'http://127.0.0.1:1'), model())
    expect(await testProviders()).toMatchObject({
      status: 1,
      tested: [{ result: 'unreachable', status: null }],
    })
  })

  test.each([
    ['anthropic', '/v1/messages', 'x-api-key'],
    ['gemini', '/v1beta/models/their-model:generateContent', 'x-goog-api-key'],
  ])('a refused key of %s', async (protocol, path, header) => {
    upstream.answer(refusal(401, { type: 'error', error: { message: 'invalid key' } }))
    catalogue(provider('one', protocol), model())
    expect(await testProviders()).toMatchObject({
      tested: [{ result: 'bad key', words: 'invalid key', address: url + path }],
    })
    expect(upstream.last().headers[header]).toBe(GOOD_KEY)
  })
})

describe('refusals before anything is sent', () => {
  test.each([
    ['an unknown provider', ['nope'], 'Provider "nope" not found. Enabled providers: one'],
    ['a disabled provider', ['two'], 'needs the environment variable NOT_SET, which is not set'],
  ])('%s', async (_, args, message) => {
    catalogue(OPENAI, provider('two', 'openai', '/v1', ['env:NOT_SET']), model())
    const { status, out, err } = await scene.run('providers', 'test', ...args)
    expect([status, out]).toEqual([1, ''])
    expect(err).toContain(message)
    expect(upstream.requests).toEqual([])
  })

  test('a catalogue with mistakes', async () => {
    catalogue(OPENAI, model({ provider: 'nobody' }))
    const { status, err } = await scene.run('providers', 'test')
    expect(status).toBe(1)
    expect(err).toContain('unknown provider "nobody"')
  })
})

test('the table fits 80 columns, and says what to do about each kind of failure', async () => {
  const LONG = `a-model-with-a-very-long-name/${'x'.repeat(60)}`
  upstream.answer(refusal(401, { error: { message: `${'Key not valid. '.repeat(12)}${'y'.repeat(200)}` } }))
  catalogue(
    provider('one', 'gemini', `/${'long-path/'.repeat(9)}v`, [BAD_KEY, GOOD_KEY]),
    provider('idle', 'gemini'),
    model({ model: LONG }),
    model({ kind: 'image' }),
  )
  const { status, out } = await scene.run('providers', 'test')
  expect(status).toBe(1)
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
  expect(out).toMatch(/^ {2}2 {2}a-model-with-a-very-long-name\/xx… {2}text {2}bad key {5}401 +\d+$/m)
  expect(out).toContain('bad key: check the key (api_keys)')
  expect(out).toContain('Not tested: one:their-model (--images tests image models')
  expect(out).toContain('Not tested: idle (no model has a route to it: add one in [[models]]).')
  expect(out).toEndWith('Requests: 2, failed: 2.')
})

test('the table fits 80 columns with the longest kind, too', async () => {
  upstream.answer(refusal(429, { error: { message: 'Slow down.' } }))
  catalogue(
    OPENAI,
    model({ kind: 'transcription', model: 'a-model-with-a-very-long-name-of-its-own' }),
    model(),
  )
  const { out } = await scene.run('providers', 'test')
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
  expect(out).toMatch(
    /^ {2}1 {2}a-model-with-a-very-long-nam… {2}transcription {2}rate limited {5}429 +\d+$/m,
  )
})

test('the simulated providers of the first catalogue all answer', async () => {
  using first = createScene()
  const { status, out } = await first.run('providers', 'test', '--images')
  expect([status, out.split('\n').at(-1)]).toEqual([0, 'Requests: 13, failed: 0.'])
})
