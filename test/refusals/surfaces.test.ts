// silent.md, Refused calls: "A refusal (any 4xx after the key is known, 429 included, and 503 before a provider was asked) is recorded".
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { RefusalRow } from '../../plugins/refusals/tables.ts'
import {
  OVER_IMAGES,
  OVER_MESSAGES,
  REQUESTS,
  type SurfaceRequest,
  surfaceModels,
  VOICE,
} from '../disconnect/surfaces.ts'
import { MODEL, RETIRED } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { idOf } from '../support/request-lines.ts'
import { type Scene, scene } from '../support/scene.ts'
import { modelSection } from '../support/sections.ts'
import { refusal } from '../support/upstream.ts'
import { openSocket } from '../support/web-socket.ts'

/** The content of every request, which no record may have. */
const CONTENT = 'Tell me a story'

/** A request of each paid surface, of any model. */
const PAID: Readonly<Record<string, { of: (model: string) => SurfaceRequest; model: string }>> = {
  native: { of: (model) => REQUESTS.native(model, false), model: MODEL },
  chat: { of: (model) => REQUESTS.chat(model, true), model: MODEL },
  messages: { of: (model) => REQUESTS.messages(model, false), model: MODEL },
  responses: { of: (model) => REQUESTS.responses(model, false), model: MODEL },
  completions: { of: (model) => REQUESTS.completions(model, false), model: MODEL },
  embeddings: {
    of: (model) => ({ path: '/v1/embeddings', body: { model, input: CONTENT } }),
    model: 'vectors',
  },
  speech: { of: (model) => REQUESTS.speech(model), model: VOICE },
  transcriptions: { of: (model) => REQUESTS.transcription(model, false), model: 'ear' },
  moderations: { of: (model) => REQUESTS.moderation(model), model: 'judge-paid' },
  rerank: { of: (model) => REQUESTS.rerank(model), model: 'sorter' },
  images: { of: (model) => REQUESTS.generations(model, false), model: OVER_IMAGES },
}

type Reason = 'poor' | 'forbidden' | 'unknown' | 'expired' | 'revoked' | 'suspended' | 'hurried' | 'elsewhere'

/** Status (of images and of messages, if another) and code of each reason, and a part of the sentence. */
const REASONS: Readonly<Record<Reason, readonly [status: number, code: string, sentence: RegExp]>> = {
  poor: [402, 'insufficient_balance', /^Insufficient balance\. Add funds, or lower max_tokens\./],
  forbidden: [403, 'MODEL_ACCESS_DENIED', /has no access to the model/],
  unknown: [404, 'model_not_found', /Model not found/],
  expired: [401, 'unauthenticated', /it has expired/],
  revoked: [401, 'unauthenticated', /was not revoked/],
  suspended: [403, 'permission_denied', /account is suspended/],
  hurried: [429, 'rate_limited', /Rate limit reached: requests per minute of this account/],
  elsewhere: [403, 'permission_denied', /does not allow your network address/],
}

/** Reasons of the key or its limits: the model is not known yet. */
const BEFORE_THE_MODEL: ReadonlySet<Reason> = new Set([
  'expired',
  'revoked',
  'suspended',
  'hurried',
  'elsewhere',
])

let s: Scene
const keys = {} as Record<Reason | 'good' | 'socket', string>
const recorded = (): RefusalRow[] =>
  s.gateway.db.query<RefusalRow, []>('SELECT * FROM refusals ORDER BY id').all()

async function send({ path, body, headers }: SurfaceRequest, key: string): Promise<string> {
  const is_form = body instanceof FormData
  const answer = await fetch(new URL(path, s.gateway.url), {
    method: 'POST',
    body: is_form ? body : JSON.stringify(body),
    headers: { 'x-api-key': key, ...(is_form ? {} : { 'content-type': 'application/json' }), ...headers },
  })
  return await idOf(answer)
}

