// Hooks before a call: every paid surface runs them, and a call that they refuse, change or break holds and charges nothing wrong.
import { afterEach, describe, expect, test } from 'bun:test'
import type { BeforeCall, PluginCall } from '../../src/plugin-api.ts'
import { MODEL, PICTURE, PROVIDER_KEYS, UPSTREAM_MODEL } from '../support/catalogue.ts'
import { ANSWER_NANOS, answer, ask, streamPath, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection } from '../support/sections.ts'
import { unitModels } from '../support/unit-models.ts'
import { events, inChunks, whole } from '../support/upstream.ts'

/** The hooks that the plugins of this file run: each test sets them. */
interface Hooks {
  first?: BeforeCall | undefined
  second?: BeforeCall | undefined
}
const hooks: Hooks = {}
Object.assign(globalThis, { own_plugin_hooks: hooks })
afterEach(() => {
  hooks.first = undefined
  hooks.second = undefined
})

const pluginRunning = (name: keyof Hooks) =>
  `export default ({ gateway }) => gateway.beforeCall((call) => globalThis.own_plugin_hooks.${name}?.(call))`

const LIMIT_MS = 300
const { gateway, upstream, key, call, upstreamBody, lastCall, counts, expectCounts } = await fileScene({
  more: (url) =>
    unitModels(url) +
    modelSection(
      'vectors',
      { 'speaks-openai': 'upstream-vectors' },
      { kind: 'embedding', price: 'input = 1' },
    ),
  own_plugins: { '20-second.ts': pluginRunning('second'), '10-first.ts': pluginRunning('first') },
  plugin_limits: { before_limit_ms: LIMIT_MS },
  script: whole(answer()),
})

const BAD = 'a forbidden thing'
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

interface Request {
  path: string
  body: object | Uint8Array
  headers?: Record<string, string>
}

async function form(path: string, fields: Record<string, string | File>): Promise<Request> {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  const encoded = new Response(data)
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
  return { path, body: await encoded.bytes(), headers }
}

const messages = [{ role: 'user', content: `Tell me of ${BAD}.` }]
const VERSION = { 'anthropic-version': '2023-06-01' }

const post = (path: string, body: object, headers = {}): Request => ({ path, body, headers })
const chat = { model: MODEL, messages }
const response = { model: MODEL, input: BAD }
const file = new File(['x'], 'x.wav')
const image = new File([PNG], 'x.png')

/** One request of each paid surface, with the model and the name of the surface that hooks see. */
const SURFACES: readonly (readonly [name: string, surface: string, model: string, request: Request])[] = [
  ['native', 'native', MODEL, post(wholePath(), ask(BAD))],
  ['native, streamed', 'native', MODEL, post(streamPath(), ask(BAD))],
  ['messages', 'messages', MODEL, post('/v1/messages', { ...chat, max_tokens: 9 }, VERSION)],
  ['chat', 'chat', MODEL, post('/v1/chat/completions', chat)],
  ['chat, streamed', 'chat', MODEL, post('/v1/chat/completions', { ...chat, stream: true })],
  ['responses', 'responses', MODEL, post('/v1/responses', response)],
  ['responses, compact', 'responses', MODEL, post('/v1/responses/compact', response)],
  ['completions', 'completions', MODEL, post('/v1/completions', { model: MODEL, prompt: BAD })],
  ['embeddings', 'embeddings', 'vectors', post('/v1/embeddings', { model: 'vectors', input: ['x', BAD] })],
  ['speech', 'speech', 'voice', post('/v1/audio/speech', { model: 'voice', input: BAD, voice: 'alloy' })],
  [
    'transcription, a form',
    'transcriptions',
    'ear',
    await form('/v1/audio/transcriptions', { model: 'ear', prompt: BAD, file }),
  ],
  ['moderation', 'moderations', 'judge', post('/v1/moderations', { model: 'judge', input: BAD })],
  ['rerank', 'rerank', 'sorter', post('/v1/rerank', { model: 'sorter', query: 'x', documents: ['x', BAD] })],
  ['an image', 'images', PICTURE, post('/v1/images/generations', { model: PICTURE, prompt: BAD })],
  [
    'an edit, a form',
    'images',
    PICTURE,
    await form('/v1/images/edits', { model: PICTURE, prompt: BAD, image }),
  ],
]

