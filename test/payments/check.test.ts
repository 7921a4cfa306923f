// The checks of payments: alerts, the doctor's findings, and their advice.
import { describe, expect, test } from 'bun:test'
import { checkPayments, checkWebhooks } from '../../plugins/payments/check.ts'
import { refreshOrder } from '../../plugins/payments/refreshing.ts'
import { listAccounts, suspendAccount } from '../../src/access/accounts.ts'
import { closeAccount, reopenAccount } from '../../src/access/closing.ts'
import { suspensionOf } from '../../src/access/suspension.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import { createTally } from '../../src/observe/tally.ts'
import type { Db } from '../../src/store/db.ts'
import { ENGINES, NOW, openWorld, type World } from './world.ts'

const POLL = { source: 'poll' } as const
const MINUTE_MS = 60_000

const findingsOf = async (world: World, time: 'alert' | 'doctor' = 'alert') =>
  (await checkPayments({ db: world.db, now: () => world.clock.now_ms }, time)).map(
    ({ check, level, found }) => `${check} ${level}: ${found}`,
  )
const WELL = ['payments ok: orders and the ledger agree']

describe.each(ENGINES)('on %s', (_, make) => {
  test('without orders, and with orders that need no attention, all is well', async () => {
    await using world = await openWorld(make)
    expect(await findingsOf(world, 'doctor')).toEqual(WELL)
    const { id, reference } = await world.startOrder()
    await world.startOrder({ account_id: 2 })
    world.fake.pay(reference)
    await refreshOrder(world.parts, id, POLL)
    expect(await findingsOf(world)).toEqual(WELL)
    expect(await findingsOf(world, 'doctor')).toEqual(WELL)
  })

  describe('an account that a lost dispute suspended', () => {
    const lost = async (world: World) => {
      const { id, reference } = await world.startOrder()
      world.fake.pay(reference)
      await refreshOrder(world.parts, id, POLL)
      const { balance } = await world.money()
      const debit = {
        op: 'withdraw',
        account_id: 1,
        amount_nanos: balance,
        note: 'spent',
        now_ms: NOW,
      } as const
      expect((await world.ledger.submit(debit)).ok).toBeTrue()
      world.fake.pay(reference, { dispute: 'lost' })
      await refreshOrder(world.parts, id, POLL)
      return balance
    }
    const suspension = async (world: World) => {
      const [account] = await listAccounts(world.db)
      return account && (await suspensionOf(world.db, account))
    }
    const pay = async (world: World, amount_nanos: number) =>
      await world.ledger.submit({ op: 'top_up', account_id: 1, amount_nanos, note: '', now_ms: NOW })

    test('stays suspended with its reason, and is reported once it has paid all of its debt', async () => {
      await using world = await openWorld(make)
      const debt_nanos = await lost(world)
      expect(await world.money()).toEqual({ balance: 0, debt: debt_nanos })
      expect(await suspension(world)).toEqual({ reason: 'lost_dispute', words: '', suspended_at_ms: NOW })
      expect(await findingsOf(world)).toEqual(WELL)
      await pay(world, debt_nanos - 1)
      expect(await findingsOf(world)).toEqual(WELL)
      await pay(world, 2)
      expect(await world.money()).toEqual({ balance: 1, debt: 0 })
      const { name = '' } = (await listAccounts(world.db))[0] ?? {}
      expect(await findingsOf(world)).toEqual([
        `account ${name} warn: account ${name}, suspended after a lost dispute, has paid what it owed`,
      ])
      expect(await suspension(world)).toMatchObject({ reason: 'lost_dispute' })
    })

    test.each([
      ['resumes it', (db: Db, name: string) => reopenAccount(db, name), undefined],
      [
        'keeps it suspended by a reason of their own',
        (db: Db, name: string) => suspendAccount(db, name, { words: 'stolen card', now_ms: NOW }),
        { reason: 'operator', words: 'stolen card', suspended_at_ms: NOW },
      ],
      ['closes it', (db: Db, name: string) => closeAccount(db, name, NOW), expect.anything()],
    ])('is reported until the operator %s', async (_, decide, left) => {
      await using world = await openWorld(make)
      await pay(world, await lost(world))
      expect(await findingsOf(world)).not.toEqual(WELL)
      await decide(world.db, (await listAccounts(world.db))[0]?.name ?? '')
      expect(await findingsOf(world)).toEqual(WELL)
      expect(await suspension(world)).toEqual(left as never)
    })

    test('keeps the reason of an operator who had suspended it before', async () => {
      await using world = await openWorld(make)
      const { name = '' } = (await listAccounts(world.db))[0] ?? {}
      await suspendAccount(world.db, name, { words: 'fraud', now_ms: 5 })
      await lost(world)
      expect(await suspension(world)).toEqual({ reason: 'operator', words: 'fraud', suspended_at_ms: 5 })
    })
  })

  test('a wrong amount, a double payment and a dispute each raise an alert until it is resolved', async () => {
    await using world = await openWorld(make)
    const [little, twice, disputed] = [
      await world.startOrder(),
      await world.startOrder(),
      await world.startOrder(),
    ]
    world.fake.pay(little.reference, { amount_minor: 100 })
    for (const { id, reference } of [twice, disputed]) {
      world.fake.pay(reference)
      await refreshOrder(world.parts, id, POLL)
    }
    world.fake.pay(twice.reference, { amount_minor: 5_000 })
    world.fake.pay(disputed.reference, { dispute: 'open' })
    for (const { id } of [little, twice, disputed]) await refreshOrder(world.parts, id, POLL)
    expect(await findingsOf(world)).toEqual([
      expect.stringContaining(
        `order ${little.id} warn: order ${little.id}: 1.00 EUR was paid instead of 25.00 EUR.`,
      ),
      expect.stringContaining(
        `order ${twice.id} warn: order ${twice.id}: 50.00 EUR was paid instead of 25.00 EUR`,
      ),
      expect.stringContaining(`order ${disputed.id} warn: order ${disputed.id}: The payer has disputed`),
    ])
    // Each alert ends with its cause.
    world.fake.refundAtProvider(little.reference, 100)
    world.fake.refundAtProvider(twice.reference, 2_500)
    world.fake.pay(disputed.reference, { dispute: 'won' })
    for (const { id } of [little, twice, disputed]) await refreshOrder(world.parts, id, POLL)
    expect(await findingsOf(world, 'doctor')).toEqual(WELL)
  })

  test('a method that has not answered for ten minutes raises one alert, however many orders wait', async () => {
    await using world = await openWorld(make)
    for (const _ of [1, 2, 3]) await world.startOrder()
    world.fake.trouble = () => {
      throw new Error('503')
    }
    const rounds = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute++) {
        world.clock.now_ms += MINUTE_MS
        await world.poll()
      }
    }
    await rounds(10)
    expect(await findingsOf(world)).toEqual(WELL)
    await rounds(2)
    expect(await findingsOf(world)).toEqual([
      'payment method fake fail: fake has not answered for more than ten minutes: 3 orders waiting',
    ])
    world.fake.trouble = undefined
    await rounds(6)
    expect(await findingsOf(world)).toEqual(WELL)
  })

  test('orders that no gateway checks raise an alert', async () => {
    await using world = await openWorld(make)
    await world.startOrder()
    world.clock.now_ms += 2 * DAY_MS
    expect(await findingsOf(world)).toEqual([
      'payments fail: 1 order waiting for a check for more than ten minutes',
    ])
    await world.poll()
    expect(await findingsOf(world)).toEqual(WELL)
  })

  test('the doctor finds a paid order without its entry, and an entry without its paid order', async () => {
    await using world = await openWorld(make)
    const [paid, open] = [await world.startOrder(), await world.startOrder()]
    const credit = { op: 'top_up', account_id: 1, note: '', now_ms: NOW } as const
    await world.ledger.submit({ ...credit, amount_nanos: 1, request_key: `order:${paid.id}` })
    await world.ledger.submit({ ...credit, amount_nanos: 5, request_key: `order:${open.id}` })
    await world.ledger.submit({ ...credit, amount_nanos: 5, request_key: 'order:99' })
    await world.ledger.submit({ ...credit, account_id: 2, amount_nanos: 5, request_key: `order:${paid.id}` })
    await world.db.write((db) => db.rows(`UPDATE orders SET state = 'paid' WHERE id = ${paid.id}`))
    expect(await findingsOf(world)).toEqual(WELL)
    expect((await findingsOf(world, 'doctor')).toSorted()).toEqual(
      [
        `order ${paid.id} fail: order ${paid.id} is paid, and its account has no entry of its amount`,
        `payments fail: account 1 has an entry order:${open.id}, and no such order is paid`,
        'payments fail: account 1 has an entry order:99, and no such order is paid',
        `payments fail: account 2 has an entry order:${paid.id}, and no such order is paid`,
      ].toSorted(),
    )
  })
})

test('an unsigned webhook is a warning for an hour, and only where a gateway runs', () => {
  const refused = { by_method: createTally(), last: { at_ms: NOW, method: 'stripe' } }
  expect(checkWebhooks(NOW, undefined)).toEqual([])
  expect(checkWebhooks(NOW, { ...refused, last: undefined })).toEqual([])
  expect(checkWebhooks(NOW + 59 * MINUTE_MS, refused)).toMatchObject([
    { level: 'warn', found: 'a webhook of stripe came without a valid signature' },
  ])
  expect(checkWebhooks(NOW + 60 * MINUTE_MS, refused)).toEqual([])
})
