// Bank transfers as a payment method: their numbers, the instructions, lookups, and mistakes in the settings.
import { describe, expect, test } from 'bun:test'
import { manualProvider } from '../../../plugins/payments/manual/provider.ts'
import { readReference, transferReference } from '../../../plugins/payments/manual/reference.ts'
import { readManual } from '../../../plugins/payments/manual/settings.ts'
import { readCatalogue } from '../../../src/catalogue/load.ts'
import { BUILT_IN_REGISTRY } from '../../../src/protocols/registry.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import '../../support/plugin-sections.ts'
import { startTransferGateway, TRANSFERS } from './transfers.ts'

describe('the number on a transfer', () => {
  test.each([
    [1, 0, 'TG-1-00008'],
    [12, 7_471_999, 'TG-12-47130'],
    [12, 7_472_000, 'TG-12-47227'],
    [123_456, 789_000, 'TG-123456-78978'],
  ])('of order %d that expires at %d is %s', (id, expires_at_ms, reference) => {
    expect(transferReference({ id, expires_at_ms })).toBe(reference)
  })

  const TAIL = '47130'
  test.each([
    `TG-12-${TAIL}`,
    `tg-12-${TAIL}`,
    ` TG 12 ${TAIL}`,
    `TG12${TAIL}`,
    `TG.12/${TAIL}`,
    `TG-12 -${TAIL}`,
  ])('%p is read as that of order 12', (text) => {
    expect(readReference(text.trim())).toEqual({ order_id: 12, reference: 'TG-12-47130' })
  })

  test.each([
    'TG-12-47110',
    `TG-21-${TAIL}`,
    `TG-13-${TAIL}`,
    'TG-12',
    '12',
    `XX-12-${TAIL}`,
    `TG-12-${TAIL}-7`,
    '',
  ])('%p is not accepted', (text) => {
    expect(readReference(text)).toBeUndefined()
  })

  test('is read back, and is not accepted with one digit changed or two neighbours swapped', () => {
    for (let id = 1; id < 3_000; id += 29) {
      const reference = transferReference({ id, expires_at_ms: id * 1_009_000 })
      expect(readReference(reference)).toEqual({ order_id: id, reference })
      expect(reference).toMatch(/^[A-Z0-9-]{6,35}$/)
      const digits = String(id)
      for (let at = 0; at < digits.length; at++) {
        const [digit = '', next = ''] = digits.slice(at)
        const changed = digits.slice(0, at) + ((Number(digit) + 1) % 10) + digits.slice(at + 1)
        const swapped = digits.slice(0, at) + next + digit + digits.slice(at + 2)
        for (const other of [changed, swapped].filter((text) => text !== digits))
          expect(readReference(reference.replace(`-${digits}-`, `-${other}-`))).toBeUndefined()
      }
    }
  })
})

const ORDER = {
  id: 12,
  account_id: 3,
  account: 'anna',
  currency: 'EUR',
  amount_minor: 2_500,
  description: 'Credit of 27.00 USD',
  reference: 'TG-12-47130',
  payment_reference: null,
  expires_at_ms: 471_000,
  return_url: 'https://gateway.example/console/orders/12',
  webhook_url: 'https://gateway.example/payments/manual/webhook',
}
const provider = (instructions: string) =>
  manualProvider({
    ...{ title: 'Bank transfer', instructions, currencies: ['EUR'] },
    ...{ limits: { EUR: { min_minor: 100, max_minor: 100_000 } }, expires_ms: 1 },
  })

describe('instructions', () => {
  test.each([
    ['Send {amount}, purpose {reference}.', 'Send 25.00 EUR, purpose TG-12-47130.'],
    ['{reference} {reference}: {amount}', 'TG-12-47130 TG-12-47130: 25.00 EUR'],
    ['IBAN DE02.\n', 'IBAN DE02.\n\nAmount: 25.00 EUR\nReference: TG-12-47130'],
    ['Send {amount}. {other} $& stays.', 'Send 25.00 EUR. {other} $& stays.\n\nReference: TG-12-47130'],
  ])('%p becomes %p', (instructions, text) => {
    expect(provider(instructions).instructions?.(ORDER)).toBe(text)
  })
})

