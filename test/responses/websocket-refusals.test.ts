// Refusals over a WebSocket, and before one is open: as by POST, or as by OpenAI; nothing is held, and the socket stays open.
import { describe, expect, test } from 'bun:test'
import { errorOf } from '../chat/support.ts'
import { limitedAccount, MODELS } from '../support/three-providers.ts'
import { openSocket } from '../support/web-socket.ts'
import { QUESTION, responsesScene } from './support.ts'

const { gateway, upstream, call, post, key, counts, expectCounts } = await responsesScene()
const model = MODELS.openai
const FIRST = { model, input: QUESTION }
const create = (fields: object) => JSON.stringify({ type: 'response.create', ...FIRST, ...fields })
const HANDSHAKE = { upgrade: 'websocket', connection: 'upgrade' }
const VERSION = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' }
const invalid = { type: 'invalid_request_error' }

const MESSAGES: readonly (readonly [
  what: string,
  message: string | Uint8Array<ArrayBuffer>,
  error: object,
])[] = [
  ['a binary message', new TextEncoder().encode(create({})), { ...invalid, message: /binary/ }],
  ['no JSON', 'hello', { ...invalid, message: /JSON object/ }],
  ['nothing', '', { ...invalid, message: /JSON object/ }],
  ['a list', `[${create({})}]`, { ...invalid, message: /JSON object/ }],
  ['JSON that is cut', '{"type":"response.create","model":"gpt', { ...invalid, message: /JSON/ }],
  [
    'JSON with a fault further in',
    '{"type":"response.create","input":[tru}',
    { ...invalid, message: /JSON/ },
  ],
  [
    'fields without a comma, the first of the envelope',
    `{"type":"response.create";${JSON.stringify(FIRST).slice(1)}`,
    { ...invalid, message: /JSON/ },
  ],
  ['no type', JSON.stringify(FIRST), { ...invalid, param: 'type' }],
  ['an unknown type', '{"type":"session.update"}', { ...invalid, param: 'type' }],
  ['a type that is no text', '{"type":7}', { ...invalid, param: 'type' }],
  ['two types', `{"type":"response.create","type":"session.update"}`, { ...invalid, param: 'type' }],
  [
    'deep nesting',
    `{"type":"response.create","input":${'['.repeat(2_000)}`,
    { ...invalid, message: /nested/ },
  ],
  [
    'fields without end',
    `{${'"type":1,'.repeat(300)}"type":"response.processed"}`,
    { ...invalid, message: /more than 256 fields/ },
  ],
  [
    'a long steer',
    JSON.stringify({ type: 'response.steer', input: 'x'.repeat(70_000) }),
    { ...invalid, message: /at most 64 KB/ },
  ],
  [
    'a long notice',
    JSON.stringify({ type: 'response.processed', x: 'x'.repeat(70_000) }),
    { ...invalid, message: /at most 64 KB/ },
  ],
  ['an empty lane', create({ stream_id: '' }), { ...invalid, code: 'invalid_stream_id', param: 'stream_id' }],
  ['a lane that is no text', create({ stream_id: null }), { ...invalid, code: 'invalid_stream_id' }],
  ['a lane of other characters', create({ stream_id: 'a b' }), { ...invalid, code: 'invalid_stream_id' }],
  ['a lane too long', create({ stream_id: 'a'.repeat(257) }), { ...invalid, code: 'invalid_stream_id' }],
  ['generate that is no flag', create({ generate: 'no' }), { ...invalid, param: 'generate' }],
  ['in the background', create({ background: true }), { ...invalid, param: 'background' }],
  ['no model', create({ model: undefined }), { ...invalid, param: 'model' }],
  ['no conversation', create({ input: undefined }), { ...invalid, param: 'input' }],
  [
    'an unknown response',
    create({ previous_response_id: 'resp_x' }),
    { code: 'previous_response_not_found' },
  ],
]

const matching = (error: object) =>
  Object.fromEntries(
    Object.entries(error).map(([name, value]) => [
      name,
      value instanceof RegExp ? expect.stringMatching(value) : value,
    ]),
  )

