// Choice and view of the saved card that pays for the next plan months if the balance is too low.
import { type Static, Type } from '@sinclair/typebox'
import { invalidRequest } from '../../../src/domain/errors.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { NullableTimeFields, time } from '../../../src/http/views.ts'
import type { PaymentProvider } from '../../../src/payment-api.ts'
import type { Db, Tx } from '../../../src/store/db.ts'
import { chooseCard, periodIn } from '../../plans/index.ts'
import { chargeFailureOf } from '../automatic/deciding.ts'
import { chargingMethod, chargingMethods, requireCard } from '../automatic/setting.ts'
import type { PaymentParts } from '../parts.ts'
import type { PaymentSettings } from '../settings.ts'
import { ordersOfPeriod } from '../store.ts'
import { CHARGE_RETRY_MS, failedCharge, MAX_CHARGES } from './renewing.ts'

interface RenewalParts extends Pick<PaymentParts, 'providers' | 'now'> {
  settings: () => Pick<PaymentSettings, 'rates'>
}

/** The currencies in which a method charges saved cards. */
const currenciesOf = ({ settings }: RenewalParts, { currencies }: PaymentProvider): string[] =>
  currencies.filter((currency) => settings().rates.has(currency))

/**
 * Chooses the saved card for the next months, in the caller's transaction.
 *
 * @param card null: only the balance pays
 * @throws GatewayError not_found without a plan; unprocessable without a card or a method that charges it; invalid_request for another currency
 */
export async function chooseRenewal(
  tx: Tx,
  parts: RenewalParts,
  account_id: number,
  card: { method?: string; currency: string } | null,
): Promise<void> {
  await tx.lock(account_id)
  if (card === null) return await chooseCard(tx, account_id, null)
  const { currency } = card
  const provider = chargingMethod(parts, card.method)
  const currencies = currenciesOf(parts, provider)
  if (!currencies.includes(currency))
    throw invalidRequest(
      `currency: saved cards are not charged in ${currency}. Choose one of ${currencies.join(', ')}.`,
      { param: 'currency' },
    )
  await requireCard(tx, provider, account_id)
  await chooseCard(tx, account_id, { method: provider.name, currency })
}

export const RenewalView = Closed({
  card: Nullable(
    Closed(
      { method: Type.String(), method_title: Type.String(), currency: Type.String() },
      {
        description: 'the payment method whose saved card pays where the balance is too low',
      },
    ),
  ),
  currencies: Type.Array(Type.String(), {
    description: 'currencies in which a saved card can be charged; empty if no card can be charged',
  }),
  open_order_id: Nullable(
    Type.Integer({ description: 'an order that waits for its payment, or is being charged' }),
  ),
  failure: Nullable(
    Type.String({ description: 'reason why the saved card was not charged for the due month' }),
  ),
  ...NullableTimeFields('next_try', 'when it is charged again'),
})

export async function renewalView(
  db: Db,
  parts: RenewalParts,
  account_id: number,
): Promise<Static<typeof RenewalView>> {
  const methods = chargingMethods(parts)
  const active = await periodIn(db, account_id, 'active')
  const open = await periodIn(db, account_id, 'open')
  const orders = open ? await ordersOfPeriod(db, open.id) : []
  const charges = orders.filter(({ kind }) => kind === 'automatic').length
  const failed = failedCharge(orders)
  const next_ms = failed && failed.changed_at_ms + CHARGE_RETRY_MS
  const is_tried = charges < MAX_CHARGES && next_ms !== undefined && next_ms < (active?.covers_until_ms ?? 0)
  const { card_method = null, card_currency = null } = active ?? {}
  return {
    card:
      card_method === null || card_currency === null
        ? null
        : {
            method: card_method,
            method_title: methods.find(({ name }) => name === card_method)?.title ?? card_method,
            currency: card_currency,
          },
    currencies: methods[0] ? currenciesOf(parts, methods[0]) : [],
    open_order_id: orders.find(({ state }) => state === 'open')?.id ?? null,
    failure: failed ? await chargeFailureOf(db, failed) : null,
    ...time('next_try', is_tried && next_ms > parts.now() ? next_ms : null),
  }
}