/** The error in the log for an answer. */
function errorOf(response: Response): string {
  const request_id = response.headers.get('x-request-id')
  const line = gateway.log.lines().find((one) => one.request_id === request_id && one.level === 'error')
  return JSON.stringify(line)
}

describe.each(SURFACES)('%s', (_name, surface, model, { path, body, headers = {} }) => {
  test('a hook sees the call, and refuses it before anything is held or sent', async () => {
    const before = counts()
    let seen: Partial<PluginCall> = {}
    hooks.first = (view) => {
      seen = { surface: view.surface, model: view.model, path: view.path, headers: view.headers }
      expect(view.form !== undefined).toBe(body instanceof Uint8Array)
      return view.text.includes(BAD)
        ? { refuse: { status: 403, message: 'Not here. Ask for something else.' } }
        : undefined
    }
    const response = await call(path, body, { headers })
    expect(await response.text()).toContain('Not here. Ask for something else.')
    expect(response.status).toBe(403)
    expect(seen).toMatchObject({ surface, model, path: path.split('?')[0] })
    expect(JSON.stringify(seen.headers)).not.toContain(key)
    await expectCounts(before)
  })

  test('a hook that throws: a 500 without the reason, which is in the log', async () => {
    const before = counts()
    hooks.second = () => {
      throw new Error('the word list is gone')
    }
    const response = await call(path, body, { headers })
    const text = await response.text()
    expect(text).not.toContain('word list')
    expect(text).not.toContain('20-second')
    expect(response.status).toBe(surface === 'images' ? 502 : 500)
    expect(errorOf(response)).toContain('the plugin 20-second failed before the call: the word list is gone')
    await expectCounts(before)
  })
})

describe('a hook sees', () => {
  test.each(SURFACES.filter(([name]) => /^(chat|embeddings|speech|transcription|an edit)/.test(name)))(
    'the deployment of an address of Azure as the model: %s',
    async (_name, surface, model, { path, body, headers }) => {
      let seen: Partial<PluginCall> = {}
      hooks.first = (view) => {
        seen = { surface: view.surface, model: view.model, path: view.path }
        return { refuse: { message: 'No.' } }
      }
      const deployed = path.replace('/v1/', '/openai/deployments/a-deployment/')
      expect((await call(deployed, body, { headers: { ...headers } })).status).toBe(403)
      expect(seen).toEqual({ surface, model: 'a-deployment', path })
      expect(model).not.toBe('a-deployment')
    },
  )

  test('the caller: the account, the key by its prefix and name, and no header with a credential', async () => {
    let view: PluginCall | undefined
    hooks.first = (seen) => {
      view = seen
      // Read while the hook runs, it stays readable.
      void seen.text
    }
    const secret = 'another-credential'
    const headers = { cookie: secret, 'x-goog-api-key': secret, 'api-key': secret, 'x-team': 'red' }
    await call('/v1/chat/completions', { model: MODEL, messages }, { headers })
    const { name: account } = gateway.rows().accounts[0] ?? {}
    const [row] = gateway.rows().keys
    expect(view).toMatchObject({ account, key: { id: row?.id, prefix: row?.prefix, name: row?.name } })
    expect(view?.headers['x-team']).toBe('red')
    expect(JSON.stringify(view?.headers)).not.toContain(secret)
    expect(view?.text).toBe(`Tell me of ${BAD}.`)
    expect(view?.body).toEqual({ model: MODEL, messages })
  })

  test('a body that was not read while the hook ran cannot be read later', async () => {
    let view: PluginCall | undefined
    hooks.first = (seen) => {
      view = seen
    }
    expect((await call(wholePath(), ask())).status).toBe(200)
    expect(() => view?.body).toThrow('The call is over')
  })

  test('a body that it cannot change in place: the attempt is a failure of the hook', async () => {
    const before = counts()
    hooks.first = (seen) => {
      Object.assign((seen.body as { contents: object[] }).contents[0] ?? {}, { role: 'model' })
    }
    expect((await call(wholePath(), ask())).status).toBe(500)
    await expectCounts(before)
  })

  test.each<[why: string, body: string, words: string]>([
    ['text that is not JSON', '{"contents":', 'not valid JSON'],
    ['JSON that is not an object', '[]', 'must be a JSON object'],
    [
      'a duplicate name, of which a provider may read the other',
      `{"contents":[{"parts":[{"text":"${BAD}","text":"tides"}]}]}`,
      'the same name twice',
    ],
  ])(
    '%s is the fault of the caller, not of the hook, even if the hook hides it',
    async (_why, body, words) => {
      const before = counts()
      hooks.first = (seen) => {
        try {
          void seen.text
        } catch {
          // As a careless hook would.
        }
      }
      const response = await call(wholePath(), body)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain(words)
      await expectCounts(before)
    },
  )
})

