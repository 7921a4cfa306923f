// Shared parts of the order commands, which work on a data folder with or without a running gateway.
import type { Command } from 'commander'
import { type Context, contextOf } from '../../../src/app/command-line/context.ts'
import { requireCatalogue, withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { openMoneyMover } from '../../../src/app/command-line/money.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import { rowFor } from '../../../src/app/list/columns.ts'
import { parseMinor } from '../../../src/domain/currencies.ts'
import { invalidRequest, notFound } from '../../../src/domain/errors.ts'
import type { Ledger, MoneyOperation } from '../../../src/money/ledger/operations.ts'
import type { Db } from '../../../src/store/db.ts'
import { type ListedOrder, listedOrder, order_list } from '../list.ts'
import { MANUAL } from '../manual/provider.ts'
import { readReference, transferReference } from '../manual/reference.ts'
import type { PaymentParts } from '../parts.ts'
import { type PaymentSettings, paymentSettings } from '../settings.ts'
import { commandMethods } from './methods.ts'

/** An order named by its ID, or by the reference of its bank transfer. */
interface NamedOrder {
  id: number
  reference?: string
}

/** @throws GatewayError invalid_request */
export function readOrder(text: string): NamedOrder {
  if (/^[1-9]\d{0,14}$/.test(text)) return { id: Number(text) }
  const read = readReference(text)
  if (!read)
    throw invalidRequest(
      `"${text}" is not the number of an order, such as 12, nor that of its transfer, such as ${EXAMPLE}.`,
    )
  return { id: read.order_id, reference: read.reference }
}

const EXAMPLE = 'TG-12-47130'

/** Help text of the order argument. */
export const ORDER = `its number, or that of its bank transfer, such as ${EXAMPLE}`

/** @throws GatewayError not_found, also if the order with this ID has another transfer reference */
export async function requireNamed(
  db: Db,
  { id, reference }: NamedOrder,
  now_ms: number,
): Promise<ListedOrder> {
  const order = await requireOrder(db, id, now_ms)
  if (reference === undefined || (order.provider === MANUAL && reference === transferReference(order)))
    return order
  throw notFound(
    `No order here has the number ${reference}: order ${id} is another one. Was a backup restored since that one was made? Credit its account by hand.`,
  )
}

/** @throws GatewayError not_found */
export async function requireOrder(db: Db, id: number, now_ms: number): Promise<ListedOrder> {
  const order = await listedOrder(db, { id, account_id: undefined, now_ms })
  if (!order) throw notFound(`Order ${id} not found. \`tollgate order list\` shows all.`)
  return order
}

export interface OrderWork {
  context: Context
  parts: PaymentParts
  order: ListedOrder
}

/**
 * Runs a command's work on an order. If a gateway serves the folder, it executes the withdrawals.
 *
 * @param text order argument
 * @throws GatewayError as `readOrder` and `requireNamed`; unprocessable for an invalid catalogue; errors of `work`
 */
export async function withOrder(
  text: string,
  command: Command,
  deps: CliDeps,
  work: (parts: OrderWork) => Promise<void>,
): Promise<void> {
  const named = readOrder(text)
  const context = contextOf(command, deps)
  const { folder } = context
  const { catalogue } = await requireCatalogue(folder)
  await withDatabase(folder, 'write', async (db) => {
    const order = await requireNamed(db, named, deps.now())
    await using mover = await openMoneyMover(folder)
    const settings = settingsFor(order, paymentSettings.of(catalogue))
    await work({
      context,
      order,
      parts: {
        ...commandMethods(deps, context, { db, catalogue, settings }),
        catalogue: () => catalogue,
        // Payments submit only operations that move money.
        ledger: { submit: ((operation: MoneyOperation) => mover.move(operation)) as Ledger['submit'] },
      },
    })
  })
}

/** Bank transfers do not need the secrets of Stripe, which this environment may lack. */
const settingsFor = ({ provider }: ListedOrder, settings: PaymentSettings): PaymentSettings =>
  provider === MANUAL ? { ...settings, stripe: undefined, stripe_unavailable: undefined } : settings

/** The fields of an order for --json. */
export const orderFields = (order: ListedOrder): Record<string, unknown> =>
  rowFor(order_list.columns, 'command', order)

/** Parses an amount argument. @throws GatewayError invalid_request */
export function amountArgument(text: string, currency: string): number {
  const amount_minor = /^[A-Z]{3}$/.test(currency) ? parseMinor(text, currency) : undefined
  if (amount_minor === undefined || amount_minor === 0)
    throw invalidRequest(`"${text}" is not an amount in ${currency} above 0, such as 25.00.`)
  return amount_minor
}
