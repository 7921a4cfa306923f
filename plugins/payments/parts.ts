// The parts that payments are handled with, and an order as payment methods see it.
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
  /** The payment methods that are set up now. Take them anew for each use: settings may have changed. */
  providers: () => readonly PaymentProvider[]
  /** The address of the gateway without a slash at its end, where people come back to. */
  publicUrl: () => string
  /** For mails; absent: none are sent. */
  catalogue?: () => Pick<Catalogue, 'sections'>
  /** Credit to other accounts with a payment, in a gateway that runs. */
  shares?: PaymentShares
  /** Counts looks at payments by method and result, in a gateway that runs. */
  looks?: Pick<Tally, 'add'>
}

/** @throws GatewayError unprocessable where it is not set up, or no longer */
export function providerOf({ providers }: Pick<PaymentParts, 'providers'>, name: string): PaymentProvider {
  const provider = providers().find((one) => one.name === name)
  if (!provider)
    throw unprocessable(
      `The payment method "${name}" is not set up. Set it up again in [payments], or choose another one.`,
      { param: 'method', code: 'no_payment_method' },
    )
  return provider
}

/** @param cause what the provider's code threw: one of ours is passed on as it is */
export const notAnswering = ({ title }: Pick<PaymentProvider, 'title'>, cause: unknown): GatewayError =>
  cause instanceof GatewayError
    ? cause
    : upstreamFailed(
        `${title}: the payment method does not answer now. Try again in a minute, or choose another one.`,
        {
          code: 'payment_method_failed',
          cause,
        },
      )

/** Reports whether a method is in the mode that an order was made in: no money moves in test mode, and what was made in one mode is unknown in the other. */
export const isInModeOf = (
  { is_live }: Pick<Order, 'is_live'>,
  { is_test }: Pick<PaymentProvider, 'is_test'>,
): boolean => (is_live === 0) === (is_test === true)

/** The note of an order's entry: the same however often the payment is looked at. */
export const noteOf = ({ id, amount_minor, currency }: Order): string =>
  `Order ${id}: ${formatMinor(amount_minor, currency)}`

/** An order as payment methods see it. */
export async function asSeenByProviders(
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
