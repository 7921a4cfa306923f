// The welcome credit: given once, with the first payment after a sign-up, and taken back with its payment.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { credit } from '../../plugins/payments/crediting.ts'
import { orderById } from '../../plugins/payments/store.ts'
import { createByIdentity } from '../../plugins/sign-up/index.ts'
import { settleWelcomes, welcomesBetween } from '../../plugins/sign-up/welcome.ts'
import { fakeMethod } from '../payments/fake-method.ts'
import { type ConsoleClient, signedIn } from '../support/console-session.ts'
import { memoryLog } from '../support/memory-log.ts'
import { PASSWORD, signUpScene } from './scene.ts'

const USD = 1_000_000_000
const DAY_MS = 86_400_000
const fake = fakeMethod()
const PAYMENTS = '[payments]\nrates = { USD = "1" }\n'
const lines = (usd: number) => `mode = "open"\nchallenge = "none"\nwelcome_usd = ${usd}`
const scene = await signUpScene({
  sign_up: lines(5),
  more: PAYMENTS,
  plugins: [...plugins, fake.plugin],
})
afterAll(() => scene[Symbol.asyncDispose]())
const { gateway } = scene
const { store, ledger } = gateway
const operator = await signedIn(gateway, 'operator')
const parts = { db: store, ledger, now: Date.now, log: memoryLog().log, welcomeNanos: () => 5 * USD }
const settle = () => Promise.all([settleWelcomes(parts), settleWelcomes(parts), settleWelcomes(parts)])
const run = (sql: string) => store.write((db) => db.rows(sql))

interface Newcomer {
  id: number
  name: string
  owner: ConsoleClient
}

let newcomers = 0

/** A person after their sign-up, by the mailed link or by an identity provider. */
async function newcomer(): Promise<Newcomer> {
  newcomers += 1
  const name = `newcomer${newcomers}`
  const holder = { email: `${name}@example.com`, name, terms: undefined }
  const { account_id } = await store.begin((tx) =>
    createByIdentity(tx, holder, { now_ms: Date.now(), request_id: 'req' }),
  )
  return { id: account_id ?? 0, name, owner: await signedIn(gateway, { account: name, role: 'owner' }) }
}

const moneyOf = ({ id }: Pick<Newcomer, 'id'>) => {
  const { balance_nanos = 0, debt_nanos = 0 } = gateway.rows().accounts.find((row) => row.id === id) ?? {}
  return balance_nanos - debt_nanos
}

async function order({ owner }: Newcomer, amount: string): Promise<number> {
  const body = { method: fake.name, currency: 'USD', amount }
  return (await owner.json('POST', '/orders', body)).order.id
}

async function pay(who: Newcomer, amount: string): Promise<number> {
  const id = await order(who, amount)
  fake.pay(id)
  await who.owner.json('POST', `/orders/${id}/look`)
  return id
}

const refund = (id: number, amount?: string) =>
  operator.json('POST', `/orders/${id}/refund`, {
    ...{ reason: '', into_debt: true },
    ...(amount === undefined ? {} : { amount }),
  })

const welcomeEntries = async ({ id }: Newcomer) =>
  await store.rows<{ request_key: string; note: string; amount_nanos: number }>(
    `SELECT request_key, note, amount_nanos FROM entries WHERE account_id = ${id} AND request_key IS NOT NULL ORDER BY id`,
  )

beforeEach(() => {
  fake.refunds = 'done'
})

