// The steps of an automatic top-up: creation of an order when the balance is low, then the count of its success or failure.
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { formatMinor } from '../../../src/domain/currencies.ts'
import { GatewayError } from '../../../src/domain/errors.ts'
import { HOUR_MS } from '../../../src/domain/ranges.ts'
import { recordAction } from '../../../src/store/actions.ts'
import type { Db, Tx } from '../../../src/store/db.ts'
import { stateChangesOf } from '../../../src/store/state-changes.ts'
import { canMail, isMailAddress, queueMail } from '../../mail/index.ts'
import { createOrderInTx } from '../ordering.ts'
import type { PaymentParts } from '../parts.ts'
import type { PaymentSettings } from '../settings.ts'
import { wasPaid } from '../states.ts'
import { freeBalanceOf, orderById } from '../store.ts'
import type { Order } from '../tables.ts'
import { automaticTopUpOf, setProgress, statusAndMail, topUpSumSince } from './store.ts'
import type { AutomaticTopUp, OffReason } from './tables.ts'

export interface TopUpParts extends Pick<PaymentParts, 'db' | 'now' | 'log' | 'providers'> {
  settings: () => PaymentSettings
  catalogue: () => Pick<Catalogue, 'sections'>
}

/** Delays after the first and the second failure in a row; the third turns the automatic top-up off. A card without money now may have some later. */
const RETRY_AFTER_MS = [HOUR_MS, 6 * HOUR_MS] as const

/** Returns the start of a calendar month in UTC. @param months offset from the current month */
export function monthStart(now_ms: number, months = 0): number {
  const now = new Date(now_ms)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months)
}

/**
 * Creates the order of an account that is due. Several gateways at once create only one.
 *
 * @returns undefined if no order is due
 */
export async function createTopUp(parts: TopUpParts, account_id: number): Promise<Order | undefined> {
  try {
    return await parts.db.begin(async (tx) => {
      await tx.lock(account_id)
      const setting = await dueSetting(tx, account_id, parts.now())
      return setting && (await tryOrder(tx, parts, setting))
    })
  } catch (thrown) {
    // The operator's settings have changed: the method is no longer set up, or accepts other amounts.
    if (!(thrown instanceof GatewayError) || !COUNTED_ERROR_KINDS.has(thrown.kind)) throw thrown
    const { message } = thrown
    await parts.db.begin(async (tx) => {
      await tx.lock(account_id)
      const setting = await dueSetting(tx, account_id, parts.now())
      if (setting) await countFailure(tx, parts, setting, message)
    })
    return undefined
  }
}

/** Errors that count as a failed top-up. The worker retries after others, such as a failure of the database. */
const COUNTED_ERROR_KINDS: ReadonlySet<string> = new Set(['invalid_request', 'unprocessable', 'rate_limited'])

/** Returns the setting of an account if a top-up is due now. */
async function dueSetting(tx: Tx, account_id: number, now_ms: number): Promise<AutomaticTopUp | undefined> {
  const setting = await automaticTopUpOf(tx, account_id)
  if (!setting || setting.is_on === 0 || setting.order_id !== null || setting.next_try_at_ms > now_ms)
    return undefined
  const account = await statusAndMail(tx, account_id)
  if (account?.status !== 'active') return undefined
  return (await freeBalanceOf(tx, account_id)) < setting.below_nanos ? setting : undefined
}

/** Creates the order of a top-up. @returns undefined if it would exceed the account's monthly limit */
async function tryOrder(tx: Tx, parts: TopUpParts, setting: AutomaticTopUp): Promise<Order | undefined> {
  const { account_id, provider: method, currency, amount_minor, month_limit_minor } = setting
  const now_ms = parts.now()
  const used_minor = await topUpSumSince(tx, { account_id, currency, from_ms: monthStart(now_ms) })
  if (used_minor + amount_minor > month_limit_minor) {
    // No further attempt before the next month or a change of the setting.
    await setProgress(tx, { ...setting, next_try_at_ms: monthStart(now_ms, 1) })
    return undefined
  }
  const request = { account_id, kind: 'automatic', method, currency, amount_minor } as const
  const order = await createOrderInTx(tx, parts, parts.settings(), request)
  await setProgress(tx, { ...setting, order_id: order.id })
  return order
}

