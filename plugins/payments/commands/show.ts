// Command `order show`: an order with its history and refunds.
import type { Command } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { type Column, wrapped } from '../../../src/app/command-line/table.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { formatMinor } from '../../../src/domain/currencies.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import { type StateChangeRow, stateChangesOf } from '../../../src/store/state-changes.ts'
import type { ListedOrder } from '../list.ts'
import { refundsOf } from '../refund-store.ts'
import type { OrderRefund } from '../tables.ts'
import { orderFields, readOrder, requireNamed } from './parts.ts'

export function addShowCommand(group: Command, deps: CliDeps): void {
  addExample(
    group.command('show').argument('<order>', 'its number, or that of its bank transfer'),
    'order show 12',
  )
    .summary('Show an order with its history.')
    .description(
      'Show an order: its amount, what was paid and credited, its refunds, and each change with its cause.',
    )
    .action((text: string, _: object, command: Command) => {
      const { folder, answer, tableOf } = contextOf(command, deps)
      const named = readOrder(text)
      return withDatabase(folder, 'read', async (db) => {
        const order = await requireNamed(db, named, deps.now())
        const refunds = await refundsOf(db, order.id)
        const changes = [...(await stateChangesOf(db, 'orders', order.id))]
        for (const refund of refunds) changes.push(...(await stateChangesOf(db, 'order_refunds', refund.id)))
        changes.sort((one, other) => one.at_ms - other.at_ms || one.id - other.id)
        const history = tableOf(CHANGES, changes, 'Nothing has changed since it was made.')
        const lines = [...linesOf(order), ...refundLines(refunds, order), '', history]
        answer(
          {
            ...orderFields(order),
            ...reportOf(order),
            refunds: refunds.map((each) => refundFields(each, order)),
            changes: changes.map(changeFields),
          },
          lines.join('\n'),
        )
      })
    })
}

const instant = (at_ms: number): string => new Date(at_ms).toISOString().replace(/\.\d+Z$/, 'Z')
const instantOrNull = (at_ms: number | null): string | null => (at_ms === null ? null : instant(at_ms))

const LABEL_WIDTH = 11

/** A label and its value in lines of at most 80 columns. */
function line(label: string, value: string | null | undefined): string[] {
  if (value === null || value === undefined || value === '') return []
  const indent = ' '.repeat(LABEL_WIDTH)
  const [first = '', ...rest] = wrapped(value, indent)
  return [label.padEnd(LABEL_WIDTH) + first.slice(LABEL_WIDTH), ...rest]
}

function linesOf(order: ListedOrder): string[] {
  const { currency, credit_nanos, bonus_nanos, fee_minor, tax_minor, attention } = order
  const money = (minor: number | null) => (minor === null ? null : formatMinor(minor, currency))
  const bonus = bonus_nanos > 0 ? `, ${formatUsd(bonus_nanos)} of it bonus` : ''
  const test = order.is_live === 0 ? ', test mode: no money moves' : ''
  return [
    `Order ${order.id}: ${formatMinor(order.amount_minor, currency)}, ${order.state.replaceAll('_', ' ')}`,
    ...line('Account', order.account_name),
    ...line(
      'Made',
      `${instant(order.created_at_ms)}${order.person_name === null ? '' : ` by ${order.person_name}`}`,
    ),
    ...line('Method', `${order.provider}${test}`),
    ...line(
      'Gives',
      `${formatUsd(credit_nanos + bonus_nanos)} USD at ${formatUsd(order.rate_nanos)} USD for 1 ${currency}${bonus}`,
    ),
    ...line('Reference', order.reference),
    ...line('Payment', order.payment_reference),
    ...line('Paid', instantOrNull(order.paid_at_ms)),
    ...line('Fee', money(fee_minor)),
    ...line(
      'Tax',
      tax_minor === null
        ? null
        : `${money(tax_minor)}${order.tax_country === null ? '' : ` (${order.tax_country})`}`,
    ),
    ...line('Refunded', order.refunded_minor === 0 ? null : money(order.refunded_minor)),
    ...line('Receipt', order.receipt_url),
    ...line('Expires', order.state === 'open' ? instant(order.expires_at_ms) : null),
    ...line('Next look', instantOrNull(order.next_look_at_ms)),
    ...line('Attention', attention && `${attention.why} ${attention.advice}`),
  ]
}

const refundLines = (refunds: readonly OrderRefund[], { currency }: ListedOrder): string[] =>
  refunds.flatMap(({ id, amount_minor, debit_nanos, state, reason }) =>
    line(
      `Refund ${id}`,
      `${formatMinor(amount_minor, currency)}, ${formatUsd(debit_nanos)} USD: ${state}${reason === '' ? '' : `, ${reason}`}`,
    ),
  )

const detailWords = ({ detail }: StateChangeRow): string =>
  Object.entries(JSON.parse(detail) as Record<string, unknown>)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ')

const CHANGES: readonly Column<StateChangeRow>[] = [
  { head: 'TIME', text: ({ at_ms }) => instant(at_ms) },
  {
    head: 'OF',
    text: ({ subject, subject_id }) => (subject === 'orders' ? 'order' : `refund ${subject_id}`),
  },
  {
    head: 'TO',
    text: ({ from_state, to_state }) => (from_state === to_state ? '' : to_state.replaceAll('_', ' ')),
  },
  { head: 'BY', text: ({ source }) => source },
  { head: 'DETAIL', text: detailWords, elastic: true },
]

const reportOf = (order: ListedOrder) => ({
  payment_reference: order.payment_reference,
  fee: order.fee_minor === null ? null : formatMinor(order.fee_minor, order.currency),
  tax: order.tax_minor === null ? null : formatMinor(order.tax_minor, order.currency),
  tax_country: order.tax_country,
  next_look_at: instantOrNull(order.next_look_at_ms),
})

const refundFields = (
  { id, amount_minor, debit_nanos, state, reason, created_at_ms }: OrderRefund,
  { currency }: ListedOrder,
) => ({
  ...{ id, amount: formatMinor(amount_minor, currency), debit_usd: formatUsd(debit_nanos), state, reason },
  created_at: instant(created_at_ms),
})

const changeFields = ({
  subject,
  subject_id,
  from_state,
  to_state,
  source,
  detail,
  at_ms,
}: StateChangeRow) => ({
  ...{ at: instant(at_ms), of: subject === 'orders' ? 'order' : 'refund', id: subject_id },
  ...{ from: from_state, to: to_state, source, detail: JSON.parse(detail) },
})