describe('the first payment', () => {
  test('adds the credit as a separate entry; the next payment adds none', async () => {
    const who = await newcomer()
    const id = await pay(who, '20')
    expect(moneyOf(who)).toBe(25 * USD)
    expect(await welcomeEntries(who)).toEqual([
      { request_key: `order:${id}`, note: `Order ${id}: 20.00 USD`, amount_nanos: 20 * USD },
      { request_key: `welcome:${who.id}`, note: `Welcome credit with order ${id}`, amount_nanos: 5 * USD },
    ])
    const [line] = await store.rows<{ after: string }>(
      `SELECT after FROM actions WHERE action = 'balance.topped_up' AND account_id = ${who.id} ORDER BY id DESC LIMIT 1`,
    )
    expect(JSON.parse(line?.after ?? '{}')).toMatchObject({
      ...{ amount_usd: '5.00', note: `Welcome credit with order ${id}` },
    })
    await pay(who, '20')
    await settle()
    expect(moneyOf(who)).toBe(45 * USD)
  })

  test('of a person who signed up by the mailed link adds it', async () => {
    const stranger = scene.stranger()
    await stranger.ask('mia@example.com')
    const token = await scene.tokenFor('mia@example.com')
    const { status } = await stranger.finish({ token, name: 'mia', password: PASSWORD, terms: null })
    expect(status).toBe(200)
    const id = gateway.rows().accounts.find(({ name }) => name === 'mia')?.id ?? 0
    expect(moneyOf({ id })).toBe(0)
    await pay({ id, name: 'mia', owner: await signedIn(gateway, { account: 'mia', role: 'owner' }) }, '20')
    expect(moneyOf({ id })).toBe(25 * USD)
  })

  test('that is smaller adds as much as it credits', async () => {
    await scene.configure(lines(8), PAYMENTS)
    const who = await newcomer()
    await pay(who, '5.50')
    expect(moneyOf(who)).toBe(11 * USD)
    await scene.configure(lines(5), PAYMENTS)
  })

  test.each([
    ['a voucher', 'voucher:900'],
    ['a top-up by an operator', undefined],
  ])('is not replaced by %s', async (note, request_key) => {
    const who = await newcomer()
    const movement = { account_id: who.id, amount_nanos: 3 * USD, note, request_key, now_ms: Date.now() }
    await ledger.submit({ op: 'top_up', ...movement })
    await settle()
    expect(moneyOf(who)).toBe(3 * USD)
    await pay(who, '20')
    expect(moneyOf(who)).toBe(28 * USD)
  })

  test('adds nothing to an account created by an operator', async () => {
    const { id, name } = await gateway.account('by-operator')
    const who = { id, name, owner: await signedIn(gateway, { account: name, role: 'owner' }) }
    await pay(who, '20')
    await settle()
    expect(moneyOf(who)).toBe(20 * USD)
  })

  test('made before the credit was enabled adds nothing, nor do later ones', async () => {
    await scene.configure(lines(0), PAYMENTS)
    const who = await newcomer()
    await pay(who, '20')
    await scene.configure(lines(5), PAYMENTS)
    await settle()
    await pay(who, '20')
    expect(moneyOf(who)).toBe(40 * USD)
  })

  test('is one of five simultaneous payments', async () => {
    const who = await newcomer()
    const ids = await Promise.all(Array.from({ length: 5 }, () => order(who, '20')))
    for (const id of ids) fake.pay(id)
    await Promise.all(ids.map((id) => who.owner.json('POST', `/orders/${id}/look`)))
    await settle()
    expect(moneyOf(who)).toBe(105 * USD)
  })

  test('that is refused adds nothing', async () => {
    const who = await newcomer()
    const id = await order(who, '20')
    fake.pay(id, { amount_minor: 1_900 })
    await who.owner.json('POST', `/orders/${id}/look`)
    await settle()
    expect(moneyOf(who)).toBe(0)
  })
})

describe('a payment credited by a command', () => {
  /** Credits an order as `tollgate order mark-paid` does, without the welcome credit. */
  async function markPaid(who: Newcomer, source: 'command' | 'poll' = 'command'): Promise<number> {
    const id = await order(who, '20')
    const row = await orderById(store, id)
    await credit(
      { ...parts, providers: () => [], publicUrl: () => '' },
      row,
      { state: 'paid', currency: 'USD', amount_minor: row.amount_minor },
      { source },
    )
    await run(`UPDATE orders SET paid_at_ms = ${Date.now()} WHERE id = ${id}`)
    return id
  }

  test('gets the credit once from the settlement', async () => {
    const who = await newcomer()
    const id = await markPaid(who)
    expect(moneyOf(who)).toBe(20 * USD)
    await settle()
    await settle()
    expect(moneyOf(who)).toBe(25 * USD)
    await refund(id)
    await settle()
    expect(moneyOf(who)).toBe(0)
  })

  test.each([
    [
      'was paid more than a day ago',
      (id: number) => run(`UPDATE orders SET paid_at_ms = 1 WHERE id = ${id}`),
    ],
    ['was refunded meanwhile', (id: number) => refund(id)],
  ])('gets no credit if it %s', async (_, change) => {
    const who = await newcomer()
    const id = await markPaid(who)
    const [before] = [moneyOf(who)]
    await change(id)
    const after = moneyOf(who)
    await settle()
    expect(moneyOf(who)).toBe(after)
    expect(before).toBe(20 * USD)
  })

  test('gets no credit if it was not the first, or if the gateway credited it without', async () => {
    const [second, by_gateway] = [await newcomer(), await newcomer()]
    await markPaid(second, 'poll')
    await markPaid(second)
    await markPaid(by_gateway, 'poll')
    await settle()
    expect([moneyOf(second), moneyOf(by_gateway)]).toEqual([40 * USD, 20 * USD])
  })

  test('keeps its credit if another payment comes before the settlement', async () => {
    const who = await newcomer()
    const id = await markPaid(who)
    const next = await pay(who, '20')
    await settle()
    expect(moneyOf(who)).toBe(45 * USD)
    await refund(next)
    await settle()
    expect(moneyOf(who)).toBe(25 * USD)
    await refund(id)
    await settle()
    expect(moneyOf(who)).toBe(0)
  })
})