const ids = new Map<string, string>()
const ROWS = Object.keys(PAID).flatMap((surface) =>
  (Object.keys(REASONS) as Reason[]).map((reason) => [surface, reason] as const),
)

type Ask = () => Promise<Response>
const get = (path: string) => () => s.gateway.call(path, undefined, { key: keys.good })
const withModel = (model: () => string) => () => {
  const { path, body } = REQUESTS.chat(model(), false)
  return s.gateway.call(path, body, { key: keys.good })
}
const providerRefuses = (path: string, more: object) => () => {
  const response_body = { type: 'error', error: { type: 'invalid_request_error', message: CONTENT } }
  s.upstream.answer(refusal(400, response_body))
  const { body, headers } = REQUESTS.messages(OVER_MESSAGES, false)
  return s.gateway.call(
    path,
    { model: OVER_MESSAGES, messages: body.messages, ...more },
    { key: keys.good, headers },
  )
}
const WITHOUT_A_NAME = { code: 'model_not_found', model: null }

/** Requests that are not calls, and names that models cannot have. */
const OTHERS: readonly (readonly [name: string, ask: Ask, expected: Partial<RefusalRow>])[] = [
  [
    'an unknown parameter',
    get('/api/v1/usage?colour=red'),
    { surface: 'billing', status: 400, code: 'invalid_request' },
  ],
  [
    'an unknown file',
    get('/api/v1/files/1/none.png'),
    { surface: 'upload', status: 404, code: 'IMAGE_NOT_FOUND' },
  ],
  [
    'an unknown response',
    get('/v1/responses/resp_none'),
    { surface: 'responses', status: 404, code: 'not_found' },
  ],
  ['an unknown model', get('/v1/models/none'), { surface: 'models', status: 404, code: 'model_not_found' }],
  [
    'an API that is absent',
    get('/v1/fine_tuning/jobs'),
    { surface: 'absent', status: 404, code: 'not_found' },
  ],
  ['a model with an invalid name', withModel(() => `${CONTENT} and more`), WITHOUT_A_NAME],
  ['a model with too long a name', withModel(() => 'm'.repeat(129)), WITHOUT_A_NAME],
  ['a key as a model', withModel(() => keys.good), { ...WITHOUT_A_NAME, model: '[hidden]' }],
  ['a retired model', withModel(() => RETIRED), { ...WITHOUT_A_NAME, model: RETIRED }],
  [
    'a provider’s refusal before a call, without its message',
    providerRefuses('/v1/messages/count_tokens', {}),
    { status: 400, code: 'invalid_request', sentence: "The model's provider refused the request." },
  ],
]

const { path, body } = REQUESTS.chat(MODEL, false)
const UNRECORDED: readonly (readonly [name: string, status: number, ask: Ask])[] = [
  ['a request without a key', 401, () => s.gateway.call(path, body)],
  ['a request with an unknown key', 401, () => s.gateway.call(path, body, { key: 'nobody' })],
  ['a path that does not exist', 404, get('/nowhere')],
  ['a method that is not implemented', 501, get('/v1beta/models')],
  ['a call that its provider refuses', 400, providerRefuses('/v1/messages', { max_tokens: 9 })],
  [
    'a sign-in with a key that is refused',
    403,
    () =>
      s.gateway.call(
        '/console/api/session',
        { key: keys.suspended },
        { headers: { origin: s.gateway.url.origin } },
      ),
  ],
]

