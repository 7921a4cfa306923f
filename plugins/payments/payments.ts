// Payments of a running gateway: shared parts, rate limits and the poller.
import { createRate, type OwnRate } from '../../src/access/rate.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { createTally, type Tally } from '../../src/observe/tally.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import { chargingMethods } from './automatic/setting.ts'
import { createTopUpWorker, type TopUpWorker } from './automatic/worker.ts'
import { openMethods } from './methods.ts'
import { paymentMetrics } from './metrics.ts'
import type { PaymentParts } from './parts.ts'
import { createPoller } from './poller.ts'
import { paymentFees } from './report/fees.ts'
import type { PaymentSettings } from './settings.ts'
import { openCards, type SavedCards } from './stripe/cards.ts'
import { createErasedCustomers } from './stripe/erased-customers.ts'

export interface Payments {
  automatic: TopUpWorker
  cards: SavedCards
  /** Deletes customers of erased accounts at the payment method once they are due. */
  deleteErased: () => Promise<void>
  parts: PaymentParts
  settings: () => PaymentSettings
  /** Webhooks refused since the start, for the alert and the metrics. */
  refused_webhooks: RefusedWebhooks
  /** Rate limit of refreshes that pages request, by order. */
  page_looks: OwnRate
  /** Rate limit of refreshes that webhooks request, by order. */
  webhook_looks: OwnRate
  /** Rate limit of orders that people create in the console, by account. */
  page_orders: OwnRate
  /** Rate limit of payments of existing orders, card setups and automatic top-ups that people start in the console, by account. */
  page_payments: OwnRate
  /** Starts polling due orders. */
  begin(): void
  /** Stops polling; refreshes in progress continue. */
  end(): void
  close(): Promise<void>
}

export interface RefusedWebhooks {
  by_method: Tally
  /** The time and the payment method of the last refused webhook. */
  last: { at_ms: number; method: string } | undefined
}

/** One indexed query a second, so that a payment whose webhook was lost is found as soon as its schedule says. */
const POLL_EVERY_MS = 1_000
/** Long enough for refreshes in progress. A refresh that is cut off is repeated later. */
const MAX_STOP_MS = 5_000

/** @throws Error if a configured payment method cannot be used: the gateway does not start */
export function openPayments(
  gateway: Pick<Gateway, 'calls' | 'operations' | 'people' | 'db'>,
  settings: () => PaymentSettings,
): Payments {
  const { db, calls, operations, people } = gateway
  const { ledger, now, log, catalogue } = calls
  const { payment_providers, network } = operations
  const publicUrl = () => withoutTrailing(catalogue().server.public_url ?? '', '/')
  const method_parts = { db, now, log, publicUrl, settings, network }
  const cards = openCards(method_parts)
  const providers = openMethods({ ...method_parts, cards }, payment_providers)
  const looks = createTally()
  const parts: PaymentParts = { db, ledger, now, log, providers, publicUrl, looks, catalogue }
  const refused_webhooks: RefusedWebhooks = { by_method: createTally(), last: undefined }
  operations.selling_costs.push({ read: paymentFees })
  operations.metrics.push(...paymentMetrics({ db, looks, refused: refused_webhooks.by_method }))
  parts.shares = async (order) =>
    (await Promise.all(operations.payment_shares.map((sharesOf) => sharesOf(order)))).flat()
  people.features.push(
    { name: 'payments', isOffered: () => parts.providers().length > 0 },
    { name: 'saved_cards', isOffered: () => cards.isOffered() },
    { name: 'automatic_top_up', isOffered: () => chargingMethods(parts).length > 0 },
  )
  const poller = createPoller(parts)
  const automatic = createTopUpWorker({ ...parts, settings, catalogue })
  let timer: Timer | undefined
  let stopped: Promise<void> | undefined
  let is_failing = false
  /** Logs the first of consecutive failures, such as an unreachable database. */
  const poll = async () => {
    try {
      await Promise.all([poller.pollDue(), automatic.work()])
      is_failing = false
    } catch (cause) {
      if (!is_failing && !stopped) log.error({ cause }, 'orders could not be checked')
      is_failing = true
    }
  }
  const stop = () => {
    clearInterval(timer)
    // Dropped: a failure of the database, which `poll` has logged.
    stopped ??= Promise.all([poller.stop(), automatic.stop()]).then(
      () => {},
      () => {},
    )
    return stopped
  }
  return {
    automatic,
    cards,
    deleteErased: createErasedCustomers(method_parts),
    parts,
    settings,
    page_looks: createRate(() => performance.now()),
    webhook_looks: createRate(() => performance.now()),
    page_orders: createRate(() => performance.now()),
    page_payments: createRate(() => performance.now()),
    refused_webhooks,
    begin() {
      timer ??= setInterval(() => void poll(), POLL_EVERY_MS)
      timer.unref()
    },
    end: () => void stop(),
    close: async () => {
      await Promise.race([stop(), Bun.sleep(MAX_STOP_MS)])
    },
  }
}
