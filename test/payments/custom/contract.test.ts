// The contract of payment methods: a good one keeps it, and each way to break it is named.
import { describe, expect, test } from 'bun:test'
import { checkedMethod } from '../../../plugins/payments/custom/checked.ts'
import { contractFaults } from '../../../plugins/payments/custom/contract.ts'
import { manualProvider } from '../../../plugins/payments/manual/provider.ts'
import type { PaymentProvider, StartedPayment } from '../../../src/payment-api.ts'
import { memoryLog } from '../../support/memory-log.ts'
import { goodMethod } from './method.ts'

const { log } = memoryLog({ now: () => 0 })
const NOW = Date.UTC(2026, 10, 29)
const faultsOf = (changes: Partial<PaymentProvider>) =>
  contractFaults(checkedMethod(goodMethod(changes), log), NOW)

test('a good method has no fault', async () => {
  expect(await faultsOf({})).toEqual([])
})

test('the built-in bank transfer keeps the contract', async () => {
  const method = manualProvider({
    ...{ title: 'Bank transfer', instructions: 'x', currencies: ['EUR'] },
    ...{ limits: { EUR: { min_minor: 100, max_minor: 1_000 } }, expires_ms: 86_400_000 },
  })
  expect(await contractFaults(method, NOW)).toEqual([])
})

const page = (reference: string): StartedPayment => ({ reference, go_to: 'https://kiosk.example/' })
const open = { state: 'open', currency: 'EUR', amount_minor: 100 } as const
let started = 0

describe('faults', () => {
  test.each<[what: string, changes: Partial<PaymentProvider>, says: string]>([
    [
      'a second payment for one order',
      { start: async () => page(`K${++started}`), look: async () => open },
      'start began two payments for one order',
    ],
    [
      'one payment for two orders',
      { start: async () => page('K1'), look: async () => open },
      'start gave two orders one reference',
    ],
    [
      'references that repeat in another database',
      { start: async ({ id }) => page(`K${id}`), look: async () => open },
      'Put expires_at_ms in the reference',
    ],
    [
      'a start that throws',
      { start: () => Promise.reject(new Error('401 from the kiosk')) },
      'failed at start: 401 from the kiosk.',
    ],
    [
      'paid before anyone paid',
      { look: async () => ({ ...open, state: 'paid' }) },
      'look returned "paid" for a payment that was just started',
    ],
    [
      'paid for an unknown payment',
      { look: async () => ({ ...open, state: 'paid' }) },
      'look returned "paid" for a payment that does not exist',
    ],
    [
      'amounts in euros',
      { look: async () => ({ ...open, amount_minor: 1 }) },
      'amounts are in the smallest unit',
    ],
    [
      'another currency',
      { look: async () => ({ ...open, currency: 'USD' }) },
      'look returned 100 USD for a payment of 100 EUR',
    ],
    [
      'a wrong shape',
      { look: async () => ({ ...open, amount_minor: 1.5 }) },
      'failed at look: amount_minor must be a whole number',
    ],
    [
      'webhooks without a signature',
      { hook: async () => ({ reference: 'K1' }) },
      'hook took JSON without a signature',
    ],
    ['webhooks that pass unchecked', { hook: async () => undefined }, 'hook took an empty body'],
    [
      'webhooks by GET alone without a signature',
      {
        hook: async ({ method, url }) => {
          if (method !== 'GET') throw new Error('unsigned')
          return { reference: new URL(url).searchParams.get('out_trade_no') ?? '' }
        },
      },
      'hook took an address without a signature',
    ],
  ])('%s is reported', async (_, changes, says) => {
    expect((await faultsOf(changes)).join('\n')).toContain(says)
  })
})