test('messages without a valid request are refused on one socket, which stays open', async () => {
  const socket = await openSocket(gateway, { key })
  const before = counts()
  for (const [what, message, error] of MESSAGES) {
    socket.send(message)
    expect({ what, ...(await socket.next()) }).toMatchObject({
      what,
      type: 'error',
      status: 400,
      error: matching(error),
      headers: { 'x-request-id': expect.stringMatching(/^req_/) },
    })
  }
  await expectCounts(before)
  expect((await socket.create(FIRST)).at(-1)).toMatchObject({ type: 'response.completed' })
  socket.raw.close()
})

const CALLS: readonly (readonly [what: string, fields: object])[] = [
  ['a model that does not exist', { model: 'none' }],
  ['a model that is retired', { model: 'retired' }],
  ['a count that is no number', { max_output_tokens: 'many' }],
  ['an item that is not kept', { input: [{ type: 'item_reference', id: 'msg_none_0' }] }],
]

test.each(CALLS)('as POST, word for word: %s', async (_, fields) => {
  const { status, ...error } = await errorOf(await post({ ...FIRST, ...fields }))
  const socket = await openSocket(gateway, { key })
  expect(await socket.create({ ...FIRST, ...fields })).toMatchObject([{ type: 'error', status, error }])
  socket.raw.close()
})

test('a provider that fails: as POST', async () => {
  upstream.answer({ status: 500, steps: [] })
  const { status, ...error } = await errorOf(await post({ ...FIRST, stream: true }))
  const socket = await openSocket(gateway, { key })
  expect(await socket.create({ ...FIRST, stream_id: 'a' })).toMatchObject([
    { type: 'error', stream_id: 'a', status, error },
  ])
  socket.raw.close()
  await gateway.rest()
})

test('a message that expects no answer gets none, which another request could take for its own', async () => {
  const socket = await openSocket(gateway, { key })
  socket.send({ type: 'response.processed', response_id: 'resp_x' })
  expect((await socket.create(FIRST))[0]).toMatchObject({ type: 'response.created' })
  socket.raw.close()
})

test('no response can be steered', async () => {
  const socket = await openSocket(gateway, { key })
  socket.send({ type: 'response.steer', previous_response_id: 'resp_x', input: 'Faster' })
  expect(await socket.next()).toMatchObject({
    type: 'response.steer.failed',
    error: { code: 'steering_not_supported' },
    steer: { previous_response_id: 'resp_x', input: 'Faster' },
  })
  socket.raw.close()
})

test('the 33rd lane is refused, the others go on', async () => {
  const socket = await openSocket(gateway, { key })
  for (let lane = 1; lane <= 32; lane++)
    await socket.create({ ...FIRST, stream_id: `${lane}`, generate: false })
  expect(await socket.create({ ...FIRST, stream_id: '33' })).toMatchObject([
    { type: 'error', status: 400, stream_id: '33', error: { code: 'websocket_stream_limit_reached' } },
  ])
  for (const lane of [{}, { stream_id: '7' }])
    expect((await socket.create({ ...FIRST, ...lane })).at(-1)).toMatchObject({ type: 'response.completed' })
  socket.raw.close()
})

test.each([
  ['messages that cannot be understood', 'hello'],
  ['notices', '{"type":"response.processed"}'],
  ['steering of responses', '{"type":"response.steer","input":"Faster"}'],
])('a caller who sends nothing else but %s is disconnected', async (_, message) => {
  const socket = await openSocket(gateway, { key })
  for (let sent = 0; sent < 200; sent++) socket.send(message)
  expect(await socket.closed).toMatchObject({ code: 1008 })
})

test('a message of more than 16 MB closes the socket, with its calls', async () => {
  const socket = await openSocket(gateway, { key })
  const before = counts()
  socket.send(create({ input: 'x'.repeat(16 * 1024 * 1024) }))
  expect((await socket.closed).code).toBe(1009)
  await expectCounts(before)
})

test('a message of 8 MB is read', async () => {
  const socket = await openSocket(gateway, { key })
  const got = await socket.create({ ...FIRST, input: 'x '.repeat(4 * 1024 * 1024) })
  expect(got.at(-1)).toMatchObject({ type: 'error', status: 400 })
  socket.raw.close()
})

