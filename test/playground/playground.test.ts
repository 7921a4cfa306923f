// The playground's paid calls: payers, costs, permissions, and calls that the browser leaves.
import { beforeEach, describe, expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import { listKeys, revokeKey } from '../../src/access/keys.ts'
import type { Call } from '../../src/store/schema.ts'
import { type ConsoleSession, consoleSession, withoutSession } from '../console/portal.ts'
import { paint } from '../media/support.ts'
import { MODEL, PICTURE, PROVIDER, UPSTREAM_MODEL } from '../support/catalogue.ts'
import { ANSWER_NANOS, answering, piece } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection } from '../support/sections.ts'
import { stream, whole } from '../support/upstream.ts'

const BY_SIZE = 'test-by-size'
const BY_TOKENS = 'test-by-tokens'
const scene = await fileScene({
  more:
    modelSection(
      BY_SIZE,
      { [PROVIDER]: UPSTREAM_MODEL },
      {
        kind: 'image',
        price: `per_image = 0.04, variants = [
          { size = "1024x1024", quality = "low", per_image = 0.01 }, { quality = "high", per_image = 0.2 }]`,
        more: 'max_n_per_request = 4',
      },
    ) +
    modelSection(
      BY_TOKENS,
      { [PROVIDER]: UPSTREAM_MODEL },
      {
        kind: 'image',
        price: 'input = 5, image_output = 30',
        more: `max_tokens_per_image = 10_000
bounds = [{ quality = "low", max_tokens_per_image = 2_000 }]`,
      },
    ),
})
const { gateway, upstream } = scene
const { db, store } = gateway
beforeEach(() => upstream.answer(answering))

const CHAT = '/console/api/play/chat'
const question = (rest: object = {}) => ({
  model: MODEL,
  messages: [{ role: 'user', content: 'Say hello.' }],
  ...rest,
})

const PNG = Buffer.from(await paint('png', { width: 48, height: 32 }))
/** An answer of Gemini's image models. */
const picture = whole({
  candidates: [
    {
      content: {
        role: 'model',
        parts: [{ inlineData: { mimeType: 'image/png', data: PNG.toString('base64') } }],
      },
      finishReason: 'STOP',
    },
  ],
})

let made = 0
/** An account with money, signed in with its password. */
async function person(balance_usd = '5') {
  const { name, id } = await gateway.account(`player-${++made}`, { balance_usd })
  return { name, id, session: await consoleSession(gateway, { account: name }) }
}

const keysOf = async (account_id: number) => await listKeys(store, account_id)
const consoleKeyOf = async (account_id: number) =>
  (await keysOf(account_id)).find(({ name }) => name === 'console')

/** The error of a refusal. */
async function errorOf(answer: Response) {
  const { error } = (await answer.json()) as { error: { code: string; message: string } }
  return { status: answer.status, code: error.code, message: error.message }
}

/** The part of a call that is the same for every caller. */
const charged = ({
  surface,
  model,
  outcome,
  status,
  streamed,
  input_tokens,
  output_tokens,
  cost_nanos,
  price,
}: Call) => ({
  ...{ surface, model, outcome, status, streamed, input_tokens, output_tokens, cost_nanos, price },
})