describe('a changed body', () => {
  const SHORT = {
    contents: [{ role: 'user', parts: [{ text: 'Hi.' }] }],
    generationConfig: { maxOutputTokens: 100 },
  }

  test('is quoted, held for and sent; the charge is by the report of the provider', async () => {
    upstream.answer(whole(answer()))
    hooks.first = () => ({ body: SHORT })
    const long = ask('word '.repeat(5_000), { generationConfig: { maxOutputTokens: 8_000 } })
    expect((await call(wholePath(), long)).status).toBe(200)
    expect(upstreamBody()).toEqual(SHORT)
    const { hold_nanos, cost_nanos, model } = await lastCall()
    expect({ cost_nanos, model }).toEqual({ cost_nanos: ANSWER_NANOS, model: MODEL })
    // 100 tokens of output at no more than 30,000 each, and a few of input; the unchanged body would hold 80 times as much.
    expect(hold_nanos).toBeGreaterThanOrEqual(3_000_000)
    expect(hold_nanos).toBeLessThan(3_100_000)
  })

  test('is seen by the next hook, in the order of the files', async () => {
    upstream.answer(whole(answer()))
    const order: string[] = []
    hooks.first = (seen) => {
      order.push(`first ${seen.text}`)
      return { body: { ...seen.body, contents: ask('changed once').contents } }
    }
    hooks.second = (seen) => {
      order.push(`second ${seen.text}`)
      return { body: { ...seen.body, contents: ask('changed twice').contents } }
    }
    expect((await call(wholePath(), ask('as sent'))).status).toBe(200)
    expect(order).toEqual(['first as sent', 'second changed once'])
    expect(upstreamBody()).toMatchObject({ contents: ask('changed twice').contents })
  })

  test('reaches the provider of a stream, too', async () => {
    upstream.answer(events([answer()]))
    hooks.first = () => ({ body: SHORT })
    const response = await call(streamPath(), ask())
    expect(await response.text()).toContain('Hello.')
    expect(upstreamBody()).toEqual(SHORT)
    expect((await lastCall()).cost_nanos).toBe(ANSWER_NANOS)
  })

  test('may name another model, which is paid for and called', async () => {
    upstream.answer(whole(answer()))
    hooks.first = ({ body }) => ({ body: { ...body, model: MODEL } })
    const response = await call('/v1/chat/completions', { model: 'nobody-has-this', messages })
    expect(response.status).toBe(200)
    expect(upstream.last().path).toContain(UPSTREAM_MODEL)
    expect((await lastCall()).model).toBe(MODEL)
  })

  test('is refused if it names a model that the key may not call', async () => {
    await gateway.account('limited', { balance_usd: '1' })
    const limited = await gateway.key('limited', { models: ['other-*'] })
    const before = counts()
    hooks.first = ({ body }) => ({ body: { ...body, model: MODEL } })
    const response = await call('/v1/chat/completions', { model: 'other-model', messages }, { key: limited })
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('no access to the model')
    await expectCounts(before)
  })

  test.each<[what: string, body: object, words: string]>([
    ['a wrong field', { contents: 'text' }, 'contents'],
    ['nothing', {}, 'contents'],
    ['more than the surface takes', { contents: ask('x'.repeat(31 * 1024 * 1024)).contents }, '30 MB'],
  ])('%s: refused as if the caller had sent it', async (_what, body, words) => {
    const before = counts()
    hooks.first = () => ({ body })
    const response = await call(wholePath(), ask())
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(words)
    await expectCounts(before)
  })

  test('does not change the request of an Idempotency-Key, which is the body that the caller sent', async () => {
    upstream.answer(whole(answer()))
    let made = 0
    hooks.first = () => ({ body: ask(`made ${++made}`) })
    const headers = { 'idempotency-key': 'one-key' }
    const first = await call(wholePath(), ask('same'), { headers })
    const again = await call(wholePath(), ask('same'), { headers })
    const other = await call(wholePath(), ask('other'), { headers })
    expect([first.status, again.status, other.status]).toEqual([200, 200, 422])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await again.text()).toBe(await first.text())
  })
})

