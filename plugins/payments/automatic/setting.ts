// Validation and storage of an automatic top-up's setting: method, amounts and saved card.
import { formatMinor } from '../../../src/domain/currencies.ts'
import { invalidRequest, unprocessable } from '../../../src/domain/errors.ts'
import { formatUsd, type Nanos } from '../../../src/domain/money.ts'
import type { PaymentProvider } from '../../../src/payment-api.ts'
import { recordAction } from '../../../src/store/actions.ts'
import type { Tx } from '../../../src/store/db.ts'
import { offerOf } from '../ordering.ts'
import { type PaymentParts, providerOf } from '../parts.ts'
import type { PaymentSettings } from '../settings.ts'
import { customerOf } from '../stripe/customers.ts'
import { STRIPE } from '../stripe/provider.ts'
import { automaticTopUpOf, setTopUp, statusAndMail } from './store.ts'
import type { AutomaticTopUp } from './tables.ts'

export interface TopUpRequest {
  account_id: number
  below_nanos: Nanos
  /** Payment method; by default the first one that charges saved cards. */
  method?: string | undefined
  currency: string
  amount_minor: number
  month_limit_minor: number
}

interface SettingParts extends Pick<PaymentParts, 'providers' | 'now'> {
  settings: () => PaymentSettings
}

/** The payment methods that charge saved cards. */
export const chargingMethods = ({ providers }: Pick<PaymentParts, 'providers'>): PaymentProvider[] =>
  providers().filter(({ chargeSaved }) => chargeSaved !== undefined)

/**
 * Turns the automatic top-up on, or changes it, in the caller's transaction. Resets the count of failures.
 *
 * @throws GatewayError as `offerOf`; invalid_request for a limit below the amount; unprocessable without a method, a card, or an active account
 */
export async function setAutomaticTopUp(tx: Tx, parts: SettingParts, wanted: TopUpRequest): Promise<void> {
  const { account_id, below_nanos, currency, amount_minor, month_limit_minor } = wanted
  await tx.lock(account_id)
  const provider = chargingMethod(parts, wanted.method)
  offerOf(parts.settings(), provider, { currency, amount_minor })
  if (month_limit_minor < amount_minor)
    throw invalidRequest('month_limit: must be at least the amount of one top-up.', {
      param: 'month_limit',
    })
  if ((await statusAndMail(tx, account_id))?.status !== 'active')
    throw unprocessable('This account is suspended or closed, so it is not topped up automatically.', {
      code: 'account_not_active',
    })
  await requireCard(tx, provider, account_id)
  const now_ms = parts.now()
  const before = await automaticTopUpOf(tx, account_id)
  const amounts = { below_nanos, currency, amount_minor, month_limit_minor }
  const setting = { account_id, provider: provider.name, ...amounts }
  await setTopUp(tx, { ...setting, next_try_at_ms: 0, changed_at_ms: now_ms })
  await recordAction(tx, {
    action: 'automatic_top_up.changed',
    account_id,
    ...(before?.is_on === 1 ? { before: auditOf(before) } : {}),
    after: auditOf(setting),
  })
}

/**
 * Finds a payment method that charges saved cards, by its name or the first one.
 *
 * @throws GatewayError unprocessable if none exists
 */
export function chargingMethod(
  parts: Pick<PaymentParts, 'providers'>,
  name: string | undefined,
): PaymentProvider {
  const provider = name === undefined ? chargingMethods(parts)[0] : providerOf(parts, name)
  if (provider?.chargeSaved) return provider
  throw unprocessable(
    provider
      ? `${provider.title} charges no saved cards. Choose another payment method.`
      : 'No payment method that charges saved cards is set up. Set up [payments.stripe] first.',
    { param: 'method', code: 'no_payment_method' },
  )
}

/** Requires a saved card, for Stripe only: custom methods store their cards themselves, and refuse a charge without one. */
export async function requireCard(
  tx: Tx,
  { name, is_test }: PaymentProvider,
  account_id: number,
): Promise<void> {
  if (name !== STRIPE) return
  const customer = await customerOf(tx, { account_id, provider: STRIPE, is_live: is_test === true ? 0 : 1 })
  if (customer?.card_reference) return
  throw unprocessable('No card is saved. Save one first.', { code: 'no_card' })
}

type Amounts = Pick<
  AutomaticTopUp,
  'below_nanos' | 'provider' | 'currency' | 'amount_minor' | 'month_limit_minor'
>

/** Formats a setting for the audit log. */
const auditOf = ({ below_nanos, provider, currency, amount_minor, month_limit_minor }: Amounts) => ({
  method: provider,
  below_usd: formatUsd(below_nanos),
  amount: formatMinor(amount_minor, currency),
  month_limit: formatMinor(month_limit_minor, currency),
})
