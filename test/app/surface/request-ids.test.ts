// README, "every log line about the request has it as `request_id`": on every surface, for every end of a request.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  OVER_IMAGES,
  PNG,
  REQUESTS,
  type SurfaceRequest,
  surfaceModels,
  VOICE,
} from '../../disconnect/surfaces.ts'
import { MODEL } from '../../support/catalogue.ts'
import { answer, answering, piece, usage } from '../../support/native.ts'
import { expectLines, idOf, onFullDisk } from '../../support/request-lines.ts'
import { fileScene } from '../../support/scene.ts'
import { modelSection } from '../../support/sections.ts'
import { events, heldBack, RESET, refusal, stream, whole } from '../../support/upstream.ts'

setDefaultTimeout(60_000)

/** The log lines of each settled call: its own, and that of a plugin that fails after each call. */
const SETTLED = ['call', 'a plugin failed after a call']
const PLUGIN = `export default ({ gateway }) => {
  gateway.beforeCall(({ headers }) => {
    if (headers['x-fail'] === 'before') throw new Error('of a plugin')
  })
  gateway.afterSettle(() => {
    throw new Error('of a plugin')
  })
}`

const { gateway, upstream, key } = await fileScene({
  provider: 'cooldown_ms = 0',
  more: (url) => `${surfaceModels(url)}
${modelSection('vectors', { 'speaks-openai': 'upstream-vectors' }, { kind: 'embedding', price: 'input = 1' })}
`,
  own_plugins: { 'hooks.ts': PLUGIN },
})

/** Every paid surface. */
const PAID: Readonly<Record<string, SurfaceRequest>> = {
  native: REQUESTS.native(MODEL, false),
  'native, streamed': REQUESTS.native(MODEL, true),
  chat: REQUESTS.chat(MODEL, false),
  'chat, streamed': REQUESTS.chat(MODEL, true),
  messages: REQUESTS.messages(MODEL, false),
  'messages, streamed': REQUESTS.messages(MODEL, true),
  responses: REQUESTS.responses(MODEL, false),
  'responses, streamed': REQUESTS.responses(MODEL, true),
  completions: REQUESTS.completions(MODEL, false),
  embeddings: { path: '/v1/embeddings', body: { model: 'vectors', input: 'Hello' } },
  speech: REQUESTS.speech(VOICE),
  transcriptions: REQUESTS.transcription('ear', false),
  moderations: REQUESTS.moderation('judge-paid'),
  rerank: REQUESTS.rerank('sorter'),
  generations: REQUESTS.generations(OVER_IMAGES, false),
  'generations, streamed': REQUESTS.generations(OVER_IMAGES, true),
  edits: REQUESTS.edits(OVER_IMAGES, false),
}
const TEXT = Object.entries(PAID).slice(0, 9)
const STREAMED = TEXT.filter(([name]) => name.endsWith('streamed'))

interface Sent {
  /** The key, in place of the caller's. */
  as?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}

function send({ path, body, headers }: SurfaceRequest, { as = key, headers: more, signal }: Sent = {}) {
  const is_form = body instanceof FormData
  return fetch(new URL(path, gateway.url), {
    method: 'POST',
    body: is_form ? body : JSON.stringify(body),
    headers: {
      'x-api-key': as,
      ...(is_form ? {} : { 'content-type': 'application/json' }),
      ...headers,
      ...more,
    },
    ...(signal ? { signal } : {}),
  })
}
const idFrom = async (request: SurfaceRequest, sent?: Sent) => idOf(await send(request, sent))
const expectOf = (says: readonly string[], request: SurfaceRequest, sent?: Sent) =>
  expectLines(gateway, { says, make: () => idFrom(request, sent) })

describe.each(Object.entries(PAID))('%s', (_, request) => {
  test.each([
    ['answers 500', refusal(500)],
    ['resets', RESET],
    ['answers no JSON', whole('<html>')],
  ])('whose provider %s', async (how, script) => {
    upstream.answer(script)
    // Any bytes are valid speech.
    const is_answer = request.path.endsWith('speech') && how === 'answers no JSON'
    await expectOf([...SETTLED, ...(is_answer ? [] : ['a route failed', 'request failed'])], request)
  })

  test('whose caller disconnects', async () => {
    const { script, received, release } = heldBack(refusal(500))
    upstream.answer(script)
    await expectLines(gateway, {
      says: SETTLED,
      async make() {
        const calls = gateway.rows().calls.length
        const caller = new AbortController()
        const response = send(request, { signal: caller.signal })
        await received
        caller.abort()
        await expect(response).rejects.toThrow()
        release()
        const { calls: all } = await gateway.atRest()
        expect(all).toHaveLength(calls + 1)
        return all.at(-1)?.request_id ?? ''
      },
    })
  })

  test('without money, with an unknown key, and with a wrong body', async () => {
    const refused = ['request refused']
    await expectOf(refused, request, { as: await gateway.caller('0') })
    await expectOf(refused, request, { as: 'nobody' })
    await expectOf(refused, { ...request, body: [] })
  })

  test('whose hook fails', () => expectOf(['request failed'], request, { headers: { 'x-fail': 'before' } }))
})

