// The shape of every request to Stripe, checked against Stripe's specification by its own stand-in for its API, stripe-mock.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { PaymentSettings } from '../../../plugins/payments/settings.ts'
import { openCards } from '../../../plugins/payments/stripe/cards.ts'
import { checkStripe } from '../../../plugins/payments/stripe/check.ts'
import { connect } from '../../../plugins/payments/stripe/client.ts'
import { setCard } from '../../../plugins/payments/stripe/customers.ts'
import { deleteAtStripe } from '../../../plugins/payments/stripe/erased-customers.ts'
import { hintOf } from '../../../plugins/payments/stripe/hook.ts'
import { stripeProvider } from '../../../plugins/payments/stripe/provider.ts'
import { NO_STRIPE, type StripeSettings } from '../../../plugins/payments/stripe/settings.ts'
import { addressOf } from '../../../plugins/payments/stripe/tax.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import type { PaymentOrder } from '../../../src/payment-api.ts'
import { retryUntilDone } from '../../support/eventually.ts'
import { freePort } from '../../support/free-port.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { findTool, STRIPE_MOCK } from '../../support/tools.ts'

const PROGRAM = findTool(STRIPE_MOCK)
if (PROGRAM === undefined)
  process.stderr.write(`The shape of requests to Stripe needs stripe-mock. ${STRIPE_MOCK.install}\n`)

const SETTINGS: StripeSettings = {
  secret_key: 'sk_test_1',
  webhook_secret: 'whsec_1',
  currencies: undefined,
  methods: undefined,
  tax: false,
}

