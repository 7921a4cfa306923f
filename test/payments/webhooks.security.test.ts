// Webhooks of payment methods over real sockets: an unsigned, oversized or misdirected one changes nothing; a signed one is a hint.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { CheckContext } from '../../src/app/checks/check.ts'
import { SIGNATURE } from './fake-provider.ts'
import { startPayingGateway } from './gateway.ts'
import { CREDIT } from './world.ts'

const at = await startPayingGateway()
afterAll(() => at[Symbol.asyncDispose]())
const { gateway, fake, other, webhook } = at
const signed = { signature: SIGNATURE }
const SECRET = 'sk_live_of_the_operator'

let payer_count = 0
const account = () => gateway.account(`payer-${++payer_count}`)
const balanceOf = (id: number) => gateway.rows().accounts.find((one) => one.id === id)?.balance_nanos
const codeIn = async (answer: Response) => ((await answer.json()) as { error: { code?: string } }).error.code

beforeEach(() => {
  fake.trouble = undefined
})

describe('a webhook that is refused without a request to the provider', () => {
  const KB = 1_024
  test.each<[string, string, string | Uint8Array, Record<string, string>, number]>([
    ['without a signature', 'fake', 'REFERENCE', {}, 400],
    ['with the wrong signature', 'fake', 'REFERENCE', { signature: 'signed by me' }, 400],
    ['with an empty signature', 'fake', 'REFERENCE', { signature: '' }, 400],
    ['with the signature in the address', 'fake?signature=signed+by+fake', 'REFERENCE', {}, 400],
    ['of more than 256 KB', 'fake', new Uint8Array(256 * KB + 1), signed, 413],
    ['for a method that is not set up', 'nobody', 'REFERENCE', signed, 404],
    ['for a method in upper case', 'FAKE', 'REFERENCE', signed, 404],
    ['for a name with a slash', 'fake%2F..%2Fother', 'REFERENCE', signed, 404],
    ['for the name of a property', '__proto__', 'REFERENCE', signed, 404],
  ])('%s', async (_, method, body, headers, status) => {
    const { id } = await account()
    const order = await at.order(id)
    fake.pay(order.reference)
    const before = { ...fake.requests }
    const text = body === 'REFERENCE' ? order.reference : body
    const [name = '', query = ''] = method.split('?')
    const answer = await fetch(new URL(`/payments/${name}/webhook${query && `?${query}`}`, gateway.url), {
      method: 'POST',
      body: text,
      headers,
    })
    expect(answer.status).toBe(status)
    const content = await answer.text()
    expect(content).not.toContain(SECRET)
    expect(content).not.toContain(order.reference)
    expect(fake.requests).toEqual(before)
    expect((await at.orderNow(order.id)).state).toBe('open')
    expect(balanceOf(id)).toBe(0)
  })

  test('a body of exactly 256 KB is read, and its signature decides', async () => {
    expect(await codeIn(await webhook('fake', new Uint8Array(256 * KB)))).toBe('wrong_signature')
  })
  test('an endless body is cut off', async () => {
    let sent_bytes = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent_bytes += 64 * KB
        if (sent_bytes > 64 * KB * KB) controller.error(new Error('64 MB were read'))
        else controller.enqueue(new Uint8Array(64 * KB))
      },
    })
    const outcome = await fetch(new URL('/payments/fake/webhook', gateway.url), {
      method: 'POST',
      body: endless,
      headers: signed,
    }).then(
      ({ status }) => status,
      (thrown: { code?: string }) => thrown.code,
    )
    // The gateway may close the connection before its answer is read.
    expect([413, 'ECONNRESET']).toContain(outcome as string)
  })
  test.each(['PUT', 'DELETE', 'PATCH'])('%s is not a method of webhooks', async (method) => {
    const answer = await fetch(new URL('/payments/fake/webhook', gateway.url), { method, headers: signed })
    expect([404, 405]).toContain(answer.status)
  })
})

