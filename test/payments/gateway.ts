// A running gateway with two fake payment methods, and orders of its accounts.
import { plugins } from '../../plugins/index.ts'
import { createOrder, startPayment } from '../../plugins/payments/ordering.ts'
import type { PaymentParts } from '../../plugins/payments/parts.ts'
import { orderById } from '../../plugins/payments/store.ts'
import type { Order } from '../../plugins/payments/tables.ts'
import { definePlugin } from '../../src/app/plugin.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts'
import { fakeProvider } from './fake-provider.ts'
import { REQUEST, SETTINGS } from './world.ts'

interface PayingGateway extends AsyncDisposable {
  gateway: TestGateway
  /** The gateway as plugins receive it. */
  whole: Gateway
  fake: ReturnType<typeof fakeProvider>
  other: ReturnType<typeof fakeProvider>
  parts: PaymentParts
  /** Makes an order and starts its payment. */
  order(account_id: number, method?: string): Promise<Order & { reference: string }>
  orderNow(id: number): Promise<Order>
  webhook(method: string, body: string | Uint8Array, headers?: Record<string, string>): Promise<Response>
}

export async function startPayingGateway(options: TestGatewayOptions = {}): Promise<PayingGateway> {
  const [fake, other] = [fakeProvider(), fakeProvider('other')]
  let whole: Gateway | undefined
  const methods = definePlugin({
    name: 'fake-methods',
    open(gateway) {
      whole = gateway
      gateway.operations.payment_providers.push(fake, other)
    },
  })
  const gateway = await startTestGateway({ ...options, plugins: [methods, ...plugins] })
  if (!whole) throw new Error('the gateway has opened no plugin')
  const { db, calls } = whole
  const parts: PaymentParts = {
    db,
    ledger: calls.ledger,
    now: calls.now,
    log: calls.log,
    providers: () => [fake, other],
    publicUrl: () => 'https://gateway.example',
  }
  return {
    gateway,
    whole,
    fake,
    other,
    parts,
    async order(account_id, method = 'fake') {
      const { id } = await createOrder(parts, SETTINGS, { ...REQUEST, account_id, method })
      const { reference } = await startPayment(parts, id)
      return { ...(await orderById(db, id)), reference }
    },
    orderNow: (id) => orderById(db, id),
    webhook: (method, body, headers = {}) =>
      fetch(new URL(`/payments/${method}/webhook`, gateway.url), { method: 'POST', body, headers }),
    [Symbol.asyncDispose]: () => gateway.stop(),
  }
}
