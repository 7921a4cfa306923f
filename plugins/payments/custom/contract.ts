// Contract test of payment methods. It starts payments that nobody pays, and moves no money.
import { DAY_MS } from '../../../src/domain/ranges.ts'
import type { PaymentOrder, PaymentProvider } from '../../../src/payment-api.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { webhookPath } from '../webhook-path.ts'

const UNKNOWN_REFERENCE = 'tollgate-no-such-payment'
const ADDRESS = 'https://gateway.example'

/**
 * Tests a payment method against the contract, with its real network.
 *
 * @param method result of `checkedMethod`: malformed answers and time-outs are faults, too
 * @returns a sentence for each fault; empty if the method keeps the contract as far as a test without money can show
 */
export async function contractFaults(method: PaymentProvider, now_ms: number): Promise<string[]> {
  const faults: string[] = []
  const id = Math.floor(now_ms / 1_000)
  const order = testOrder(method, id, now_ms)
  const other = testOrder(method, id + 1, now_ms)
  const started = await attempt(faults, async () => await method.start(order))
  if (started) {
    faults.push(...(await faultsOfStart(method, [order, other], started.reference)))
    faults.push(
      ...(await faultsOfLook(method, { ...order, reference: started.reference }, started.reference)),
    )
  }
  faults.push(...(await faultsOfHook(method, started?.reference ?? UNKNOWN_REFERENCE)))
  return faults
}

/** Builds an order of the smallest amount. Each run uses another ID. */
function testOrder({ name, currencies, limits }: PaymentProvider, id: number, now_ms: number): PaymentOrder {
  const [currency = 'USD'] = currencies
  return {
    ...{ id, account_id: 1, account: 'test', currency, amount_minor: limits[currency]?.min_minor ?? 1 },
    description: 'Test of the payment method: do not pay',
    reference: null,
    payment_reference: null,
    expires_at_ms: now_ms + DAY_MS,
    return_url: `${ADDRESS}/console/orders/${id}`,
    webhook_url: ADDRESS + webhookPath(name),
  }
}

async function faultsOfStart(
  method: PaymentProvider,
  [order, other]: readonly [PaymentOrder, PaymentOrder],
  reference: string,
): Promise<string[]> {
  const faults: string[] = []
  const again = await attempt(faults, async () => await method.start(order))
  if (again && again.reference !== reference)
    faults.push(
      `start began two payments for one order, ${reference} and ${again.reference}: after a crash a person could pay twice. Give the same one again.`,
    )
  const of_other = await attempt(faults, async () => await method.start(other))
  if (of_other?.reference === reference)
    faults.push(`start gave two orders one reference, ${reference}: one payment would be taken for both.`)
  const after_restore = await method
    .start({ ...order, expires_at_ms: order.expires_at_ms + 1_000 })
    // Dropped: a refusal is fine, since it cannot confuse the order with an earlier payment.
    .catch(() => undefined)
  if (after_restore?.reference === reference)
    faults.push(
      `start gave an order of another database with the same number the same reference, ${reference}: a payment of the past would be taken for it. Put expires_at_ms in the reference.`,
    )
  return faults
}

async function faultsOfLook(
  method: PaymentProvider,
  order: PaymentOrder,
  reference: string,
): Promise<string[]> {
  const faults: string[] = []
  const payment = await attempt(faults, async () => await method.look(reference, order))
  if (payment && payment.state !== 'open' && payment.state !== 'pending')
    faults.push(`look returned "${payment.state}" for a payment that was just started. Return "open".`)
  if (payment && (payment.currency !== order.currency || payment.amount_minor !== order.amount_minor))
    faults.push(
      `look returned ${payment.amount_minor} ${payment.currency} for a payment of ${order.amount_minor} ${order.currency}: amounts are in the smallest unit.`,
    )
  try {
    const unknown = await method.look(UNKNOWN_REFERENCE, { ...order, reference: UNKNOWN_REFERENCE })
    if (unknown.state === 'paid' || unknown.state === 'pending')
      faults.push(
        `look returned "${unknown.state}" for a payment that does not exist: anyone could get credit without paying.`,
      )
  } catch {
    // Expected: the payment is unknown.
  }
  return faults
}

/** Webhooks without a signature or with a wrong one. */
const unsignedRequests = (method: PaymentProvider, reference: string): [what: string, request: Request][] => {
  const url = ADDRESS + webhookPath(method.name)
  const names = ['reference', 'id', 'out_trade_no', 'trade_no', 'order_id', 'order']
  const fields = {
    ...Object.fromEntries(names.map((name) => [name, reference])),
    trade_status: 'TRADE_SUCCESS',
  }
  const signed = { ...fields, sign: '0'.repeat(32), sign_type: 'MD5' }
  const post = (body: string | URLSearchParams, headers: Record<string, string> = {}) =>
    new Request(url, { method: 'POST', body, headers })
  const JSON_BODY = { 'content-type': 'application/json' }
  return [
    ['an empty body', post('')],
    ['JSON without a signature', post(JSON.stringify(fields), JSON_BODY)],
    [
      'JSON with a wrong signature',
      post(JSON.stringify(signed), { ...JSON_BODY, 'x-signature': '0'.repeat(64) }),
    ],
    ['a form without a signature', post(new URLSearchParams(fields))],
    ['a form with a wrong signature', post(new URLSearchParams(signed))],
    ['an address without a signature', new Request(`${url}?${new URLSearchParams(fields)}`)],
    ['an address with a wrong signature', new Request(`${url}?${new URLSearchParams(signed)}`)],
  ]
}

async function faultsOfHook(method: PaymentProvider, reference: string): Promise<string[]> {
  if (!method.hook) return []
  const faults: string[] = []
  for (const [what, request] of unsignedRequests(method, reference)) {
    try {
      await method.hook(request)
      faults.push(
        `hook took ${what}: it must throw, so that strangers cannot make the gateway ask, and an alert is raised.`,
      )
    } catch {
      // Expected.
    }
  }
  return faults
}

async function attempt<T>(faults: string[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (thrown) {
    const message = messageOf(thrown)
    faults.push(/[.!?]$/.test(message) ? message : `${message}.`)
    return undefined
  }
}