describe('the key is checked again for each response', () => {
  test.each([
    ['it was revoked', 401, 'UPDATE keys SET revoked_at_ms = 1 WHERE account_id = ?'],
    ['its account was suspended', 403, "UPDATE accounts SET status = 'suspended' WHERE id = ?"],
  ])('%s: %d', async (what, status, change) => {
    const { id, name } = await gateway.account(what.replaceAll(' ', '-'), { balance_usd: '1' })
    const socket = await openSocket(gateway, { key: await gateway.key(name) })
    expect((await socket.create(FIRST)).at(-1)).toMatchObject({ type: 'response.completed' })
    gateway.db.query(change).run(id)
    let got = await socket.create(FIRST)
    // The gate caches a key for a second.
    while (got.at(-1)?.type === 'response.completed') got = await socket.create(FIRST)
    expect(got).toMatchObject([{ type: 'error', status }])
    socket.raw.close()
  })

  test('its account has reached a limit', async () => {
    const { name } = await gateway.account(limitedAccount('openai'), { balance_usd: '1' })
    const socket = await openSocket(gateway, { key: await gateway.key(name) })
    await socket.create(FIRST)
    expect(await socket.create(FIRST)).toMatchObject([
      { type: 'error', status: 429, headers: { 'retry-after': expect.any(String) } },
    ])
    socket.raw.close()
  })

  test('its account has no money', async () => {
    const socket = await openSocket(gateway, { key: await gateway.caller('0.000001') })
    expect(await socket.create(FIRST)).toMatchObject([{ status: 402, error: { type: 'insufficient_quota' } }])
    socket.raw.close()
  })

  test('its account has no balance left: nothing is prepared, either', async () => {
    const { id, name } = await gateway.account('emptied', { balance_usd: '1' })
    const socket = await openSocket(gateway, { key: await gateway.key(name) })
    const withdrawal = {
      op: 'withdraw',
      account_id: id,
      amount_nanos: 1_000_000_000,
      note: 'test',
      now_ms: 0,
    } as const
    expect(await gateway.ledger.submit(withdrawal)).toMatchObject({ ok: true })
    expect(await socket.create({ ...FIRST, generate: false })).toMatchObject([
      { status: 402, error: { type: 'insufficient_quota' } },
    ])
    socket.raw.close()
  })

  test('nothing is paid: the socket is closed after 100 refusals', async () => {
    const socket = await openSocket(gateway, { key: await gateway.caller('0.000001') })
    const before = counts()
    for (let sent = 0; sent < 150; sent++) socket.send(create({}))
    expect(await socket.closed).toMatchObject({ code: 1008 })
    await expectCounts(before)
  })
})

describe('before a socket is open', () => {
  const handshake = (options: object = {}) =>
    call('/v1/responses', undefined, { method: 'GET', headers: HANDSHAKE, ...options })

  test.each([
    ['no key', { key: undefined }],
    ['a wrong key', { key: 'tg_wrong' }],
  ])('%s: 401', async (_, options) => {
    expect(await errorOf(await handshake(options))).toMatchObject({ status: 401, code: 'invalid_api_key' })
  })
  test('a suspended account: 403', async () => {
    const { id, name } = await gateway.account('suspended', { balance_usd: '1' })
    const suspended = await gateway.key(name)
    gateway.db.query("UPDATE accounts SET status = 'suspended' WHERE id = ?").run(id)
    expect(await errorOf(await handshake({ key: suspended }))).toMatchObject({ status: 403 })
  })
  test.each([
    ['its account has no money', /balance/i, async () => await gateway.caller('0')],
    [
      'its account has reached a limit',
      /Rate limit reached: requests/,
      async () => {
        const { name } = await gateway.account(limitedAccount('anthropic'), { balance_usd: '1' })
        const limited = await gateway.key(name)
        await call('/v1/responses', FIRST, { key: limited })
        return limited
      },
    ],
  ])('%s: 426, with the reason, which POST gives, too', async (_, why, keyOf) => {
    const response = await handshake({ key: await keyOf(), headers: { ...HANDSHAKE, ...VERSION } })
    expect(response.status).toBe(426)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(why) } })
  })
  test('a request without the handshake of a WebSocket: 426, after which Codex goes on by POST', async () => {
    const response = await handshake()
    expect(response.status).toBe(426)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('POST') } })
  })
})