describe('a large body, which is parsed on a thread', () => {
  const large = ask(`${'word '.repeat(400_000)}${BAD}`)
  const in_chunks = () => inChunks(JSON.stringify(large), 64 * 1024)

  test.each<[how: string, body: () => object]>([
    ['announced', () => large],
    ['in chunks', in_chunks],
  ])('%s: refused by the end of its text', async (_how, body) => {
    const before = counts()
    hooks.first = ({ text, text_is_cut }) => {
      expect({ chars: text.length, text_is_cut }).toEqual({ chars: 1_000_000, text_is_cut: true })
      return { refuse: { status: 413, message: 'Too much to be checked.' } }
    }
    const response = await call(wholePath(), body())
    expect(await response.text()).toContain('Too much to be checked.')
    await expectCounts(before)
  })

  test('is sent byte for byte if no hook changes it, and changed if one does', async () => {
    upstream.answer(whole(answer()))
    hooks.first = ({ text }) => void text
    expect((await call(wholePath(), in_chunks())).status).toBe(200)
    expect(upstream.last().body.toString()).toBe(JSON.stringify(large))
    hooks.first = ({ body }) => ({ body: { ...body, generationConfig: { maxOutputTokens: 7 } } })
    expect((await call(wholePath(), in_chunks())).status).toBe(200)
    expect(upstreamBody()).toEqual({ ...large, generationConfig: { maxOutputTokens: 7 } })
  })

  test('counts for an Idempotency-Key as the caller sent it', async () => {
    upstream.answer(whole(answer()))
    let made = 0
    hooks.first = ({ body }) => ({ body: { ...body, generationConfig: { maxOutputTokens: ++made } } })
    const headers = { 'idempotency-key': 'large' }
    expect((await call(wholePath(), large, { headers })).status).toBe(200)
    const again = await call(wholePath(), large, { headers })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const other = ask(`${'word '.repeat(400_000)}another thing`)
    expect((await call(wholePath(), other, { headers })).status).toBe(422)
  })
})

test('hooks see counts of tokens, too, which are free but reach a provider', async () => {
  hooks.first = ({ text }) => (text.includes(BAD) ? { refuse: { message: 'Not here.' } } : undefined)
  const body = { model: MODEL, messages }
  const response = await call('/v1/messages/count_tokens', body, { headers: VERSION })
  expect(response.status).toBe(403)
})

