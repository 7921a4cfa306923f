// silent.md, Images: "in flight 409; another body 422"; and failures that free a key, because a retry may succeed.
import { beforeEach, describe, expect, test } from 'bun:test'
import { MODEL, THINKING } from '../support/catalogue.ts'
import { startTestGateway } from '../support/gateway.ts'
import { ANSWER_NANOS, answer, ask, piece, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { RESET, refusal, type Script, stream, whole } from '../support/upstream.ts'
import {
  announcing,
  answering,
  expectRefusal,
  keptIn,
  PAID,
  type Paid,
  send,
  sendAfterEnd,
} from './support.ts'

const { gateway, upstream } = await fileScene()
beforeEach(() => {
  upstream.requests.length = 0
  upstream.answer(answering())
})

const WHOLE = PAID['native, whole']
const STREAMED = PAID['native, events']
const newKeys = async () => ({ key: await gateway.caller(), idempotency_key: crypto.randomUUID() })

describe('a malformed key is 400, and nothing is held or kept', () => {
  test.each([
    ['256 characters', 'k'.repeat(256)],
    ['characters beyond ASCII', 'schlüssel'],
    ['a control character', 'a\tb'],
  ])('%s', async (_, idempotency_key) => {
    const before = { rows: gateway.rows().holds, kept: keptIn(gateway) }
    const { key } = await newKeys()
    expectRefusal(await send(gateway, WHOLE, { key, idempotency_key }), 400, /1 to 255 printable/)
    expect(upstream.requests).toEqual([])
    expect({ rows: gateway.rows().holds, kept: keptIn(gateway) }).toEqual(before)
  })

  test.each(['k', 'k'.repeat(255), "it's a key: {1,2} ~"])(
    'a well-formed key is accepted: %s',
    async (idempotency_key) => {
      const { key } = await newKeys()
      expect((await send(gateway, WHOLE, { key, idempotency_key })).status).toBe(200)
      expect((await send(gateway, WHOLE, { key, idempotency_key })).replayed).toBe('true')
    },
  )
})

describe('"another body 422", and one charge', () => {
  const OTHERS: [string, Paid][] = [
    ['another text', { ...WHOLE, body: ask('Say goodbye.') }],
    ['one more field', { ...WHOLE, body: ask(undefined, { generationConfig: {} }) }],
    ['another model', { ...WHOLE, path: wholePath(THINKING) }],
    ['streamed', STREAMED],
    ['another way to frame a stream', { ...WHOLE, path: `${WHOLE.path}?alt=sse` }],
    ['another surface', PAID['chat, whole']],
  ]
  test.each(OTHERS)('%s', async (_, other) => {
    const keys = await newKeys()
    const first = await send(gateway, WHOLE, keys)
    expectRefusal(await send(gateway, other, keys), 422, /was used for another request/)
    expect(await send(gateway, WHOLE, keys)).toEqual({ ...first, replayed: 'true' })
    expect(upstream.requests).toHaveLength(1)
    const { calls } = await gateway.atRest()
    expect(calls.filter(({ request_id }) => request_id === first.request_id)).toHaveLength(1)
  })

  test('while the first one is in progress', async () => {
    const keys = await newKeys()
    const release = Promise.withResolvers<void>()
    const { script, arrived } = announcing(async () => {
      await release.promise
      return whole(answer())
    })
    upstream.answer(script)
    const first = send(gateway, WHOLE, keys)
    await arrived
    expectRefusal(await send(gateway, { ...WHOLE, body: ask('Say goodbye.') }, keys), 422, /another request/)
    release.resolve()
    expect((await first).status).toBe(200)
  })
})

describe('"in flight 409", and one charge', () => {
  const UNDER_WAY: [string, Paid, (release: Promise<void>) => Script][] = [
    [
      'before the upstream answers',
      WHOLE,
      (release) => async () => {
        await release
        return whole(answer())
      },
    ],
    [
      'in the middle of a stream',
      STREAMED,
      (release) => stream({ event: piece('Hel') }, { wait: release }, { event: answer('lo.') }),
    ],
  ]
  test.each(UNDER_WAY)('%s', async (_, paid, scriptUntil) => {
    const keys = await newKeys()
    const release = Promise.withResolvers<void>()
    const { script, arrived } = announcing(scriptUntil(release.promise))
    upstream.answer(script)
    const first = send(gateway, paid, keys)
    await arrived
    const response = await gateway.call(paid.path, paid.body, {
      key: keys.key,
      headers: { 'idempotency-key': keys.idempotency_key },
    })
    expect([response.status, response.headers.get('retry-after')]).toEqual([409, '1'])
    expect(await response.text()).toContain('still in progress')
    release.resolve()
    const { body } = await first
    expect(await send(gateway, paid, keys)).toMatchObject({ status: 200, replayed: 'true', body })
    expect(upstream.requests).toHaveLength(1)
    await gateway.rest()
  })

  test.each([
    ['whole', WHOLE],
    ['streamed', STREAMED],
  ] as const)(
    'of forty simultaneous requests, %s, one is served; the others are refused or get its answer',
    async (_, paid) => {
      const keys = await newKeys()
      const all = await Promise.all(Array.from({ length: 40 }, () => send(gateway, paid, keys)))
      expect(all.filter(({ status, replayed }) => status === 200 && replayed === null)).toHaveLength(1)
      expect(all.every(({ status }) => status === 409 || status === 200)).toBe(true)
      expect(upstream.requests).toHaveLength(1)
      await gateway.rest()
    },
  )
})

describe('the key is free after a refusal before the hold, and after a failure that was not charged', () => {
  test('an invalid body', async () => {
    const keys = await newKeys()
    const kept = keptIn(gateway)
    expect((await send(gateway, { ...WHOLE, body: { contents: 'no' } }, keys)).status).toBe(400)
    expect((await send(gateway, { ...WHOLE, path: wholePath('no-such-model') }, keys)).status).toBe(404)
    expect(keptIn(gateway)).toEqual(kept)
    expect(await send(gateway, WHOLE, keys)).toMatchObject({ status: 200, replayed: null })
  })

  test('an insufficient balance', async () => {
    const { id, name } = await gateway.account(`poor-${crypto.randomUUID()}`)
    const keys = { key: await gateway.key(name), idempotency_key: crypto.randomUUID() }
    const kept = keptIn(gateway)
    expect((await send(gateway, WHOLE, keys)).status).toBe(402)
    expect(keptIn(gateway)).toEqual(kept)
    await gateway.topUp(id, '1')
    expect(await send(gateway, WHOLE, keys)).toMatchObject({ status: 200, replayed: null })
  })

  const FAILURES: [string, number, Script][] = [
    ['the upstream fails', 502, refusal(500)],
    ['the upstream is rate-limited', 429, refusal(429)],
    ['the connection breaks', 502, RESET],
    ['the answer is no JSON', 502, whole('<html>')],
  ]
  for (const paid of [WHOLE, STREAMED]) {
    test.each(FAILURES)(`${paid.path}: %s`, async (_, status, script) => {
      const keys = await newKeys()
      upstream.answer(paid === STREAMED && script !== RESET ? refusal(status === 429 ? 429 : 500) : script)
      expect((await send(gateway, paid, keys)).status).toBe(status)
      upstream.answer(answering())
      const second = await send(gateway, paid, keys)
      expect([second.status, second.replayed]).toEqual([200, null])
      const { calls } = await gateway.atRest()
      expect(calls.slice(-2).map(({ cost_nanos }) => cost_nanos)).toEqual([0, ANSWER_NANOS])
    })
  }
})

describe('a permanent refusal after the hold is kept', () => {
  test('a request that the upstream refuses', async () => {
    const keys = await newKeys()
    upstream.answer(
      refusal(400, { error: { code: 400, message: 'no such tool', status: 'INVALID_ARGUMENT' } }),
    )
    const first = await send(gateway, WHOLE, keys)
    expect([first.status, first.replayed]).toEqual([400, null])
    upstream.answer(answering())
    expect(await send(gateway, WHOLE, keys)).toEqual({ ...first, replayed: 'true' })
    expect(upstream.requests).toHaveLength(1)
    expect(await gateway.lastCall()).toMatchObject({ cost_nanos: 0, outcome: 'failed' })
  })

  test('with the headers of its surface', async () => {
    const keys = await newKeys()
    upstream.answer(refusal(400, { error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }))
    const { path, body, headers } = PAID['messages, whole']
    const call = () =>
      gateway.call(path, body, {
        key: keys.key,
        headers: { ...headers, 'idempotency-key': keys.idempotency_key },
      })
    const [first, second] = [await call(), await call()]
    expect(second.headers.get('request-id')).toBe(first.headers.get('request-id'))
    expect([await second.text(), second.headers.get('idempotent-replayed')]).toEqual([
      await first.text(),
      'true',
    ])
  })
})

describe('an answer that was not completed', () => {
  const leaveAfter = async (text: string, keys: { key: string; idempotency_key: string }) => {
    const leaving = new AbortController()
    const response = await gateway.call(STREAMED.path, STREAMED.body, {
      key: keys.key,
      headers: { 'idempotency-key': keys.idempotency_key },
      signal: leaving.signal,
    })
    const reader = response.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    expect(new TextDecoder().decode(value)).toContain(text)
    leaving.abort()
    await upstream.last().over
    await gateway.rest()
  }

  test('a stream whose caller disconnects after the first bytes is charged once, and not replayed', async () => {
    const keys = await newKeys()
    upstream.answer(stream({ event: piece('Hello') }, 'hang'))
    await leaveAfter('Hello', keys)
    upstream.answer(answering())
    for (let round = 0; round < 2; round += 1)
      expectRefusal(
        await sendAfterEnd(gateway, STREAMED, keys),
        409,
        /was charged, but its answer is not available/,
      )
    expect(upstream.requests).toHaveLength(1)
    expect(await gateway.lastCall()).toMatchObject({ outcome: 'cancelled' })
  })

  test('a stream that breaks after the first bytes is charged once, and not replayed', async () => {
    const keys = await newKeys()
    upstream.answer(stream({ event: piece('Hello') }, 'reset'))
    expect((await send(gateway, STREAMED, keys)).body).toContain('error')
    upstream.answer(answering())
    expectRefusal(await send(gateway, STREAMED, keys), 409, /was charged/)
    expect(upstream.requests).toHaveLength(1)
  })

  test('a stream that breaks before its first bytes is not charged, and frees its key', async () => {
    const keys = await newKeys()
    upstream.answer(stream({ event: { candidates: [] } }, 'reset'))
    await send(gateway, STREAMED, keys)
    upstream.answer(answering())
    expect(await send(gateway, STREAMED, keys)).toMatchObject({ status: 200, replayed: null })
    expect((await gateway.atRest()).calls.slice(-2).map(({ cost_nanos }) => cost_nanos)).toEqual([
      0,
      ANSWER_NANOS,
    ])
  })

  test('a whole answer whose caller disconnects is charged for its input once, and not replayed', async () => {
    const keys = await newKeys()
    const leaving = new AbortController()
    const { script, arrived } = announcing({ steps: ['hang'] })
    upstream.answer(script)
    const headers = { 'idempotency-key': keys.idempotency_key }
    const left = gateway.call(WHOLE.path, WHOLE.body, { key: keys.key, headers, signal: leaving.signal })
    // It fails, because its caller disconnects.
    left.catch(() => undefined)
    await arrived
    leaving.abort()
    await upstream.last().over
    await gateway.rest()
    upstream.answer(answering())
    const seen = upstream.requests.length
    expectRefusal(await sendAfterEnd(gateway, WHOLE, keys), 409, /was charged, .+ the client disconnected/)
    expect(upstream.requests).toHaveLength(seen)
    expect(await gateway.lastCall()).toMatchObject({ outcome: 'cancelled', estimated: 1 })
  })
})

test('the log contains neither keys nor requests', async () => {
  const keys = await newKeys()
  await send(
    gateway,
    { ...PAID['chat, whole'], body: { model: MODEL, messages: [{ role: 'user', content: 'my secret' }] } },
    keys,
  )
  expect(gateway.log.text()).not.toContain(keys.idempotency_key)
  expect(gateway.log.text()).not.toContain('my secret')
})

test('a gateway that cannot store keys refuses, sends nothing upstream, and charges nothing', async () => {
  await using broken = await startTestGateway({ upstream })
  const key = await broken.caller()
  broken.db.run(
    "CREATE TRIGGER full BEFORE INSERT ON idempotency_keys BEGIN SELECT RAISE (ABORT, 'the disk is full'); END",
  )
  const { status, body } = await send(broken, WHOLE, { key, idempotency_key: 'k' })
  expect([status, body.includes('disk')]).toEqual([500, false])
  expect(upstream.requests).toEqual([])
  expect((await broken.atRest()).holds).toEqual([])
  expect((await broken.call(WHOLE.path, WHOLE.body, { key })).status).toBe(200)
})

test('an answer that cannot be kept is sent all the same, and a repeat neither calls nor charges again', async () => {
  await using broken = await startTestGateway({ upstream })
  const key = await broken.caller()
  broken.db.run(
    "CREATE TRIGGER full BEFORE UPDATE ON idempotency_keys BEGIN SELECT RAISE (ABORT, 'the disk is full'); END",
  )
  for (const [paid, idempotency_key] of [
    [WHOLE, 'one'],
    [STREAMED, 'two'],
  ] as const) {
    expect((await send(broken, paid, { key, idempotency_key })).status).toBe(200)
    expectRefusal(await send(broken, paid, { key, idempotency_key }), 409, /was charged/)
  }
  expect((await broken.atRest()).calls).toHaveLength(2)
})