describe.if(PROGRAM !== undefined)('requests that Stripe’s specification accepts', () => {
  let gateway: TestGateway
  let mock: Bun.Subprocess
  let origin = ''
  /** The requests, each with its status. */
  const answers: string[] = []
  let account_id = 0

  beforeAll(async () => {
    const port = freePort()
    origin = `http://127.0.0.1:${port}`
    mock = Bun.spawn([PROGRAM ?? '', '-http-addr', `127.0.0.1:${port}`, '-strict-version-check=false'], {
      stdout: 'ignore',
      stderr: 'ignore',
    })
    gateway = await startTestGateway()
    account_id = (await gateway.account('lena')).id
    await retryUntilDone('stripe-mock listens', () => fetch(origin))
  }, 30_000)
  afterAll(async () => {
    mock.kill()
    await gateway.stop()
  })

  const network = async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(url)
    const answer = await fetch(origin + pathname + search, init)
    answers.push(
      `${init.method} ${pathname.replace(/\/(?:cs|pi|cus|pm|seti|re)_\w+/, '/:id')} ${answer.status}`,
    )
    if (answer.status >= 400) answers.push(await answer.clone().text())
    return answer
  }
  const provider = (more: Partial<StripeSettings> = {}, by = network) =>
    stripeProvider(
      {
        db: gateway.store,
        network: by,
        now: Date.now,
        publicUrl: () => 'https://a.example',
        settings: () => ({ ...SETTINGS, ...more }),
      },
      new Map([['EUR', 1_080_000_000]]),
    )
  const order = (): PaymentOrder => ({
    id: 12,
    account_id,
    account: 'lena',
    currency: 'EUR',
    amount_minor: 2_500,
    description: 'Credit of 27.00 USD',
    reference: null,
    payment_reference: 'pi_1',
    expires_at_ms: Date.now() + 3_600_000,
    return_url: 'https://a.example/console/orders/12',
    webhook_url: 'https://a.example/payments/stripe/webhook',
  })
  const answersTo = async (work: () => Promise<unknown>): Promise<string[]> => {
    answers.length = 0
    await work().catch((thrown: unknown) => answers.push(String(thrown)))
    return answers
  }

  test('a customer and a page', async () => {
    expect(await answersTo(() => provider().start(order()))).toEqual([
      'POST /v1/customers 200',
      'POST /v1/checkout/sessions 200',
    ])
  })

  test('a page with Stripe Tax', async () => {
    expect(await answersTo(() => provider({ tax: true }).start(order()))).toEqual([
      'POST /v1/checkout/sessions 200',
    ])
  })

  test('a look at a page, and at a charge', async () => {
    expect((await answersTo(() => provider().look('cs_test_1', order())))[0]).toBe(
      'GET /v1/checkout/sessions/:id 200',
    )
    expect((await answersTo(() => provider().look('pi_1', order())))[0]).toBe(
      'GET /v1/payment_intents/:id 200',
    )
  })

  test('a refund', async () => {
    expect(await answersTo(async () => await provider().refund?.(order(), 1_000, 'refund:1'))).toEqual([
      'GET /v1/refunds 200',
      'POST /v1/refunds 200',
    ])
  })

  test('disputes of a payment', async () => {
    const stripe = await connect(SETTINGS, network)
    expect(await answersTo(() => stripe.disputes.list({ payment_intent: 'pi_1', limit: 100 }))).toEqual([
      'GET /v1/disputes 200',
    ])
  })

  test('a charge of a saved card', async () => {
    const card = { card_reference: 'pm_1', card_brand: 'visa', card_last4: '4242', card_expires: '2030-08' }
    await gateway.store.begin(async (tx) => {
      await tx.lock(account_id)
      await setCard(tx, 1, { ...card, card_person_id: null, card_saved_at_ms: 1 })
    })
    expect(await answersTo(async () => await provider().chargeSaved?.(order(), true))).toEqual([
      'GET /v1/payment_intents 200',
      'POST /v1/payment_intents 200',
    ])
  })

  test('a charge with Stripe Tax, and the address that it needs', async () => {
    // The stand-in answers with examples of its own.
    const fitting = async (url: string, init: RequestInit) => {
      const answer = await network(url, init)
      const example = url.includes('/customers/') ? { address: { country: 'DE' } } : { amount_total: 2_500 }
      return url.includes('/customers/') || url.endsWith('/tax/calculations')
        ? Response.json({ ...((await answer.json()) as object), ...example })
        : answer
    }
    const charging = provider({ tax: true }, fitting)
    expect(await answersTo(async () => await charging.chargeSaved?.(order(), true))).toEqual([
      'GET /v1/payment_intents 200',
      'GET /v1/customers/:id 200',
      'POST /v1/tax/calculations 200',
      'POST /v1/payment_intents 200',
    ])
    const stripe = await connect(SETTINGS, network)
    const address = addressOf({
      ...{ line1: 'Allee 1', line2: null, city: 'Berlin', postal_code: '10115', state: null, country: 'DE' },
    })
    expect(await answersTo(() => stripe.customers.update('cus_1', { address }))).toEqual([
      'POST /v1/customers/:id 200',
    ])
  })

  test('a page to save a card on, without the field of a newer version, and the removal of the card', async () => {
    const known = (url: string, init: RequestInit) => {
      const body = new URLSearchParams(String(init.body ?? ''))
      body.delete('allowed_payment_method_types[0]')
      return network(url, { ...init, body: init.body ? body.toString() : null })
    }
    const parts = { db: gateway.store, network: known, now: Date.now, publicUrl: () => 'https://a.example' }
    const log = { info() {}, warn() {}, error() {} }
    const cards = openCards({ ...parts, log, settings: () => ({ stripe: SETTINGS }) as PaymentSettings })
    expect(await answersTo(() => cards.begin({ account_id, account: 'lena' }, 1))).toEqual([
      'POST /v1/checkout/sessions 200',
    ])
    const stripe = await connect(SETTINGS, network)
    expect(await answersTo(() => stripe.paymentMethods.detach('pm_1'))).toEqual([
      'POST /v1/payment_methods/:id/detach 200',
    ])
  })

  test('the deletion of a customer', async () => {
    const stripe = await connect(SETTINGS, network)
    const customer = { reference: 'cus_1', account_id: 1, created_at_ms: Date.now() }
    const url = () => 'https://a.example'
    expect(await answersTo(() => deleteAtStripe(stripe, customer, url))).toEqual([
      'DELETE /v1/customers/:id 200',
    ])
    // A customer whose number is unknown is searched for.
    const unknown = { ...customer, reference: 'requested' }
    expect(await answersTo(() => deleteAtStripe(stripe, unknown, url))).toEqual(['GET /v1/customers 200'])
  })

  test('requests of a webhook and of the doctor', async () => {
    const stripe = await connect(SETTINGS, network)
    const event = {
      livemode: false,
      data: { object: { object: 'refund', id: 're_1', payment_intent: 'pi_1' } },
    }
    expect((await answersTo(() => hintOf(stripe, event as never, SETTINGS)))[0]).toBe(
      'GET /v1/checkout/sessions 200',
    )
    const sections = new Map([['payments', { ...NO_STRIPE, stripe: SETTINGS }]])
    const catalogue = { server: { public_url: 'https://a.example' }, sections } as unknown as Catalogue
    expect(await answersTo(() => checkStripe({ catalogue }, network))).toEqual([
      'GET /v1/checkout/sessions 200',
      'GET /v1/webhook_endpoints 200',
    ])
  })

  test('stripe-mock refuses a field that the specification does not have', async () => {
    const stripe = await connect(SETTINGS, network)
    const params = { mode: 'payment', success_address: 'https://a.example' } as never
    expect((await answersTo(() => stripe.checkout.sessions.create(params)))[0]).toBe(
      'POST /v1/checkout/sessions 400',
    )
  })
})
