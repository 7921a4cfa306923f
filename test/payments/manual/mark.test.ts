// Orders that the operator marks as paid: credited once, by one transfer of the exact amount; refusals, races and kills.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { markPaid, type PaidMark } from '../../../plugins/payments/manual/mark.ts'
import { cancelOrder } from '../../../plugins/payments/ordering.ts'
import { createPoller } from '../../../plugins/payments/poller.ts'
import { refreshOrder } from '../../../plugins/payments/refreshing.ts'
import { orderById } from '../../../plugins/payments/store.ts'
import { GatewayError } from '../../../src/domain/errors.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import { stateChangesOf } from '../../../src/store/state-changes.ts'
import { startTransferGateway } from './transfers.ts'

let now_ms = Date.UTC(2026, 10, 29, 12)
const world = await startTransferGateway({ now: () => now_ms })
const { gateway, parts } = world
afterAll(() => gateway.stop())

const BY = { actor: { kind: 'command', command: 'order mark-paid', machine_user: 'olga' }, now_ms } as const
let account_count = 0
let account_id = 0
beforeEach(async () => {
  ;({ id: account_id } = await gateway.account(`payer-${++account_count}`))
})

let transfer_count = 0
const transfer = (more: Partial<PaidMark> = {}): PaidMark => ({
  ...{ amount_minor: 2_500, currency: 'EUR', reference: `BANK-${++transfer_count}` },
  ...more,
})

const balance = (id = account_id): number | undefined =>
  gateway.rows().accounts.find((account) => account.id === id)?.balance_nanos
/** The credit for 25.00 EUR. */
const CREDIT = 27_000_000_000

const refusalOf = async (work: Promise<unknown>): Promise<{ code: string; message: string }> => {
  const thrown = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!(thrown instanceof GatewayError)) throw new Error(`not refused: ${thrown}`)
  return { code: thrown.code ?? thrown.kind, message: thrown.message }
}

const codesOf = (marks: readonly Promise<unknown>[]): Promise<string[]> =>
  Promise.all(
    marks.map((mark) =>
      mark.then(
        () => 'marked',
        (cause: GatewayError) => cause.code ?? cause.kind,
      ),
    ),
  )

test('a marked order is paid and credited, and the audit log names the operator', async () => {
  const { id } = await world.order(account_id)
  const paid = await markPaid(parts, id, { ...transfer({ reference: '  2026-11  7781 ' }), by: BY })
  expect(paid).toMatchObject({
    state: 'paid',
    payment_reference: '2026-11 7781',
    trouble: null,
    paid_at_ms: expect.any(Number),
  })
  expect(balance()).toBe(CREDIT)
  const [change] = await stateChangesOf(parts.db, 'orders', id)
  expect(change).toMatchObject({ from_state: 'open', to_state: 'paid', source: 'operator' })
  const actions = gateway.db
    .query<{ action: string; after: string; actor: string }, []>(
      `SELECT * FROM actions WHERE action = 'order.marked_paid' ORDER BY id DESC`,
    )
    .all()
  expect(JSON.stringify(actions[0])).toContain('2026-11 7781')
  expect(JSON.stringify(actions[0])).toContain('olga')
})

describe('a mark that is refused and credits nothing', () => {
  test.each<[what: string, more: Partial<PaidMark>, code: string, says: string]>([
    [
      'less than the order',
      { amount_minor: 2_499 },
      'amount_mismatch',
      '24.99 EUR was paid instead of 25.00 EUR.',
    ],
    ['more than the order', { amount_minor: 250_000 }, 'amount_mismatch', '2500.00 EUR was paid instead of'],
    ['another currency', { currency: 'USD' }, 'amount_mismatch', '25.00 USD was paid instead of 25.00 EUR.'],
    ['no reference', { reference: '  ' }, 'invalid_request', 'reference: write the bank’s number'],
    [
      'a reference with a control character in it',
      { reference: `a\u0000b` },
      'invalid_request',
      'reference: write',
    ],
  ])('%s', async (_, more, code, says) => {
    const { id } = await world.order(account_id)
    const refusal = await refusalOf(markPaid(parts, id, transfer(more)))
    expect(refusal.code).toBe(code)
    expect(refusal.message).toContain(says)
    const order = await orderById(parts.db, id)
    expect(order).toMatchObject({ state: 'open', payment_reference: null })
    expect(order.trouble).toBe(code === 'amount_mismatch' ? refusal.message : null)
    expect(balance()).toBe(0)
  })

  test('an unknown order', async () => {
    expect(await refusalOf(markPaid(parts, 999_999, transfer()))).toMatchObject({ code: 'not_found' })
  })

  test('an order that was paid before, by the same transfer or another one', async () => {
    const { id } = await world.order(account_id)
    const first = transfer()
    await markPaid(parts, id, first)
    for (const again of [first, transfer(), transfer({ amount_minor: 1 })])
      expect(await refusalOf(markPaid(parts, id, again))).toMatchObject({
        code: 'paid_before',
        message: expect.stringContaining(`by the transfer ${first.reference}`),
      })
    expect(balance()).toBe(CREDIT)
    expect((await orderById(parts.db, id)).trouble).toBeNull()
  })

  test('a transfer that has paid another order, even one of another account', async () => {
    const used = transfer()
    await markPaid(parts, (await world.order(account_id)).id, used)
    const { id: other_id } = await gateway.account(`other-${++account_count}`)
    const { id } = await world.order(other_id)
    expect(await refusalOf(markPaid(parts, id, used))).toMatchObject({
      code: 'reference_used',
      message: expect.stringContaining(`${used.reference}/2`),
    })
    expect(balance(other_id)).toBe(0)
    await markPaid(parts, id, { ...used, reference: `${used.reference}/2` })
    expect(balance(other_id)).toBe(CREDIT)
  })

  test('an order of another payment method', async () => {
    const { id } = await world.order(account_id)
    gateway.db.run(`UPDATE orders SET provider = 'stripe' WHERE id = ${id}`)
    expect(await refusalOf(markPaid(parts, id, transfer()))).toMatchObject({ code: 'not_manual' })
  })
})