describe('a refund of that payment', () => {
  test('takes back its share of the credit; all refunds take all of it, to the nano-dollar', async () => {
    const who = await newcomer()
    const id = await pay(who, '30')
    await refund(id, '10')
    await settle()
    expect(moneyOf(who)).toBe(25 * USD - Math.floor((5 * USD) / 3))
    await refund(id, '0.01')
    await settle()
    await refund(id)
    await settle()
    expect(moneyOf(who)).toBe(0)
    // The credit is not given a second time.
    await pay(who, '20')
    await settle()
    expect(moneyOf(who)).toBe(20 * USD)
  })

  test('becomes debt if the credit was spent', async () => {
    const who = await newcomer()
    const id = await pay(who, '20')
    await ledger.submit({
      ...{ op: 'withdraw', account_id: who.id, amount_nanos: 5 * USD, note: 'spent', now_ms: Date.now() },
    })
    await refund(id)
    await settle()
    expect(moneyOf(who)).toBe(-5 * USD)
  })

  test('previews the share of the credit that it takes back', async () => {
    const who = await newcomer()
    const [id, next] = [await pay(who, '30'), await pay(who, '30')]
    const preview = (order: number, query = '') => operator.json('GET', `/orders/${order}/refund${query}`)
    expect(await preview(id)).toMatchObject({ debit_usd: '30.00', gifts_usd: '5.00' })
    expect(await preview(next)).toMatchObject({ debit_usd: '30.00', gifts_nanos: 0 })
    expect(await operator.json('GET', `/orders/${id}`)).toMatchObject({ welcome_usd: '5.00' })
    expect(await operator.json('GET', `/orders/${next}`)).toMatchObject({ welcome_nanos: 0 })
    expect(await preview(id, '?amount=10')).toMatchObject({ gifts_nanos: Math.floor((5 * USD) / 3) })
    await refund(id, '10')
    await settle()
    const rest_nanos = 5 * USD - Math.floor((5 * USD) / 3)
    expect(await preview(id)).toMatchObject({ debit_usd: '20.00', gifts_nanos: rest_nanos })
    const before = moneyOf(who)
    await refund(id)
    await settle()
    expect(before - moneyOf(who)).toBe(20 * USD + rest_nanos)
  })

  test('takes back nothing if it fails, and restores the credit if it fails later', async () => {
    const who = await newcomer()
    const id = await pay(who, '20')
    fake.refunds = 'failed'
    await refund(id)
    await settle()
    expect(moneyOf(who)).toBe(25 * USD)
    fake.refunds = 'done'
    await refund(id)
    await settle()
    expect(moneyOf(who)).toBe(0)
    await run(`UPDATE orders SET state = 'refund_failed', refunded_minor = 0 WHERE id = ${id}`)
    await settle()
    expect(moneyOf(who)).toBe(5 * USD)
  })

  test('of the second payment takes none of it', async () => {
    const who = await newcomer()
    await pay(who, '20')
    await refund(await pay(who, '20'))
    await settle()
    expect(moneyOf(who)).toBe(25 * USD)
  })
})

test('a lost dispute takes back the rest of the credit after refunds', async () => {
  const who = await newcomer()
  const id = await pay(who, '20')
  await refund(id, '5')
  await settle()
  expect(moneyOf(who)).toBe(18.75 * USD)
  fake.pay(id, { dispute: 'open' })
  await operator.json('POST', `/orders/${id}/look`)
  await settle()
  expect(moneyOf(who)).toBe(18.75 * USD)
  fake.pay(id, { dispute: 'lost' })
  await operator.json('POST', `/orders/${id}/look`)
  await settle()
  expect(moneyOf(who)).toBe(0)
})