/** Counts the success or failure of an account's ended order, once. */
export const concludeTopUp = (parts: TopUpParts, account_id: number): Promise<void> =>
  parts.db.begin(async (tx) => {
    await tx.lock(account_id)
    const setting = await automaticTopUpOf(tx, account_id)
    if (!setting || setting.order_id === null) return
    const order = await orderById(tx, setting.order_id)
    if (order.state === 'open') return
    const ended = { ...setting, order_id: null }
    if (wasPaid(order.state))
      await setProgress(tx, { ...ended, failures: 0, failure: null, next_try_at_ms: 0 })
    else await countFailure(tx, parts, ended, await chargeFailureOf(tx, order), order)
  })

/** Returns the reason why the saved card was not charged for an ended order. */
export async function chargeFailureOf(db: Db, { id }: Pick<Order, 'id'>): Promise<string> {
  const lines = await stateChangesOf(db, 'orders', id)
  const reasons = lines.map(({ detail }) => (JSON.parse(detail) as { reason?: unknown }).reason)
  const reason = reasons.findLast((reason) => typeof reason === 'string')
  return typeof reason === 'string' ? reason : 'The payment did not succeed.'
}

async function countFailure(
  tx: Tx,
  parts: TopUpParts,
  setting: AutomaticTopUp,
  failure: string,
  order?: Order,
): Promise<void> {
  const { account_id } = setting
  const failures = setting.failures + 1
  const now_ms = parts.now()
  const wait_ms = RETRY_AFTER_MS[failures - 1]
  const counted = { ...setting, failures, failure }
  parts.log.warn({ account_id, order: order?.id, failures, cause: failure }, 'an automatic top-up failed')
  if (wait_ms !== undefined || setting.is_on === 0) {
    await setProgress(tx, { ...counted, next_try_at_ms: now_ms + (wait_ms ?? 0) })
    return
  }
  await saveOff(tx, counted, 'failures', now_ms)
  const { name = '', email = '' } = (await statusAndMail(tx, account_id)) ?? {}
  if (!email || !isMailAddress(email) || !canMail(parts.catalogue())) return
  const amount = formatMinor(setting.amount_minor, setting.currency)
  const mail = { purpose: 'automatic_top_up_off', to: email, account_id } as const
  const fields = { account: name, amount, failure }
  const request_key = `automatic_top_up_off:${account_id}:${now_ms}`
  await queueMail(tx, { ...mail, fields, request_key }, now_ms)
}

async function saveOff(tx: Tx, setting: AutomaticTopUp, reason: OffReason, now_ms: number): Promise<void> {
  await setProgress(tx, { ...setting, is_on: 0, off_reason: reason, changed_at_ms: now_ms })
  await recordAction(tx, {
    action: 'automatic_top_up.ended',
    account_id: setting.account_id,
    after: { reason, ...(reason === 'failures' ? { failure: setting.failure } : {}) },
  })
}

/**
 * Turns the automatic top-up off, in the caller's transaction, which holds the account's lock. An order in progress continues: its card may have
 * been charged.
 *
 * @param method turns it off only if it charges this payment method
 * @returns false if it was not on
 */
export async function turnOff(
  tx: Tx,
  account_id: number,
  { reason, now_ms, method }: { reason: OffReason; now_ms: number; method?: string },
): Promise<boolean> {
  const setting = await automaticTopUpOf(tx, account_id)
  if (!setting) return false
  if (setting.is_on === 0) {
    // The person acknowledges the failures, which ends the alert.
    if (reason === 'person') await setProgress(tx, { ...setting, off_reason: reason, changed_at_ms: now_ms })
    return false
  }
  if (method !== undefined && setting.provider !== method) return false
  await saveOff(tx, setting, reason, now_ms)
  return true
}