describe.each(TEXT)('%s', (_, request) => {
  test('that completes', async () => {
    upstream.answer(answering)
    await expectOf(SETTLED, request)
  })

  test('with an implausible usage report', async () => {
    const implausible = answer('Hello.', usage(10, 1_000_000_000))
    upstream.answer(({ path }) => (path.includes(':stream') ? events([implausible]) : whole(implausible)))
    await expectOf(['an invalid usage report was ignored; charged by estimate', ...SETTLED], request)
  })

  test('whose settlement is delayed by a full disk', async () => {
    upstream.answer(answering)
    await expectLines(gateway, {
      says: ['a settlement failed', 'a delayed settlement was written', ...SETTLED],
      make: () => onFullDisk(gateway, 'INSERT ON calls', () => idFrom(request)),
    })
  })
})

test.each(STREAMED)('%s that breaks', async (_, request) => {
  upstream.answer(stream({ event: piece('Once upon a time') }, 'reset'))
  await expectOf(['a stream broke', ...SETTLED], request)
})

describe('a stored answer', () => {
  const request = REQUESTS.responses(MODEL, false)

  test('is sent again with the id of its call, and the log line has both ids', async () => {
    upstream.answer(answering)
    const sent = { headers: { 'idempotency-key': 'once' } }
    await expectOf(SETTLED, request, sent)
    const original_request_id = await idFrom(request, sent)
    const line = await gateway.log.waitForLine(({ message }) => message === 'kept answer sent again')
    expect(line).toMatchObject({ original_request_id, request_id: expect.stringMatching(/^req_/) })
    expect(line.request_id).not.toBe(original_request_id)
  })

  test.each([
    ['an answer could not be kept under its Idempotency-Key', 'UPDATE ON idempotency_keys'],
    ['a response could not be kept', 'INSERT ON responses'],
  ])('%s', async (message, writing) => {
    upstream.answer(answering)
    const sent = { headers: { 'idempotency-key': crypto.randomUUID() } }
    await expectLines(gateway, {
      says: [message, ...SETTLED],
      make: () => onFullDisk(gateway, writing, () => idFrom(request, sent)),
    })
  })
})

test('images: an unusable image, a reference that cannot be fetched, a delayed settlement', async () => {
  const request = REQUESTS.generations(OVER_IMAGES, false)
  const imageAnswer = (b64_json: string) => whole({ created: 1, data: [{ b64_json }] })
  upstream.answer(imageAnswer('bm90IGFuIGltYWdl'))
  await expectOf(['an image was unusable', 'request failed', ...SETTLED], request)
  const image = { image_url: 'http://127.0.0.1:1/house.png' }
  const body = { model: OVER_IMAGES, prompt: 'A house.', images: [image] }
  await expectOf(['request refused'], { path: '/v1/images/edits', body })
  upstream.answer(imageAnswer(PNG.toString('base64')))
  await expectOf(SETTLED, request)
  await expectLines(gateway, {
    says: ['a settlement failed', 'a delayed settlement was written', ...SETTLED],
    make: () => onFullDisk(gateway, 'INSERT ON calls', () => idFrom(request)),
  })
})

test('uploads: a body that is no form, a file that is no image, a write that fails', async () => {
  const form = new FormData()
  form.append('files', new File(['no image'], 'cat.png', { type: 'image/png' }))
  await expectOf(['request refused'], { path: '/api/v1/upload', body: {} })
  await expectOf(['request refused'], { path: '/api/v1/upload', body: form })
  const good = new FormData()
  good.append('files', new File([PNG], 'cat.png', { type: 'image/png' }))
  await expectLines(gateway, {
    says: ['request failed'],
    make: () => onFullDisk(gateway, 'INSERT ON files', () => idFrom({ path: '/api/v1/upload', body: good })),
  })
})

test.each([
  '/v1/models/of-nobody',
  '/api/v1/usage?days=none',
  '/api/v1/files?limit=none',
  '/api/images/of-nobody',
  '/v1/responses/resp_of_nobody',
  '/v1/fine_tuning/jobs',
  '/nowhere',
])('GET %s is refused', (path) =>
  expectLines(gateway, {
    says: ['request refused'],
    make: async () => idOf(await gateway.call(path, undefined, { key })),
  }),
)