beforeAll(async () => {
  s = await scene({
    more: (url) => `${surfaceModels(url)}
${modelSection('vectors', { 'speaks-openai': 'upstream-vectors' }, { kind: 'embedding', price: 'input = 1' })}
[limits.accounts.hurried]
requests_per_minute = 1
`,
  })
  const { gateway } = s
  for (const name of [
    'poor',
    'forbidden',
    'unknown',
    'expired',
    'revoked',
    'suspended',
    'hurried',
    'elsewhere',
    'good',
    'socket',
  ] as const) {
    await gateway.account(name, name === 'poor' ? {} : { balance_usd: '10' })
    keys[name] = await gateway.key(name, {
      ...(name === 'forbidden' ? { models: ['none'] } : {}),
      ...(name === 'elsewhere' ? { addresses: ['203.0.113.7'] } : {}),
    })
  }
  gateway.db.run(`UPDATE accounts SET status = 'suspended' WHERE name = 'suspended';
    UPDATE keys SET revoked_at_ms = 1 WHERE account_id = (SELECT id FROM accounts WHERE name = 'revoked');
    UPDATE keys SET expires_at_ms = 1 WHERE account_id = (SELECT id FROM accounts WHERE name = 'expired')`)
  // The one request within the limit.
  await send(REQUESTS.chat('of-nobody', false), keys.hurried)
  for (const [surface, reason] of ROWS) {
    const { of, model } = PAID[surface] ?? { of: REQUESTS.speech, model: '' }
    ids.set(`${surface} ${reason}`, await send(of(reason === 'unknown' ? 'of-nobody' : model), keys[reason]))
  }
  for (const [name, ask] of OTHERS) ids.set(name, await idOf(await ask()))
  for (const [name, status, ask] of UNRECORDED) {
    const answer = await ask()
    expect([name, answer.status]).toEqual([name, status])
    ids.set(name, await idOf(answer))
  }
  const socket = await openSocket(gateway, { key: keys.socket })
  await socket.create({ model: 'of-nobody', input: CONTENT })
  socket.send('nonsense')
  await socket.next()
  socket.raw.close()
  await eventually('all are recorded', () => recorded().length >= ROWS.length + OTHERS.length + 3)
}, 120_000)
afterAll(() => s[Symbol.asyncDispose]())

test.each(ROWS)('%s: %s is recorded', (surface, reason) => {
  const request_id = ids.get(`${surface} ${reason}`) ?? ''
  const [status, code, sentence] = REASONS[reason]
  const own = recorded().filter((row) => row.request_id === request_id)
  const requested_model = reason === 'unknown' ? 'of-nobody' : (PAID[surface]?.model ?? null)
  const known = BEFORE_THE_MODEL.has(reason) ? null : requested_model
  expect(own).toMatchObject([
    { surface, status, code, model: known, sentence: expect.stringMatching(sentence) },
  ])
  const owner = s.gateway.db.query<{ account_id: number; key_id: number }, [string]>(
    'SELECT a.id AS account_id, k.id AS key_id FROM accounts a JOIN keys k ON k.account_id = a.id WHERE a.name = ?',
  )
  expect(own).toMatchObject([owner.get(reason) ?? {}])
})

test('no refused request is a call, and no record has content or a secret', () => {
  // The one call that its provider refused.
  expect(s.gateway.counts()).toEqual({ calls: 1, holds: 1 })
  const text = JSON.stringify(recorded())
  for (const secret of [CONTENT, ...Object.values(keys)]) expect(text).not.toContain(secret)
})

describe('other requests', () => {
  test.each(OTHERS)('%s is recorded', (name, _, expected) => {
    expect(recorded().filter(({ request_id }) => request_id === ids.get(name))).toMatchObject([expected])
  })

  test('an unknown model and an unreadable message over a WebSocket are recorded', () => {
    const { id } =
      s.gateway.db.query<{ id: number }, []>("SELECT id FROM accounts WHERE name = 'socket'").get() ?? {}
    expect(recorded().filter(({ account_id }) => account_id === id)).toMatchObject([
      { surface: 'responses', status: 404, code: 'model_not_found', model: 'of-nobody' },
      { surface: 'responses', status: 400, code: 'invalid_request', model: null },
    ])
  })
})

test.each(UNRECORDED)('%s is not recorded', (name) => {
  expect(ids.get(name)).toMatch(/^req_/)
  expect(recorded().filter(({ request_id }) => request_id === ids.get(name))).toEqual([])
})
