// Dependencies of the payment functions, and the conversion of an order for payment methods.
import type { PaymentShares } from '../../src/app/surface/gateway.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { formatMinor } from '../../src/domain/currencies.ts'
import { GatewayError, unprocessable, upstreamFailed } from '../../src/domain/errors.ts'
import { formatUsd } from '../../src/domain/money.ts'
import type { Ledger } from '../../src/money/ledger/operations.ts'
import type { Logger } from '../../src/observe/log.ts'
import type { Tally } from '../../src/observe/tally.ts'
import type { PaymentOrder, PaymentProvider } from '../../src/payment-api.ts'
import type { Db } from '../../src/store/db.ts'
import { periodById } from '../plans/index.ts'
import { accountNameOf } from './store.ts'
import type { Order } from './tables.ts'
import { webhookPath } from './webhook-path.ts'

export interface PaymentParts {
  db: Db
  ledger: Pick<Ledger, 'submit'>
  now: () => number
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Returns the payment methods that are set up now. Do not keep the result: settings may change. */
  providers: () => readonly PaymentProvider[]
  /** The public address of the gateway without a slash at its end, to which people return after paying. */
  publicUrl: () => string
  /** For mails; absent: no mails are sent. */
  catalogue?: () => Pick<Catalogue, 'sections'>
  /** Credits to other accounts that come with a payment. Absent in commands. */
  shares?: PaymentShares
  /** Counts refreshes by method and result. Absent in commands. */
  looks?: Pick<Tally, 'add'>
}

/** @throws GatewayError unprocessable if the method is not set up */
export function providerOf({ providers }: Pick<PaymentParts, 'providers'>, name: string): PaymentProvider {
  const provider = providers().find((one) => one.name === name)
  if (!provider)
    throw unprocessable(
      `The payment method "${name}" is not set up. Set it up again in [payments], or choose another one.`,
      { param: 'method', code: 'no_payment_method' },
    )
  return provider
}

/** @param cause error of the provider's code; a GatewayError is returned unchanged */
export const methodUnavailable = ({ title }: Pick<PaymentProvider, 'title'>, cause: unknown): GatewayError =>
  cause instanceof GatewayError
    ? cause
    : upstreamFailed(
        `${title}: the payment method does not answer now. Try again in a minute, or choose another one.`,
        {
          code: 'payment_method_failed',
          cause,
        },
      )

/** Whether a method is in the mode (test or live) in which the order was created. Providers do not know payments of the other mode. */
export const matchesMode = (
  { is_live }: Pick<Order, 'is_live'>,
  { is_test }: Pick<PaymentProvider, 'is_test'>,
): boolean => (is_live === 0) === (is_test === true)

/** The note of an order's ledger entry. It never changes, so that a repeated credit is recognized as the same operation. */
export const entryNoteOf = ({ id, amount_minor, currency }: Order): string =>
  `Order ${id}: ${formatMinor(amount_minor, currency)}`

/** Converts an order to the form that payment methods receive. */
export async function paymentOrderOf(
  { db, publicUrl }: Pick<PaymentParts, 'db' | 'publicUrl'>,
  order: Order,
): Promise<PaymentOrder> {
  const { id, account_id, currency, amount_minor, credit_nanos, bonus_nanos, plan_period_id } = order
  const plan = plan_period_id === null ? undefined : await periodById(db, plan_period_id)
  return {
    id,
    account_id,
    account: await accountNameOf(db, account_id),
    currency,
    amount_minor,
    description:
      plan === undefined ? `Credit of ${formatUsd(credit_nanos + bonus_nanos)} USD` : `Plan ${plan.title}`,
    reference: order.reference,
    payment_reference: order.payment_reference,
    expires_at_ms: order.expires_at_ms,
    return_url: `${publicUrl()}/console/orders/${id}`,
    webhook_url: publicUrl() + webhookPath(order.provider),
  }
}