describe('a lost dispute that the balance covers', () => {
  const spend = (who: Newcomer, usd: number) =>
    ledger.submit({
      ...{ op: 'withdraw', account_id: who.id, amount_nanos: usd * USD, note: 'spent', now_ms: Date.now() },
    })
  const statusOf = ({ id }: Newcomer) => gateway.rows().accounts.find((row) => row.id === id)?.status

  async function loseDispute(who: Newcomer, spent_usd: number): Promise<void> {
    const id = await pay(who, '20')
    await spend(who, spent_usd)
    fake.pay(id, { dispute: 'lost' })
    await operator.json('POST', `/orders/${id}/look`)
    expect(statusOf(who)).toBe('active')
    await settle()
  }

  test('suspends the account if the credit was spent, and not again after it was resumed', async () => {
    const who = await newcomer()
    await loseDispute(who, 5)
    expect([moneyOf(who), statusOf(who)]).toEqual([-5 * USD, 'suspended'])
    expect(await operator.json('GET', `/accounts/${who.id}`)).toMatchObject({
      suspension_reason: 'lost_dispute',
    })
    await operator.json('POST', `/accounts/${who.id}/resume`)
    await settle()
    expect([moneyOf(who), statusOf(who)]).toEqual([-5 * USD, 'active'])
  })

  test('suspends nobody if the balance covers the credit, too', async () => {
    const who = await newcomer()
    await loseDispute(who, 0)
    expect([moneyOf(who), statusOf(who)]).toEqual([0, 'active'])
  })
})

describe('the credit is visible', () => {
  const offer = ({ owner }: { owner: ConsoleClient }, amount: string) =>
    owner.json('GET', `/payment-offer?method=fake&currency=USD&amount=${amount}`)

  test('before the first payment, in the amount for that payment', async () => {
    const who = await newcomer()
    expect(await offer(who, '20')).toMatchObject({ credit_usd: '20.00', welcome_usd: '5.00' })
    expect(await offer(who, '5')).toMatchObject({ credit_usd: '5.00', welcome_usd: '5.00' })
    expect(await offer({ owner: operator }, '20')).toMatchObject({ welcome_nanos: 0 })
    await pay(who, '20')
    expect(await offer(who, '20')).toMatchObject({ welcome_nanos: 0 })
  })

  test('to strangers who may sign up', async () => {
    expect(await scene.stranger().client.json('GET', '/sign-up')).toMatchObject({ welcome_usd: '5.00' })
  })

  test('to the operator as a gift, not as revenue, without the part taken back', async () => {
    const before = await operator.json('GET', '/payments')
    const who = await newcomer()
    const id = await pay(who, '20')
    await refund(id, '10')
    await settle()
    const after = await operator.json('GET', '/payments')
    const giftNanos = ({ gifts }: { gifts: { title: string; amount_nanos: number }[] }) => {
      expect(gifts.map(({ title }) => title)).toEqual(['Welcome credits'])
      return gifts[0]?.amount_nanos ?? 0
    }
    expect(giftNanos(after) - giftNanos(before)).toBe(2.5 * USD)
    expect(after.methods[0].credit_nanos - before.methods[0].credit_nanos).toBe(20 * USD)
    const now_ms = Date.now()
    expect(await welcomesBetween(store, { since_ms: now_ms + DAY_MS, until_ms: now_ms + 2 * DAY_MS })).toBe(0)
  })

  test('in the transactions and in the statement of the account', async () => {
    const who = await newcomer()
    const id = await pay(who, '20')
    const note = `Welcome credit with order ${id}`
    const { entries } = await who.owner.json('GET', '/entries')
    const of_order = { source: 'order', order_id: id }
    expect(entries).toMatchObject([{ note, amount_usd: '5.00', ...of_order }, { amount_usd: '20.00' }])
    await refund(id)
    await settle()
    expect(await who.owner.json('GET', '/entry-sums')).toMatchObject({
      opening_debts: [
        { note: `Refund of order ${id}`, amount_usd: '20.00', ...of_order },
        { note: `${note}: payment refunded`, amount_usd: '5.00', ...of_order },
      ],
    })
  })
})

test('strangers see no credit if there is no payment method', async () => {
  await using plain = await signUpScene({ sign_up: lines(5) })
  expect(await plain.stranger().client.json('GET', '/sign-up')).toMatchObject({ welcome_nanos: 0 })
})
