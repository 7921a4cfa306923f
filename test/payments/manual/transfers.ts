// A gateway that takes payments by bank transfer or by a method of a plugin, with its payment parts, for tests.
import { plugins } from '../../../plugins/index.ts'
import { createOrder, startPayment } from '../../../plugins/payments/ordering.ts'
import type { PaymentParts } from '../../../plugins/payments/parts.ts'
import { openPayments } from '../../../plugins/payments/payments.ts'
import { type PaymentSettings, paymentSettings } from '../../../plugins/payments/settings.ts'
import { orderById } from '../../../plugins/payments/store.ts'
import type { Order } from '../../../plugins/payments/tables.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../../support/gateway.ts'
import { gatewaySpy } from '../../support/plugins.ts'

export const TRANSFERS = `
[payments.rates]
USD = "1"
EUR = "1.08"

[payments.manual]
instructions = """
Send {amount} to DE02 1203 0000 0000 2020 51.
Write only {reference} as its purpose."""
min_usd = "5"
max_usd = "500"
`

interface TransferGateway extends AsyncDisposable {
  gateway: TestGateway
  parts: PaymentParts
  settings: () => PaymentSettings
  /** Makes an order of an account and starts its payment. */
  order(account_id: number, amount_minor?: number, currency?: string, method?: string): Promise<Order>
}

/** @param payments the catalogue's section of payments */
export async function startTransferGateway(
  options: TestGatewayOptions = {},
  payments = TRANSFERS,
): Promise<TransferGateway> {
  const spy = gatewaySpy()
  const gateway = await startTestGateway({
    catalogue: catalogueOf({ upstream_url: 'simulator', more: payments }),
    ...options,
    plugins: [...plugins, spy.plugin],
  })
  const whole = spy.gateway()
  const settings = () => paymentSettings.of(whole.calls.catalogue())
  const { parts } = openPayments(whole, settings)
  return {
    gateway,
    parts,
    settings,
    async order(account_id, amount_minor = 2_500, currency = 'EUR', method = 'manual') {
      const request = { account_id, kind: 'top_up', method, currency, amount_minor } as const
      const { id } = await createOrder(parts, settings(), request)
      await startPayment(parts, id)
      return await orderById(parts.db, id)
    },
    [Symbol.asyncDispose]: () => gateway.stop(),
  }
}