describe('hooks that break their contract', () => {
  const nonsense = (value: unknown): BeforeCall => (() => value) as BeforeCall

  test.each<[what: string, hook: BeforeCall, logged: string]>([
    ['a text', nonsense('no'), 'returned string'],
    ['true', nonsense(true), 'returned boolean'],
    ['an array', nonsense([]), 'must return nothing'],
    ['an empty object', nonsense({}), 'must return nothing'],
    ['an unknown field', nonsense({ deny: true }), '{ deny }'],
    ['both', nonsense({ body: {}, refuse: { message: 'No.' } }), 'both'],
    ['a body that is not an object', nonsense({ body: 'text' }), 'no object'],
    ['a body that is not JSON', nonsense({ body: { count: 1n } }), 'BigInt'],
    ['a refusal without a message', nonsense({ refuse: { status: 403 } }), 'without a message'],
    ['a refusal by text alone', nonsense({ refuse: 'No.' }), 'without a message'],
    [
      'a refusal with a status of success',
      nonsense({ refuse: { status: 200, message: 'Fine.' } }),
      'status 200',
    ],
    [
      'an answer that throws when it is read',
      nonsense({
        get body() {
          throw new Error('no body')
        },
      }),
      'no body',
    ],
    [
      'an error that throws when it is read',
      () => {
        throw Object.defineProperty(new Error(), 'message', {
          get() {
            throw new Error('twice')
          },
        })
      },
      'the thrown value cannot be read',
    ],
    [
      'a thrown value that has no text',
      () => {
        throw Object.create(null)
      },
      'the thrown value cannot be read',
    ],
    ['a rejected promise', () => Promise.reject(new Error('no network')), 'no network'],
    ['a promise that never ends', () => new Promise(() => undefined), 'took longer than 0.3 s'],
  ])('%s: 500, logged, nothing held', async (_what, hook, logged) => {
    const before = counts()
    hooks.first = hook
    const response = await call(wholePath(), ask())
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain(logged)
    expect(errorOf(response)).toContain('the plugin 10-first failed before the call')
    expect(errorOf(response)).toContain(logged)
    await expectCounts(before)
  })

  test('a changed form: 500, because a form can only be refused', async () => {
    const before = counts()
    hooks.first = () => ({ body: {} })
    const { path, body, headers = {} } = await form('/v1/audio/transcriptions', { model: 'ear' })
    expect((await call(path, body, { headers })).status).toBe(500)
    await expectCounts(before)
  })

  test('a refused call runs no later hook', async () => {
    let second_has_run = false
    hooks.first = () => ({ refuse: { message: 'No.' } })
    hooks.second = () => {
      second_has_run = true
    }
    const response = await call(wholePath(), ask())
    expect(response.status).toBe(403)
    expect(second_has_run).toBe(false)
    const request_id = response.headers.get('x-request-id')
    const line = gateway.log.lines().find((one) => one.request_id === request_id && one.status === 403)
    expect(line).toMatchObject({ level: 'info', cause: 'refused by the plugin 10-first' })
  })
})

test.each([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [402, 'FAILED_PRECONDITION'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
] as const)("a refusal with %i is written in the surface's own words", async (status, word) => {
  hooks.first = () => ({ refuse: { status, message: 'No.' } })
  const response = await call(wholePath(), ask())
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ error: { message: 'No.', status: word } })
})

test('an invalid key is refused before any hook runs', async () => {
  let has_run = false
  hooks.first = () => {
    has_run = true
  }
  expect((await call(wholePath(), ask(), { key: 'tg_nobody_has_this_key' })).status).toBe(401)
  expect(has_run).toBe(false)
})

test("a hook sees neither the providers' keys nor the caller's", async () => {
  let visible = ''
  hooks.first = (seen) => {
    visible = JSON.stringify([seen, seen.body, seen.text, seen.headers, seen.key])
  }
  await call(wholePath(), ask(), { form: 'query' })
  for (const secret of [key, ...PROVIDER_KEYS]) expect(visible).not.toContain(secret)
})
