// Checked payment methods of plugins: their definition and each answer; lenient with unknown fields, strict with money.
import { describe, expect, test } from 'bun:test'
import { checkedMethod } from '../../../plugins/payments/custom/checked.ts'
import type { Payment, PaymentProvider } from '../../../src/payment-api.ts'
import { memoryLog } from '../../support/memory-log.ts'
import { goodMethod, ORDER } from './method.ts'

const { log, lines } = memoryLog({ now: () => 0 })
const of = (changes: object = {}) => checkedMethod(goodMethod(changes as Partial<PaymentProvider>), log)

const limits = (min_minor: number, max_minor = 10_000) => ({ limits: { EUR: { min_minor, max_minor } } })

describe('the definition of a method', () => {
  test.each<[what: string, changes: object, says: string]>([
    ['no name', { name: undefined }, 'the name of a payment method must be'],
    ['a name with capitals', { name: 'Kiosk' }, 'the name of a payment method must be'],
    ['a name with a slash', { name: 'a/b' }, 'the name of a payment method must be'],
    ['the name of a built-in one', { name: 'stripe' }, 'is that of a built-in one'],
    ['the name of the other built-in one', { name: 'manual' }, 'is that of a built-in one'],
    ['no title', { title: ' ' }, 'title must be'],
    ['no currency', { currencies: [] }, 'currencies must be'],
    ['a currency in small letters', { currencies: ['eur'] }, 'currencies must be'],
    ['a currency as a text', { currencies: 'EUR' }, 'currencies must be'],
    ['no limits', { limits: undefined }, 'limits.EUR must have min_minor and max_minor'],
    ['no JPY limits', { currencies: ['EUR', 'JPY'] }, 'limits.JPY must have min_minor and max_minor'],
    ['a fraction as the minimum', limits(0.5), 'limits.EUR must have min_minor and max_minor, whole numbers'],
    ['a minimum of zero', limits(0), 'limits.EUR must have'],
    ['a minimum above the maximum', limits(10_001), 'min_minor not above max_minor'],
    ['an infinite maximum', limits(100, Number.POSITIVE_INFINITY), 'limits.EUR must have'],
    ['an expiry in seconds', { expires_ms: 3_600 }, 'expires_ms must be'],
    ['is_test as a text', { is_test: 'yes' }, 'is_test must be'],
    ['no start', { start: undefined }, 'start must be a function'],
    ['no look', { look: undefined }, 'look must be a function'],
    ['a hook that is not a function', { hook: 'x' }, 'hook must be a function'],
  ])('with %s is refused', (_, changes, says) => {
    expect(() => of(changes)).toThrow(says)
  })

  test.each([undefined, null, 'kiosk', () => {}])('%p is not a payment method', (candidate) => {
    expect(() => checkedMethod(candidate, log)).toThrow('payment method')
  })

  test('a method without a hook, refunds or saved cards stays without them', () => {
    const { hook, refund, chargeSaved, instructions } = of({ hook: undefined })
    expect([hook, refund, chargeSaved, instructions]).toEqual([undefined, undefined, undefined, undefined])
  })
})

const PAID: Payment = { state: 'paid', currency: 'EUR', amount_minor: 2_500 }
const lookOf = (answer: unknown) => of({ look: async () => answer }).look('K12', ORDER)

describe('the answer of look', () => {
  // `../answers.test.ts` has more invalid answers.
  test.each<[what: string, answer: unknown, says: string]>([
    ['nothing', undefined, 'its answer must be an object'],
    ['a text', 'paid', 'its answer must be an object'],
    ['a list', [PAID], 'state is missing'],
    ['no state', { ...PAID, state: undefined }, 'state is missing'],
    ['no amount', { ...PAID, amount_minor: null }, 'amount_minor is missing'],
    ['an amount as a text', { ...PAID, amount_minor: '2500' }, 'amount_minor must be a whole number'],
    ['an unknown currency', { ...PAID, currency: 'XXQ' }, 'currency must be an ISO 4217 code'],
    ['an order as a text', { ...PAID, order_id: '12' }, 'order_id must be'],
    [
      'a refund without a state',
      { ...PAID, refunds: [{ reference: 'r', amount_minor: 5 }] },
      'refunds.0.state is missing',
    ],
    [
      'a refund of a fraction',
      { ...PAID, refunds: [{ reference: 'r', amount_minor: 0.5, state: 'done' }] },
      'refunds.0.amount_minor must be',
    ],
    ['refunds that are not a list', { ...PAID, refunds: {} }, 'refunds must be'],
  ])('%s is a failure, not a payment', async (_, answer, says) => {
    await expect(lookOf(answer)).rejects.toThrow(says)
    await expect(lookOf(answer)).rejects.toThrow('The payment method "kiosk" failed at look: ')
  })

  test('unknown fields are left out, and null counts as absent', async () => {
    expect(
      await lookOf({ ...PAID, dispute: null, refunds: [], more: { a: 1 }, __proto__: { order_id: 13 } }),
    ).toEqual({
      ...PAID,
      order_id: 13,
      refunds: [],
    })
  })

  test.each([
    ['https://kiosk.example/r/1', 'https://kiosk.example/r/1'],
    ['javascript:alert(1)', undefined],
    ['http://kiosk.example/r/1', undefined],
    ['no address', undefined],
  ])('a receipt at %p becomes %p', async (receipt_url, expected) => {
    expect((await lookOf({ ...PAID, receipt_url })).receipt_url).toBe(expected as string)
  })
})