describe('a signed webhook', () => {
  test('credits by the provider’s answer, and once, however often it arrives', async () => {
    const { id } = await account()
    const order = await at.order(id)
    expect((await webhook('fake', order.reference, signed)).status).toBe(200)
    expect((await at.orderNow(order.id)).state).toBe('open')
    fake.pay(order.reference)
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => webhook('fake', order.reference, signed)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(await answers[0]?.json()).toEqual({ received: true })
    expect((await at.orderNow(order.id)).state).toBe('paid')
    expect(balanceOf(id)).toBe(CREDIT)
  })

  test('for the order of another provider credits nothing: a method is asked only about its own orders', async () => {
    const { id } = await account()
    const order = await at.order(id)
    fake.pay(order.reference)
    const before = [fake.requests.look, other.requests.look]
    // The secret of one method signs no webhooks of another.
    expect((await webhook('other', order.reference, signed)).status).toBe(200)
    expect([fake.requests.look, other.requests.look]).toEqual(before)
    expect((await at.orderNow(order.id)).state).toBe('open')
    expect(balanceOf(id)).toBe(0)
    expect(gateway.log.text()).toContain('a webhook names a payment of no order here')
  })

  test.each([
    ['unknown', 'no-such-reference'],
    ['SQL', "'; DROP TABLE orders; --"],
    ['a null byte', '\u0000'],
    ['long', '💶'.repeat(1_000)],
  ])('for an unknown payment is accepted without a lookup: %s', async (_, reference) => {
    const before = fake.requests.look
    expect((await webhook('fake', reference, signed)).status).toBe(200)
    expect(fake.requests.look).toBe(before)
  })
  test('that is sent over and over causes at most thirty lookups a minute, and a 429 for the rest', async () => {
    const order = await at.order((await account()).id)
    const before = fake.requests.look
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => webhook('fake', order.reference, signed)),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect([refused.length, fake.requests.look - before]).toEqual([10, 30])
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    const other_order = await at.order((await account()).id)
    expect((await webhook('fake', other_order.reference, signed)).status).toBe(200)
  })

  test('about something else is accepted', async () =>
    expect((await webhook('fake', '', signed)).status).toBe(200))

  test('gets a 502 without the provider’s error while the provider fails, so that it is sent again', async () => {
    const { id } = await account()
    const order = await at.order(id)
    fake.pay(order.reference)
    fake.trouble = () => {
      throw new Error(`401 for ${SECRET}`)
    }
    const answer = await webhook('fake', order.reference, signed)
    expect(answer.status).toBe(502)
    expect(await answer.text()).not.toContain(SECRET)
    expect(balanceOf(id)).toBe(0)
    fake.trouble = undefined
    expect((await webhook('fake', order.reference, signed)).status).toBe(200)
    expect(balanceOf(id)).toBe(CREDIT)
  })
})

test('unsigned webhooks are counted, and lookups by their result', async () => {
  const before = at.whole.operations.metrics
  const read = async (name: string) => {
    const metric = before.find((one) => one.name === name)
    return [...((await metric?.values()) ?? [])]
  }
  const counted = async () => (await read('tollgate_payment_webhooks_refused_total'))[0]?.[1] ?? 0
  const first = await counted()
  await webhook('fake', 'x')
  await webhook('fake', 'x', signed)
  expect(await counted()).toBe(first + 1)
  expect(await read('tollgate_payment_looks_total')).toContainEqual([
    { method: 'fake', result: 'failed' },
    expect.any(Number),
  ])
})

test('150 unsigned webhooks are counted, raise the alert, and log no more lines than callers may cause', async () => {
  const lines = () => gateway.log.text().split('a webhook was refused').length - 1
  const metric = at.whole.operations.metrics.find(
    ({ name }) => name === 'tollgate_payment_webhooks_refused_total',
  )
  const counted = async () => [...((await metric?.values()) ?? [])][0]?.[1] ?? 0
  const before = { lines: lines(), counted: await counted() }
  await Promise.all(Array.from({ length: 150 }, () => webhook('fake', 'x')))
  expect((await counted()) - before.counted).toBe(150)
  expect(lines() - before.lines).toBeLessThanOrEqual(100)
  const check = at.whole.operations.checks.find(({ name }) => name === 'payment webhooks')
  if (check?.needs !== 'folder') throw new Error('the check of webhooks is not there')
  expect(await check.look({ now: at.whole.calls.now } as CheckContext, 'alert')).toMatchObject([
    { level: 'warn', found: 'a webhook of fake came without a valid signature' },
  ])
})