describe('the cost of a call', () => {
  test.each([
    ['whole', question()],
    ['streamed', question({ stream: true })],
  ])('%s, is that of the same call by the API', async (_name, body) => {
    const { session } = await person()
    const by_api = await scene.call('/v1/chat/completions', body)
    const text_by_api = await by_api.text()
    const api_call = await scene.lastCall()
    const played = await session.ask(CHAT, body)
    expect(played.status).toBe(200)
    expect(played.headers.get('content-type')).toBe(by_api.headers.get('content-type'))
    const text = await played.text()
    expect(text.length).toBeGreaterThan(0)
    expect(withoutIds(text)).toBe(withoutIds(text_by_api))
    const played_call = await scene.lastCall()
    expect(played_call.id).toBeGreaterThan(api_call.id)
    expect(charged(played_call)).toEqual(charged(api_call))
    expect(played_call.cost_nanos).toBe(ANSWER_NANOS)
    expect(played_call.request_id).toBe(played.headers.get('x-request-id') ?? '')
  })

  const withoutIds = (text: string) => text.replace(/"(id|created)":("[^"]*"|\d+)/g, '"$1":0')

  test('is found by the request id once it is settled, by its account alone', async () => {
    const [alice, bob] = [await person(), await person()]
    const answer = await alice.session.ask(CHAT, question())
    await answer.text()
    const path = `/console/api/calls/${answer.headers.get('x-request-id')}`
    expect(await (await alice.session.ask(path)).json()).toMatchObject({
      cost_nanos: ANSWER_NANOS,
      input_tokens: 10,
      output_tokens: 5,
      outcome: 'completed',
    })
    expect((await bob.session.ask(path)).status).toBe(404)
  })

  test('a stream that the browser leaves early is charged for the delivered part', async () => {
    const { session, id } = await person()
    const leaving = new AbortController()
    upstream.answer(stream({ event: piece('Once upon') }, 'read', 'hang'))
    const answer = await session.ask(CHAT, question({ stream: true }), { signal: leaving.signal })
    const reader = answer.body?.getReader()
    await reader?.read()
    leaving.abort()
    const seen = upstream.last()
    await seen.over
    expect(seen.aborted).toBe(true)
    const call = await scene.lastCall()
    expect(call).toMatchObject({ account_id: id, outcome: 'cancelled', status: 499, estimated: 1 })
    expect(call.cost_nanos).toBeGreaterThan(0)
  })

  test('two calls at once at the very first use make one key', async () => {
    const { session, id } = await person()
    const answers = await Promise.all([session.ask(CHAT, question()), session.ask(CHAT, question())])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    for (const answer of answers) await answer.text()
    expect((await keysOf(id)).map(({ name }) => name)).toEqual(['console'])
  })
})

describe('the payer', () => {
  test('after a sign-in with a password is a key named "console", whose text nobody has', async () => {
    const { session, id } = await person()
    expect((await play(session)).payer).toMatchObject({ key: null, may_renew: false })
    await (await session.ask(CHAT, question())).text()
    const key = await consoleKeyOf(id)
    expect(await scene.lastCall()).toMatchObject({ account_id: id, key_id: key?.id ?? 0 })
    expect((await play(session)).payer).toMatchObject({
      key: { name: 'console', prefix: key?.prefix, state: 'usable', spent_nanos: ANSWER_NANOS },
      may_renew: true,
    })
  })

  test('after a sign-in with a key is that key', async () => {
    const { name, id } = await person()
    const text = await gateway.key(name, { name: 'laptop' })
    const session = await consoleSession(gateway, { key: text })
    await (await session.ask(CHAT, question())).text()
    expect(await consoleKeyOf(id)).toBeUndefined()
    const [laptop] = await keysOf(id)
    expect(await scene.lastCall()).toMatchObject({ key_id: laptop?.id ?? 0 })
    expect((await play(session)).payer).toMatchObject({ key: { name: 'laptop' }, may_renew: false })
    expect((await session.ask('/console/api/play/key', {})).status).toBe(403)
  })

  test('the operator names an account, and no call is made without one', async () => {
    const { name, id } = await person()
    const operator = await consoleSession(gateway, 'operator')
    const before = scene.counts()
    expect(await errorOf(await operator.ask(CHAT, question()))).toMatchObject({ status: 400 })
    expect((await operator.ask(`${CHAT}?account=nobody`, question())).status).toBe(404)
    await scene.expectCounts(before)
    expect((await play(operator)).payer).toBeNull()
    await (await operator.ask(`${CHAT}?account=${name}`, question())).text()
    expect(await scene.lastCall()).toMatchObject({
      account_id: id,
      key_id: (await consoleKeyOf(id))?.id ?? 0,
    })
  })

  test('an account holder cannot name another account', async () => {
    const [alice, bob] = [await person(), await person()]
    expect((await alice.session.ask(`${CHAT}?account=${bob.name}`, question())).status).toBe(404)
    expect((await alice.session.ask(`/console/api/play?account=${bob.name}`)).status).toBe(404)
    expect(await keysOf(bob.id)).toEqual([])
  })

  test('a key sent along pays for nothing', async () => {
    const [alice, bob] = [await person(), await person()]
    const key = await gateway.key(bob.name)
    const headers = { authorization: `Bearer ${key}`, 'x-api-key': key, 'x-goog-api-key': key }
    await (await alice.session.ask(`${CHAT}`, question(), { headers })).text()
    expect(await scene.lastCall()).toMatchObject({ account_id: alice.id })
    expect((await withoutSession(gateway).ask(CHAT, question(), { headers })).status).toBe(401)
  })
})

describe('limits of the key that pays', () => {
  /** An account whose key "console" has these settings. */
  async function limited(settings: object) {
    const player = await person()
    await gateway.key(player.name, { name: 'console', ...settings })
    return player
  }

  test('models: others are not offered, and refused', async () => {
    const { session } = await limited({ models: ['other-*'] })
    expect(await play(session)).toMatchObject({ text_models: [], image_models: [] })
    expect(await errorOf(await session.ask(CHAT, question()))).toMatchObject({ status: 403 })
  })

  test('spending: refused once it is spent', async () => {
    const { session } = await limited({ spend_limit_nanos: 1 })
    const before = scene.counts()
    const answer = await session.ask(CHAT, question())
    expect(answer.status).toBeGreaterThanOrEqual(402)
    expect(answer.status).toBeLessThan(500)
    await scene.expectCounts(before)
  })

  test('addresses: the browser’s own counts', async () => {
    const allowed = await limited({ addresses: ['127.0.0.1', '::1'] })
    expect((await allowed.session.ask(CHAT, question())).status).toBe(200)
    const elsewhere = await limited({ addresses: ['203.0.113.9'] })
    expect((await elsewhere.session.ask(CHAT, question())).status).toBe(403)
  })

  test('revoked: refused until a new one is made', async () => {
    const { session, id } = await person()
    await (await session.ask(CHAT, question())).text()
    await revokeKey(store, String((await consoleKeyOf(id))?.id), Date.now())
    const before = scene.counts()
    expect(await errorOf(await session.ask(CHAT, question()))).toMatchObject({
      status: 403,
      code: 'console_key_revoked',
    })
    await scene.expectCounts(before)
    expect((await play(session)).payer).toMatchObject({ key: { state: 'revoked' } })
    expect((await session.ask('/console/api/play/key', {})).status).toBe(200)
    expect((await session.ask(CHAT, question())).status).toBe(200)
    expect((await keysOf(id)).map(({ name }) => name)).toEqual(['console', 'console'])
    // A second press makes no third key.
    await session.ask('/console/api/play/key', {})
    expect(await keysOf(id)).toHaveLength(2)
  })

  test('expired: refused until a new one is made', async () => {
    const { session, id } = await limited({})
    db.run('UPDATE keys SET expires_at_ms = 1 WHERE id = ?', [Number((await consoleKeyOf(id))?.id)])
    expect(await errorOf(await session.ask(CHAT, question()))).toMatchObject({ code: 'console_key_expired' })
    await session.ask('/console/api/play/key', {})
    expect((await session.ask(CHAT, question())).status).toBe(200)
    expect(await keysOf(id)).toHaveLength(2)
  })
})

describe('a call is refused to', () => {
  test('a suspended account', async () => {
    const { session, name } = await person()
    await suspendAccount(store, name, { now_ms: 0 })
    const before = scene.counts()
    const answer = await session.ask(CHAT, question())
    expect([401, 403]).toContain(answer.status)
    await scene.expectCounts(before)
  })

  test('an account without money', async () => {
    const { session } = await person('0')
    expect((await session.ask(CHAT, question())).status).toBe(402)
  })
})

describe('images', () => {
  test('are made, edited and composed at their price, from the account’s own images alone', async () => {
    const [alice, bob] = [await person(), await person()]
    const drawing = { model: PICTURE, prompt: 'a red house' }
    upstream.answer(picture)
    const first = await ids(await alice.session.ask('/console/api/play/images', drawing))
    const second = await ids(
      await alice.session.ask('/console/api/play/edits', { ...drawing, generation_id: first[0] }),
    )
    expect((await scene.lastCall()).cost_nanos).toBe(40_000_000)
    const both = { ...drawing, generation_ids: [first[0], second[0]] }
    expect(await ids(await alice.session.ask('/console/api/play/compose', both))).toHaveLength(1)
    const before = scene.counts()
    const stolen = await bob.session.ask('/console/api/play/edits', { ...drawing, generation_id: first[0] })
    expect(stolen.status).toBe(404)
    await scene.expectCounts(before)
  })

  const QUOTE = '/console/api/play/quote'
  const quoted = (rest: object) => ({ model: BY_SIZE, prompt: 'a red house', n: 1, references: 0, ...rest })
  const held = () =>
    db.query<{ held_nanos: number }, []>('SELECT hold_nanos AS held_nanos FROM calls ORDER BY id DESC').get()
      ?.held_nanos

  test.each<[about: string, order: object, nanos: number | undefined]>([
    ['the model’s own size and quality', {}, 40_000_000],
    ['a size and quality with a price of their own', { size: '1024x1024', quality: 'low' }, 10_000_000],
    ['that size at another quality', { size: '1024x1024', quality: 'medium' }, 40_000_000],
    ['three of the best', { quality: 'high', n: 3 }, 600_000_000],
    ['by tokens', { model: BY_TOKENS }, undefined],
    ['by tokens, of a quality with a bound', { model: BY_TOKENS, quality: 'low' }, undefined],
    ['by tokens, from an image', { model: BY_TOKENS, references: 1 }, undefined],
  ])('the quote before a call is the amount of its hold: %s', async (_, order, nanos) => {
    const { session } = await person()
    upstream.answer(picture)
    const drawing = { model: BY_SIZE, prompt: 'a red house' }
    const [parent] = await ids(await session.ask('/console/api/play/images', drawing))
    const { references, ...image_request } = quoted(order)
    const quote = (await (await session.ask(QUOTE, quoted(order))).json()) as {
      held_nanos: number
      is_most: boolean
    }
    await (references === 0
      ? session.ask('/console/api/play/images', image_request)
      : session.ask('/console/api/play/edits', { ...image_request, generation_id: parent }))
    await scene.lastCall()
    expect(quote).toMatchObject({ held_nanos: nanos ?? held(), is_most: nanos === undefined })
    expect(held()).toBe(quote.held_nanos)
  })

  test.each<[about: string, order: object, status: number, words: string]>([
    ['a text model', { model: MODEL }, 400, 'is not an image model that you can call'],
    ['an unknown model', { model: 'none' }, 400, 'is not an image model that you can call'],
    ['more images than the model makes', { n: 5 }, 400, 'at most 4'],
    ['an invalid size', { size: 'large' }, 400, 'WIDTHxHEIGHT'],
    ['no images', { n: 0 }, 400, 'a whole number, 1 or more'],
    ['too many references', { references: 4 }, 400, 'from 0 to 3'],
    ['another field', { hd: true }, 400, 'hd'],
  ])('no quote for %s', async (_, order, status, words) => {
    const { session } = await person()
    const answer = await errorOf(await session.ask(QUOTE, quoted(order)))
    expect(answer).toMatchObject({ status, message: expect.stringContaining(words) })
  })

  async function ids(answer: Response): Promise<string[]> {
    const body = (await answer.json()) as { svc_generation_ids: string[] }
    expect([answer.status, answer.status === 200 ? '' : body]).toEqual([200, ''])
    return body.svc_generation_ids
  }
})

test('the models have their parameters and prices', async () => {
  const { session } = await person()
  const { text_models, image_models } = await play(session)
  expect(text_models.find(({ id }) => id === MODEL)).toMatchObject({
    input_usd: '1.00',
    output_usd: '4.00',
    has_tiers: false,
    // Gemini's protocol has a place for each of them.
    parameters:
      'max_completion_tokens temperature top_p stop seed frequency_penalty presence_penalty reasoning_effort'.split(
        ' ',
      ),
  })
  expect(image_models.find(({ id }) => id === PICTURE)).toMatchObject({
    from_usd: '0.04',
    to_usd: '0.04',
    max_n: 1,
  })
})

interface Play {
  payer: object | null
  text_models: { id: string }[]
  image_models: { id: string }[]
}

async function play(session: ConsoleSession): Promise<Play> {
  const answer = await session.ask('/console/api/play')
  expect(answer.status).toBe(200)
  return (await answer.json()) as Play
}