describe('a lookup', () => {
  const { look, start } = provider('x')

  test('a payment starts once, without a page', async () => {
    expect([await start(ORDER), await start(ORDER)]).toEqual([
      { reference: 'TG-12-47130' },
      { reference: 'TG-12-47130' },
    ])
  })

  test('a payment is open until it is marked, then paid, with the number of the transfer and no fee', async () => {
    const payment = { currency: 'EUR', amount_minor: 2_500, order_id: 12 }
    expect(await look('TG-12-47130', ORDER)).toEqual({ state: 'open', ...payment })
    expect(await look('TG-12-47130', { ...ORDER, payment_reference: 'B1' })).toEqual({
      ...{ state: 'paid', payment_reference: 'B1', fee_minor: 0 },
      ...payment,
    })
  })

  test('another order’s number is refused, marked or not', async () => {
    await expect(look('TG-1-47150', { ...ORDER, payment_reference: 'B1' })).rejects.toThrow(
      'not the number of order 12',
    )
  })
})

describe('settings', () => {
  const mistakesOf = (manual: string): string => {
    const more = `[payments.rates]\nUSD = "1"\nEUR = "1.08"\n${manual}`
    const text = catalogueOf({ upstream_url: 'simulator', more })
    const reading = readCatalogue(text, { env: {}, protocols: BUILT_IN_REGISTRY })
    return reading.ok ? '' : reading.mistakes.map(({ path, message }) => `${path}: ${message}`).join('\n')
  }

  test.each([
    ['min_usd = "0"', 'payments.manual.min_usd: must be more than 0'],
    ['min_usd = "50"\nmax_usd = "20"', 'payments.manual.max_usd: must be at least min_usd'],
    ['max_usd = "1.07"', 'payments.manual.max_usd: must be at least min_usd, and a whole EUR'],
    ['min = "5"', 'payments.manual.min: unknown field'],
    ['currencies = ["JPY"]', 'payments.manual.currencies[0]: has no rate'],
    ['currencies = ["eur"]', 'payments.manual.currencies[0]: is not a currency'],
    ['expires_days = 0', 'payments.manual.expires_days'],
    ['iban = "DE02"', 'payments.manual.iban: unknown field'],
  ])('a gateway does not start with %p', (line, says) => {
    expect(mistakesOf(`[payments.manual]\ninstructions = "x"\n${line}`)).toContain(says)
  })

  test('a gateway does not start without instructions, because nobody could pay', () => {
    expect(mistakesOf('[payments.manual]\ntitle = "Bank"')).toContain('payments.manual.instructions')
  })

  test('each currency has limits by its rate, in whole units', () => {
    const rates = new Map([
      ['EUR', 1_080_000_000],
      ['JPY', 6_500_000],
      ['KWD', 3_250_000_000],
    ])
    const section = { title: 'Bank transfer', instructions: 'x', expires_days: 14 }
    const { limits } = readManual(section, rates, (path, message) => expect([path, message]).toEqual([]))
    expect(limits).toEqual({
      EUR: { min_minor: 100, max_minor: 925_900 },
      JPY: { min_minor: 154, max_minor: 1_538_461 },
      KWD: { min_minor: 1_000, max_minor: 3_076_000 },
    })
  })

  test('a gateway’s method has a title, limits and an expiry', async () => {
    await using world = await startTransferGateway({}, `${TRANSFERS}expires_days = 3`)
    const [method] = world.parts.providers()
    expect(method).toMatchObject({
      ...{ name: 'manual', title: 'Bank transfer', currencies: ['USD', 'EUR'] },
      // 5 and 500 USD of credit, at 1.08 USD for a EUR.
      limits: { USD: { min_minor: 500, max_minor: 50_000 }, EUR: { min_minor: 500, max_minor: 46_200 } },
      expires_ms: 3 * 86_400_000,
    })
    const { id } = await world.gateway.account('anna')
    await expect(world.order(id, 499)).rejects.toThrow('must be at least 5.00 EUR')
  })
})