describe('the payment page', () => {
  test.each([
    ['javascript:alert(1)', 'go_to must be an https'],
    ['http://kiosk.example/', 'go_to must be an https'],
    ['//kiosk.example/', 'go_to must be an https'],
    [undefined, 'go_to is missing, and there are no instructions'],
  ])('%p is refused', async (go_to, says) => {
    await expect(of({ start: async () => ({ reference: 'K1', go_to }) }).start(ORDER)).rejects.toThrow(says)
  })

  test.each(['', 'a\nb', 7, 'x'.repeat(201)])('the reference %p is refused', async (reference) => {
    const { start } = of({ start: async () => ({ reference, go_to: 'https://kiosk.example/' }) })
    await expect(start(ORDER)).rejects.toThrow('reference must be')
  })

  test('instructions may take its place, and if they fail, the order’s page shows a text instead', async () => {
    const start = async () => ({ reference: 'K1' })
    expect(await of({ start, instructions: () => 'Go to the kiosk.' }).start(ORDER)).toEqual({
      reference: 'K1',
    })
    const broken = of({
      instructions: () => {
        throw new Error('no kiosk today')
      },
    })
    expect(broken.instructions?.(ORDER)).toContain('cannot be shown now')
    expect(of({ instructions: () => 7 }).instructions?.(ORDER)).toContain('cannot be shown now')
    expect(lines().some((line) => JSON.stringify(line).includes('no kiosk today'))).toBe(true)
  })
})

describe('refunds and charges', () => {
  const refundOf = (answer: unknown) => of({ refund: async () => answer }).refund?.(ORDER, 500, 'refund:1')

  test.each<[what: string, answer: unknown, says: string]>([
    [
      'another amount',
      { reference: 'r', amount_minor: 501, state: 'done' },
      'amount_minor must be what was asked for, 500',
    ],
    ['no state', { reference: 'r', amount_minor: 500 }, 'state is missing'],
    ['nothing', undefined, 'its answer must be an object'],
  ])('a refund answered with %s does not count as made', async (_, answer, says) => {
    await expect(refundOf(answer)).rejects.toThrow(says)
  })

  test('a refund has the key of its request', async () => {
    const answer = { reference: 'r', amount_minor: 500, state: 'pending', key: 'another' }
    expect(await refundOf(answer)).toEqual({
      reference: 'r',
      amount_minor: 500,
      state: 'pending',
      key: 'refund:1',
    })
  })

  test('a charge starts, or is refused with a reason', async () => {
    const chargeOf = (answer: unknown) =>
      of({ chargeSaved: async () => answer, instructions: () => 'x' }).chargeSaved?.(ORDER, true)
    expect(await chargeOf({ refused: 'Card expired.' })).toEqual({ refused: 'Card expired.' })
    expect(await chargeOf({ reference: 'c1' })).toEqual({ reference: 'c1' })
    await expect(chargeOf(true)).rejects.toThrow('must be an object')
  })
})

describe('webhooks', () => {
  const hookOf = (answer: unknown) =>
    of({ hook: async () => answer }).hook?.(new Request('https://x.example'))

  test('a webhook names no payment, or a payment with the answer for its provider', async () => {
    expect(await hookOf(undefined)).toBeUndefined()
    expect(await hookOf({ reference: 'K1', answer: 'OK' })).toEqual({ reference: 'K1', answer: 'OK' })
  })

  test.each([true, 'K1', { reference: 1 }])('%p is not a valid result of hook', async (answer) => {
    await expect(hookOf(answer)).rejects.toThrow('failed at hook')
  })
})

test('a plugin cannot change an order', async () => {
  const method = of({
    look: async (_: string, order: { amount_minor: number }) => {
      order.amount_minor = 1
      return PAID
    },
  })
  await expect(method.look('K1', ORDER)).rejects.toThrow('failed at look')
  expect(ORDER.amount_minor).toBe(2_500)
})

test('a webhook fails if its method does not answer within 5 seconds', async () => {
  const silent = of({ hook: () => new Promise(() => {}) })
  await expect(silent.hook?.(new Request('https://x.example'))).rejects.toThrow('it took longer than 5 s')
}, 10_000)