test('the right amount after a wrong one pays the order and clears its trouble', async () => {
  const { id } = await world.order(account_id)
  await refusalOf(markPaid(parts, id, transfer({ amount_minor: 2_600 })))
  expect(await markPaid(parts, id, transfer())).toMatchObject({ state: 'paid' })
  expect(await orderById(parts.db, id)).toMatchObject({ trouble: null })
})

test.each<[what: string, close: (id: number) => Promise<unknown>]>([
  ['was cancelled', (id) => cancelOrder(parts, id, { source: 'page' })],
  [
    'expired',
    async (id) => {
      now_ms += 15 * DAY_MS
      expect(await refreshOrder(parts, id, { source: 'poll' })).toMatchObject({ state: 'expired' })
    },
  ],
])('a transfer for an order that %s is still credited', async (_, close) => {
  const { id } = await world.order(account_id)
  await close(id)
  expect(await markPaid(parts, id, transfer())).toMatchObject({ state: 'paid' })
  expect(balance()).toBe(CREDIT)
})

test('an order whose payment never started can be marked, because the payer has its number', async () => {
  const { id } = await world.order(account_id)
  gateway.db.run(`UPDATE orders SET reference = NULL WHERE id = ${id}`)
  expect(await markPaid(parts, id, transfer())).toMatchObject({
    state: 'paid',
    reference: expect.stringMatching(/^TG-/),
  })
})

test('after a kill between the mark and the credit, the poller credits the order once', async () => {
  const { id } = await world.order(account_id)
  const mark = transfer()
  const ledger = { ...parts.ledger, submit: () => Promise.reject(new Error('killed here')) }
  await expect(markPaid({ ...parts, ledger }, id, mark)).rejects.toThrow('killed here')
  expect(await orderById(parts.db, id)).toMatchObject({ state: 'open', payment_reference: mark.reference })
  expect(await refusalOf(markPaid(parts, id, transfer()))).toMatchObject({ code: 'marked_before' })
  now_ms += 2 * 60_000
  await createPoller(parts).pollDue()
  expect(await orderById(parts.db, id)).toMatchObject({ state: 'paid' })
  expect(balance()).toBe(CREDIT)
})

test('20 marks of one order beside the poller, and one transfer for 20 orders: one credit each', async () => {
  const { id } = await world.order(account_id)
  const poller = createPoller(parts)
  const marks = Array.from({ length: 20 }, async (_, at) => {
    if (at % 5 === 0)
      await Promise.allSettled([poller.pollDue(), refreshOrder(parts, id, { source: 'page' })])
    return await markPaid(parts, id, transfer())
  })
  const codes = (await codesOf(marks)).map((code) => code.replace(/^(?:marked|paid)_before$/, 'before'))
  expect(codes.toSorted()).toEqual([...Array(19).fill('before'), 'marked'])
  expect(await orderById(parts.db, id)).toMatchObject({ state: 'paid' })
  expect(balance()).toBe(CREDIT)

  const used = transfer()
  const { id: other_id } = await gateway.account(`other-${++account_count}`)
  const orders = await Promise.all(Array.from({ length: 20 }, () => world.order(other_id)))
  const of_orders = orders.map((order) => markPaid(parts, order.id, used))
  expect((await codesOf(of_orders)).toSorted()).toEqual(['marked', ...Array(19).fill('reference_used')])
  expect(balance(other_id)).toBe(CREDIT)
})

test('the books are right after all of it', () => gateway.rest())
