// Transcriptions and translations: POST /v1/audio/transcriptions and /translations, held by the audio's duration and settled by the reported usage.
import { beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { estimateTokens } from '../../src/domain/token-estimate.ts'
import { PROVIDER_KEYS } from '../support/catalogue.ts'
import { fileScene } from '../support/scene.ts'
import { UPSTREAM, unitModels } from '../support/unit-models.ts'
import { events, inChunks, RESET, refusal, SILENCE, whole } from '../support/upstream.ts'

const { gateway, upstream, key, call, lastCall, counts, expectCounts } = await fileScene({ more: unitModels })
const sdk = new OpenAI({ apiKey: key, baseURL: new URL('/v1', gateway.url).href, maxRetries: 0 })
beforeEach(() => {
  upstream.requests.length = 0
})

const PATH = '/v1/audio/transcriptions'
const WAV = readFileSync(join(import.meta.dir, '../fixtures/audio/tone.wav'))
const WAV_MS = 2_500
/** 100,000 bytes at 16,000 a second: a length of 0 reaches to the end. */
const LONG_WAV = Buffer.concat([
  WAV.subarray(0, WAV.indexOf('data')),
  Buffer.from('data\0\0\0\0', 'latin1'),
  Buffer.alloc(100_000),
])
const LONG_WAV_MS = 6_250
/** USD 0.006 a minute is 100 nano-dollars a millisecond. */
const MS_NANOS = 100
const wavFile = () => new File([WAV], 'tone.wav', { type: 'audio/wav' })

type Fields = readonly (readonly [name: string, value: string | File])[]
async function post(
  fields: Fields,
  {
    path = PATH,
    ...options
  }: { path?: string; key?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
) {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '', ...options.headers }
  return call(path, await encoded.bytes(), { ...options, headers })
}
const transcribe = (model: string, ...more: Fields) => post([['model', model], ['file', wavFile()], ...more])

/** The form that the provider got. */
async function sentForm() {
  const { body, headers } = upstream.last()
  return new Response(new Uint8Array(body), {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData()
}

const tokens = ({
  output_tokens,
  ...input_token_details
}: Record<'audio_tokens' | 'text_tokens' | 'output_tokens', number>) => ({
  type: 'tokens',
  input_tokens: input_token_details.audio_tokens + input_token_details.text_tokens,
  input_token_details,
  output_tokens,
})

describe('a whole answer', () => {
  test('through the SDK: the form goes on with the model renamed, the file byte for byte', async () => {
    upstream.answer(whole({ text: 'A tone.', usage: { type: 'duration', seconds: 3 } }))
    const answer = await sdk.audio.transcriptions.create({
      model: 'ear',
      file: wavFile(),
      language: 'en',
      timestamp_granularities: ['word', 'segment'],
    })
    expect(answer.text).toBe('A tone.')
    expect(upstream.last().path).toBe('/v1/audio/transcriptions')
    expect(upstream.last().headers.authorization).toBe(`Bearer ${PROVIDER_KEYS[0]}`)
    const form = await sentForm()
    expect(form.get('model')).toBe(UPSTREAM)
    expect(form.get('language')).toBe('en')
    expect(form.getAll('timestamp_granularities[]')).toEqual(['word', 'segment'])
    const file = form.get('file') as unknown as File
    expect([file.name, file.type]).toEqual(['tone.wav', expect.stringMatching(/^audio\/(x-)?wav$/)])
    expect(Buffer.from(await file.arrayBuffer()).equals(WAV)).toBe(true)
    expect(await lastCall()).toMatchObject({
      surface: 'transcriptions',
      model: 'ear',
      estimated: 0,
      hold_nanos: WAV_MS * MS_NANOS,
      cost_nanos: 3_000 * MS_NANOS,
    })
  })

  test('a translation, through the SDK', async () => {
    upstream.answer(whole({ text: 'A tone.', usage: { type: 'duration', seconds: 2.5 } }))
    const answer = await sdk.audio.translations.create({ model: 'ear', file: wavFile() })
    expect(answer.text).toBe('A tone.')
    expect(upstream.last().path).toBe('/v1/audio/translations')
    expect(await lastCall()).toMatchObject({ surface: 'translations', cost_nanos: WAV_MS * MS_NANOS })
  })

  test('by tokens: text and audio each at their rate', async () => {
    const usage = {
      type: 'tokens',
      input_tokens: 40,
      input_token_details: { text_tokens: 15, audio_tokens: 25 },
      output_tokens: 9,
      total_tokens: 49,
    }
    upstream.answer(whole({ text: 'A tone.', usage }))
    await (await transcribe('ear-by-token', ['prompt', 'It is a tone.'])).text()
    expect(await lastCall()).toMatchObject({
      estimated: 0,
      input_tokens: 15,
      input_audio_tokens: 25,
      output_tokens: 9,
      cost_nanos: 15 * 2_500 + 25 * 6_000 + 9 * 10_000,
    })
  })

  test.each([
    ['text', 'text/plain; charset=utf-8', 'A tone.\n'],
    ['srt', 'text/plain', '1\n00:00:00,000 --> 00:00:02,500\nA tone.\n'],
    ['vtt', 'text/vtt', 'WEBVTT\n\n00:00.000 --> 00:02.500\nA tone.\n'],
  ])('as %s, which has no usage: charged by the parsed duration', async (format, type, text) => {
    upstream.answer(whole(text, { 'content-type': type }))
    const response = await transcribe('ear', ['response_format', format])
    expect([response.headers.get('content-type'), await response.text()]).toEqual([type, text])
    expect(await lastCall()).toMatchObject({ estimated: 1, cost_nanos: WAV_MS * MS_NANOS })
  })

  test.each<[name: string, more: Fields, ends: 'whole' | 'broken']>([
    ['as text', [['response_format', 'text']], 'whole'],
    ['as JSON without a usage', [], 'whole'],
    ['streamed, without a usage', [['stream', 'true']], 'whole'],
    ['streamed, and broken', [['stream', 'true']], 'broken'],
  ])('more text than the audio can hold, %s, costs no more than was held', async (_name, more, ends) => {
    const text = 'A tone. '.repeat(20_000)
    const pieces = [{ type: 'transcript.text.delta', delta: text }]
    const done = ends === 'broken' ? [] : [{ type: 'transcript.text.done', text: 'x' }]
    const answers = {
      text: whole(text, { 'content-type': 'text/plain' }),
      json: whole({ text }),
      events: events([...pieces, ...done]),
    }
    const [field] = more[0] ?? ['json']
    upstream.answer(answers[field === 'stream' ? 'events' : field === 'json' ? 'json' : 'text'])
    await (await transcribe('ear-by-token', ...more)).text()
    const { hold_nanos, cost_nanos, estimated, outcome } = await lastCall()
    expect([outcome, estimated, cost_nanos]).toEqual([
      ends === 'whole' ? 'completed' : 'broken',
      1,
      25 * 6_000 + 20 * 10_000,
    ])
    expect(hold_nanos).toBeGreaterThanOrEqual(cost_nanos)
  })

  test('by tokens without a usage: ten for a second of audio, and no more than eight for its text', async () => {
    const SECONDS = 200
    upstream.answer(whole({ text: 'A tone. '.repeat(20_000) }))
    const file = new File([Buffer.alloc(SECONDS * 1_000, 7)], 'strange.amr')
    await (
      await post([
        ['model', 'ear-by-token'],
        ['file', file],
      ])
    ).text()
    expect(await lastCall()).toMatchObject({
      estimated: 1,
      input_audio_tokens: SECONDS * 10,
      output_tokens: SECONDS * 8,
    })
  })

  test('as verbose_json: its duration counts', async () => {
    upstream.answer(whole({ task: 'transcribe', duration: 2.51, text: 'A tone.', segments: [] }))
    await (await transcribe('ear', ['response_format', 'verbose_json'])).text()
    expect(await lastCall()).toMatchObject({ estimated: 0, cost_nanos: 2_510 * MS_NANOS })
  })

  test.each([
    ['negative', -1],
    ['no number', 'long'],
    ['longer than the file can be', 1_000_000],
  ])('a duration that is %s is ignored', async (_name, seconds) => {
    upstream.answer(whole({ text: 'x', usage: { type: 'duration', seconds } }))
    await (await transcribe('ear')).text()
    expect(await lastCall()).toMatchObject({ estimated: 1, cost_nanos: WAV_MS * MS_NANOS })
  })

  /** Twice the duration of the file by the slowest codec, and a minute. */
  const LONGEST_MS = 2 * (WAV.length / 500) * 1_000 + 60_000
  /** Twice ten a second of it, and a thousand. */
  const MOST_TOKENS = Math.ceil(2 * 10 * (LONGEST_MS / 1_000)) + 1_000
  test.each<[name: string, model: string, usageOf: (over: 0 | 1) => object]>([
    ['duration', 'ear', (over) => ({ type: 'duration', seconds: (LONGEST_MS + over) / 1_000 })],
    [
      'audio',
      'ear-by-token',
      (over) => tokens({ audio_tokens: MOST_TOKENS + over, text_tokens: 0, output_tokens: 1 }),
    ],
    [
      'text',
      'ear-by-token',
      (over) => tokens({ audio_tokens: 1, text_tokens: 0, output_tokens: MOST_TOKENS + over }),
    ],
  ])('the highest possible %s is charged, and one more is estimated', async (_, model, usageOf) => {
    for (const over of [0, 1] as const) {
      upstream.answer(whole({ text: 'x', usage: usageOf(over) }))
      await (await transcribe(model)).text()
      expect((await lastCall()).estimated).toBe(over)
    }
  })

  test('a prompt is charged up to four times its estimate, beside the audio, and above that estimated', async () => {
    const prompt = 'a tone, '.repeat(1_000)
    for (const over of [0, 1] as const) {
      const text_tokens = MOST_TOKENS + 4 * estimateTokens(prompt) + over
      upstream.answer(whole({ text: 'x', usage: tokens({ audio_tokens: 1, text_tokens, output_tokens: 1 }) }))
      await (await transcribe('ear-by-token', ['prompt', prompt])).text()
      expect((await lastCall()).estimated).toBe(over)
    }
  })

  test('a reported zero costs nothing', async () => {
    upstream.answer(whole({ text: '', usage: { type: 'duration', seconds: 0 } }))
    await (await transcribe('ear')).text()
    expect(await lastCall()).toMatchObject({ estimated: 0, cost_nanos: 0 })
  })

  test('a file of an unknown container is held at 1 kB a second', async () => {
    upstream.answer(whole({ text: '' }))
    const file = new File([new Uint8Array(5_000).fill(7)], 'strange.amr')
    await (
      await post([
        ['model', 'ear'],
        ['file', file],
      ])
    ).text()
    expect(await lastCall()).toMatchObject({
      estimated: 1,
      hold_nanos: 5_000 * MS_NANOS,
      cost_nanos: 5_000 * MS_NANOS,
    })
  })

  test.each([
    ['that is known', 'long.wav', LONG_WAV, LONG_WAV_MS],
    ['that is not known', 'strange.amr', Buffer.alloc(100_000, 7), 100_000],
  ])('a long file of a container %s is measured, and goes on byte for byte', async (_, name, bytes, ms) => {
    upstream.answer(whole({ text: '' }))
    await (
      await post([
        ['model', 'ear'],
        ['file', new File([bytes], name)],
      ])
    ).text()
    expect(await lastCall()).toMatchObject({
      estimated: 1,
      hold_nanos: ms * MS_NANOS,
      cost_nanos: ms * MS_NANOS,
    })
    const sent = (await sentForm()).get('file')
    expect(sent instanceof File && Buffer.from(await sent.bytes()).equals(bytes)).toBe(true)
  })

  test('a file whose header states a part of its audio only is held and charged for all of it', async () => {
    upstream.answer({ ...whole('A tone.'), headers: { 'content-type': 'text/plain' } })
    const at = WAV.indexOf('data')
    const lead = Buffer.from('data\x02\0\0\0\0\0', 'latin1')
    const file = new File([WAV.subarray(0, at), lead, WAV.subarray(at)], 'tone.wav')
    const answer = await post([
      ['model', 'ear'],
      ['file', file],
      ['response_format', 'text'],
    ])
    expect(answer.status).toBe(200)
    await answer.text()
    const { hold_nanos, cost_nanos } = await lastCall()
    expect([hold_nanos, cost_nanos]).toEqual([(WAV_MS + 1) * MS_NANOS, (WAV_MS + 1) * MS_NANOS])
  })

  test('a large file arrives whole, its length announced or not', async () => {
    const bytes = new Uint8Array(6_000_000)
    bytes.set(WAV.subarray(0, 44))
    upstream.answer(whole({ text: 'Long.', usage: { type: 'duration', seconds: 375 } }))
    const encoded = new Response(
      (() => {
        const form = new FormData()
        form.append('file', new File([bytes], 'long.wav'))
        form.append('model', 'ear')
        return form
      })(),
    )
    const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
    const body = await encoded.bytes()
    for (const sent of [body, inChunks(body, 100_000)]) {
      expect(await (await call(PATH, sent, { headers })).json()).toMatchObject({ text: 'Long.' })
      const got = (await sentForm()).get('file') as unknown as File
      expect(got.size).toBe(bytes.length)
    }
  })
})

describe('streamed', () => {
  const deltas = ['A ', 'tone.'].map((delta) => ({ type: 'transcript.text.delta', delta }))
  const usage = {
    type: 'tokens',
    input_tokens: 30,
    input_token_details: { audio_tokens: 25, text_tokens: 5 },
    output_tokens: 4,
    total_tokens: 34,
  }
  const done = { type: 'transcript.text.done', text: 'A tone.', usage }

  test('events pass through the SDK, and the last one has the usage', async () => {
    upstream.answer(events([...deltas, done]))
    const stream = await sdk.audio.transcriptions.create({
      model: 'ear-by-token',
      file: wavFile(),
      stream: true,
    })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    expect(types).toEqual(['transcript.text.delta', 'transcript.text.delta', 'transcript.text.done'])
    expect((await sentForm()).get('stream')).toBe('true')
    expect(await lastCall()).toMatchObject({
      streamed: 1,
      estimated: 0,
      cost_nanos: 5 * 2_500 + 25 * 6_000 + 4 * 10_000,
    })
  })

  test('a model may answer as a whole all the same', async () => {
    upstream.answer(whole({ text: 'A tone.', usage: { type: 'duration', seconds: 2.5 } }))
    expect(await (await transcribe('ear', ['stream', 'true'])).json()).toMatchObject({ text: 'A tone.' })
    expect(await lastCall()).toMatchObject({ estimated: 0, cost_nanos: WAV_MS * MS_NANOS })
  })

  test('a stream that breaks is charged for the audio and for the text that came', async () => {
    upstream.answer(events(deltas))
    expect(await (await transcribe('ear-by-token', ['stream', 'true'])).text()).toContain('data: {"error":')
    expect(await lastCall()).toMatchObject({
      outcome: 'broken',
      estimated: 1,
      input_audio_tokens: 25,
      output_tokens: 2,
      cost_nanos: 25 * 6_000 + 2 * 10_000,
    })
  })

  test('a stream that breaks before any text costs nothing', async () => {
    upstream.answer(events([{ type: 'transcript.text.started' }]))
    await (await transcribe('ear', ['stream', 'true'])).text()
    expect(await lastCall()).toMatchObject({ outcome: 'broken', cost_nanos: 0 })
  })
})

describe('refused before anything is held', () => {
  const file = ['file', wavFile()] as const
  test.each<[name: string, status: number, param: string | null, fields: Fields]>([
    ['no file', 400, 'file', [['model', 'ear']]],
    [
      'a text in place of the file',
      400,
      'file',
      [
        ['model', 'ear'],
        ['file', 'x'],
      ],
    ],
    [
      'an empty file',
      400,
      'file',
      [
        ['model', 'ear'],
        ['file', new File([], 'x.wav')],
      ],
    ],
    ['a text beside the file', 400, 'file', [['model', 'ear'], ['file', 'x'], file]],
    ['two files', 400, 'file', [['model', 'ear'], file, file]],
    [
      'a file of another name',
      400,
      'audio',
      [
        ['model', 'ear'],
        ['audio', wavFile()],
      ],
    ],
    ['no model', 400, 'model', [file]],
    ['two models', 400, 'model', [['model', 'ear'], ['model', 'ear-by-token'], file]],
    ['a model in another spelling', 400, 'Model', [['model', 'ear'], ['Model', 'dear'], file]],
    ['a stream flag that is no flag', 400, 'stream', [['model', 'ear'], ['stream', 'yes'], file]],
    [
      'an unknown field, where the model refuses them',
      400,
      'speed',
      [['model', 'ear-strict'], ['speed', '2'], file],
    ],
    ['a model that does not exist', 404, null, [['model', 'none'], file]],
    ['a model of another kind', 404, null, [['model', 'voice'], file]],
  ])('%s', async (_name, status, param, fields) => {
    const before = counts()
    for (const path of [PATH, '/v1/audio/translations']) {
      const response = await post(fields, { path })
      const { error } = (await response.json()) as { error: { type: string; param: string | null } }
      expect([response.status, error.type, error.param]).toEqual([status, 'invalid_request_error', param])
    }
    await expectCounts(before)
  })

  test('a file over 25 MB', async () => {
    const before = counts()
    const large = new File([new Uint8Array(25 * 1024 * 1024 + 1)], 'x.wav')
    const response = await post([
      ['model', 'ear'],
      ['file', large],
    ])
    expect([response.status, await response.json()]).toMatchObject([413, { error: { param: 'file' } }])
    await expectCounts(before)
  })

  test('JSON in place of a form, and a form without a boundary', async () => {
    const before = counts()
    expect((await call(PATH, { model: 'ear' })).status).toBe(400)
    expect((await call(PATH, 'x', { headers: { 'content-type': 'multipart/form-data' } })).status).toBe(400)
    await expectCounts(before)
  })

  test('an account without money, before a large file is read', async () => {
    const poor = await gateway.caller('0')
    const file = new File([new Uint8Array(1_000_000)], 'x.wav')
    const before = counts()
    expect(
      (
        await post(
          [
            ['model', 'ear'],
            ['file', file],
          ],
          { key: poor },
        )
      ).status,
    ).toBe(402)
    await expectCounts(before)
  })
})

describe('failures', () => {
  test.each([
    ['a failure', refusal(500), 502],
    ['a connection that breaks', RESET, 502],
    ['a page of a proxy', whole('<html>', { 'content-type': 'text/html' }), 502],
    ['a page that is JSON', whole({ text: 'x' }, { 'content-type': 'text/html' }), 502],
    ['an error under status 200', whole({ error: { message: 'x' } }), 502],
    ['its refusal of the file', refusal(400, { error: { message: 'Invalid file format.' } }), 400],
  ])('%s costs nothing', async (_name, answer, status) => {
    upstream.answer(answer)
    expect((await transcribe('ear')).status).toBe(status)
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })

  const SECRET = `quota of key ${PROVIDER_KEYS[0]} at https://provider.example/v1 is used up`
  const PLAIN = { 'content-type': 'text/plain' }
  const JSON_TYPE = { 'content-type': 'application/json' }
  const format = (name: string): Fields => [['response_format', name]]
  test.each<[string, Fields, string, Record<string, string>]>([
    ['text that was not requested', [], SECRET, PLAIN],
    ['text in place of JSON', format('json'), SECRET, PLAIN],
    ['text in place of verbose JSON', format('verbose_json'), SECRET, PLAIN],
    ['text in an unknown format', format('constructor'), SECRET, PLAIN],
    [
      'an error as JSON under text/plain',
      format('text'),
      JSON.stringify({ error: { message: SECRET } }),
      PLAIN,
    ],
    ['JSON of another server’s errors as JSON', [], JSON.stringify({ detail: SECRET }), JSON_TYPE],
    ['JSON of another server’s errors', format('text'), JSON.stringify({ detail: SECRET }), PLAIN],
    ['text in place of subtitles', format('srt'), SECRET, PLAIN],
    ['text in place of VTT', format('vtt'), SECRET, { 'content-type': 'text/vtt' }],
    ['XML', format('text'), `<Error>${SECRET}</Error>`, { 'content-type': 'application/xml' }],
    ['a page as text/html', format('text'), `<html>${SECRET}`, { 'content-type': 'text/html' }],
    ['bytes', format('text'), SECRET, { 'content-type': 'application/octet-stream' }],
  ])('%s is a failure of the provider, with its words hidden', async (_name, more, body, headers) => {
    upstream.answer(whole(body, headers))
    const response = await transcribe('ear', ...more)
    const text = await response.text()
    expect(response.status).toBe(502)
    expect(text).not.toMatch(/quota|provider\.example/)
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })

  test.each([400, 403, 413, 429, 500, 503])(
    'text with status %d: no key, no address, no charge',
    async (status) => {
      upstream.answer({ ...whole(SECRET, PLAIN), status })
      const response = await transcribe('ear', ['response_format', 'text'])
      const text = await response.text()
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) } })
      expect(text).not.toContain(PROVIDER_KEYS[0])
      expect(text).not.toContain('provider.example')
      expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
    },
  )

  test('requested text has no key of the provider', async () => {
    upstream.answer(whole(`A tone. ${PROVIDER_KEYS[0]}`, PLAIN))
    const response = await transcribe('ear', ['response_format', 'text'])
    expect([response.status, await response.text()]).toEqual([200, 'A tone. [hidden]'])
  })

  test('JSON that calls itself text is read as JSON', async () => {
    upstream.answer(whole({ text: 'A tone.', usage: { type: 'duration', seconds: 2 } }, PLAIN))
    expect(await (await transcribe('ear')).json()).toMatchObject({ text: 'A tone.' })
    expect(await lastCall()).toMatchObject({ estimated: 0, cost_nanos: 2_000 * MS_NANOS })
  })

  test('an answer without any subtitle is accepted', async () => {
    upstream.answer(whole('\n', PLAIN))
    expect((await transcribe('ear', ['response_format', 'srt'])).status).toBe(200)
  })

  test('a caller who disconnects before the answer pays for the audio', async () => {
    upstream.answer(SILENCE)
    const leaving = new AbortController()
    const left = post(
      [
        ['model', 'ear'],
        ['file', wavFile()],
      ],
      { signal: leaving.signal },
    ).catch(() => 'left')
    await upstream.waitForRequest(1)
    leaving.abort()
    expect(await left).toBe('left')
    expect(await lastCall()).toMatchObject({
      outcome: 'cancelled',
      estimated: 1,
      cost_nanos: WAV_MS * MS_NANOS,
    })
  })
})

test('an Idempotency-Key replays the answer; another file under it is refused', async () => {
  upstream.answer(whole({ text: 'Once.', usage: { type: 'duration', seconds: 2.5 } }))
  const headers = { 'idempotency-key': 'transcribed-once' }
  const fields: Fields = [
    ['model', 'ear'],
    ['file', wavFile()],
  ]
  const first = await (await post(fields, { headers })).text()
  const before = counts()
  // Each form has another boundary.
  expect(await (await post(fields, { headers })).text()).toBe(first)
  const other = await post(
    [
      ['model', 'ear'],
      ['file', new File([WAV.subarray(0, 5_000)], 'tone.wav')],
    ],
    { headers },
  )
  expect(other.status).toBe(422)
  await expectCounts(before)
})
