// `order`: what people paid and are paying, looked at, marked as paid, cancelled and refunded.
import type { Command } from 'commander'
import { addExample, type CliDeps, commandGroup, EXIT, Exit } from '../../../src/app/command-line/terminal.ts'
import { listCommand } from '../../../src/app/list/command.ts'
import { formatMinor, parseMinor } from '../../../src/domain/currencies.ts'
import { conflict, GatewayError, invalidRequest, unprocessable } from '../../../src/domain/errors.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import { checkNote } from '../../../src/domain/notes.ts'
import { order_list } from '../list.ts'
import { lookAt } from '../looking.ts'
import { markPaid } from '../manual/mark.ts'
import { MANUAL } from '../manual/provider.ts'
import { cancelOrder } from '../ordering.ts'
import { refundOrder } from '../refunding.ts'
import { wasPaid } from '../states.ts'
import type { Order, OrderRefund } from '../tables.ts'
import { isOfPlugin, lookByGateway } from './by-gateway.ts'
import { EXAMPLE, type OrderWork, orderFields, requireOrder, withOrder } from './parts.ts'
import { addShowCommand } from './show.ts'

const ORDER = `its number, or that of its bank transfer, such as ${EXAMPLE}`

const addList = listCommand(order_list, {
  name: 'list',
  row: 'order',
  rows: 'orders',
  empty_text: 'No orders.',
  summary: 'List orders.',
  description: 'List orders, newest first: who pays how much, by which payment method, and what it gives.',
  example: 'order list --state open --since 7d',
})

export function addOrderCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'order').description(
    'See payments of accounts, mark bank transfers as paid, and give money back.',
  )
  addList(group, deps)
  addShowCommand(group, deps)
  addCheck(group, deps)
  addMarkPaid(group, deps)
  addCancel(group, deps)
  addRefund(group, deps)
}

function addCheck(group: Command, deps: CliDeps): void {
  addExample(group.command('check').argument('<order>', ORDER), 'order check 12')
    .summary('Ask the payment method about an order now.')
    .description(
      'Ask the payment method what has become of an order now, and do what follows: credit it once, or note a refund or dispute. ' +
        'An order of a custom plugin is looked at by the running gateway.',
    )
    .action((text: string, _: object, command: Command) =>
      withOrder(text, command, deps, async ({ context, parts, order }) => {
        if (isOfPlugin(order.provider)) await lookByGateway(parts, order)
        else await lookAt(parts, order.id, { source: 'command', by: context.folder.by })
        const after = await requireOrder(parts.db, order.id, deps.now())
        const is_same = after.state === order.state
        context.answer(
          orderFields(after),
          is_same
            ? `Order ${order.id} is ${wordsOf(after)}, as before.`
            : `Order ${order.id}: ${wordsOf(order)} → ${wordsOf(after)}.${creditWords(order, after)}`,
        )
        if (after.attention) context.remark(`${after.attention.why} ${after.attention.advice}`)
      }),
    )
}

function addMarkPaid(group: Command, deps: CliDeps): void {
  addExample(
    group.command('mark-paid').argument('<order>', ORDER).argument('<amount>', 'what came, such as 25.00'),
    'order mark-paid TG-12-47130 25.00 --reference 2026-11-29/4711',
  )
    .option('--currency <code>', "such as EUR; the order's where absent")
    .requiredOption('--reference <text>', "the bank's number of the transfer; each pays one order")
    .summary('Mark an order as paid by a bank transfer.')
    .description(
      'Mark an order as paid by a bank transfer, which credits it once. The amount on the bank statement must be the order’s: ' +
        'another one credits nothing, and the order is listed as one to look at.',
    )
    .action(
      (
        text: string,
        amount: string,
        { reference, currency }: { reference: string; currency?: string },
        command: Command,
      ) =>
        withOrder(text, command, deps, async ({ context, parts, order }) => {
          const paid_in = currency?.toUpperCase() ?? order.currency
          const amount_minor = readAmount(amount, paid_in)
          await markPaid(parts, order.id, {
            amount_minor,
            currency: paid_in,
            reference,
            source: 'command',
            by: context.folder.by,
          })
          const after = await requireOrder(parts.db, order.id, deps.now())
          context.answer(orderFields(after), `Order ${order.id} is paid.${creditWords(order, after)}`)
        }),
    )
}

function addCancel(group: Command, deps: CliDeps): void {
  addExample(group.command('cancel').argument('<order>', ORDER), 'order cancel 12')
    .summary('Cancel an open order.')
    .description('Cancel an open order. A payment that comes all the same is credited.')
    .action((text: string, _: object, command: Command) =>
      withOrder(text, command, deps, async ({ context, parts, order }) => {
        await cancelOrder(parts, order.id, { source: 'command', by: context.folder.by })
        context.answer(
          orderFields(await requireOrder(parts.db, order.id, deps.now())),
          `Order ${order.id} is cancelled.`,
        )
      }),
    )
}

interface RefundOptions {
  intoDebt?: boolean
  endPlan?: boolean
  reason?: string
}

function addRefund(group: Command, deps: CliDeps): void {
  addExample(
    group
      .command('refund')
      .argument('<order>', ORDER)
      .argument('[amount]', 'in the currency of the order; all that is left where absent'),
    "order refund 12 10.00 --reason 'cancelled within 14 days'",
  )
    .option('--into-debt', 'take more than the free balance has: the rest becomes debt')
    .option('--end-plan', 'end the plan that it paid for: the refund comes out of its price')
    .option('--reason <text>', 'for the account, in its list of orders')
    .summary('Give the money of an order back.')
    .description(
      'Give a payment back, or a part of it: its credit leaves the balance first, then the payment method is asked. Where it refuses, the balance ' +
        'gets the credit back. A bank transfer you send back yourself.',
    )
    .action(
      (
        text: string,
        amount: string | undefined,
        { intoDebt = false, endPlan = false, reason = '' }: RefundOptions,
        command: Command,
      ) =>
        withOrder(text, command, deps, async (work) => {
          const { context, parts, order } = work
          checkNote(reason, 'reason')
          if (isOfPlugin(order.provider))
            throw conflict(
              `Order ${order.id} is paid by "${order.provider}", a payment method of a custom plugin, which the gateway alone runs. Refund it on the order's page in the console.`,
            )
          const amount_minor = amount === undefined ? null : readAmount(amount, order.currency)
          const request = {
            ...{ order_id: order.id, amount_minor, reason },
            ...{ into_debt: intoDebt, end_plan: endPlan },
          }
          const refund = await refundOrder(parts, request, {
            source: 'command',
            by: context.folder.by,
          }).catch(withAdvice)
          await answerRefund(work, refund, deps.now())
          if (refund.state === 'failed') throw new Exit(EXIT.failed)
        }),
    )
}

/** @throws what it is given, with the option that lets it through */
function withAdvice(thrown: unknown): never {
  if (thrown instanceof GatewayError && thrown.code === 'insufficient_balance')
    throw unprocessable(`${thrown.message} (--into-debt)`, { cause: thrown })
  throw thrown
}

async function answerRefund(
  { context, parts, order }: OrderWork,
  refund: OrderRefund,
  now_ms: number,
): Promise<void> {
  const after = await requireOrder(parts.db, order.id, now_ms)
  const amount = formatMinor(refund.amount_minor, order.currency)
  const taken = `${formatUsd(refund.debit_nanos)} USD`
  const sentences: Readonly<Record<OrderRefund['state'], string>> = {
    begun: `A refund of ${amount} has begun. A running gateway goes on with it.`,
    debited: `${taken} taken from ${order.account_name}. The payment method has not given ${amount} back yet: a running gateway asks it again.`,
    done: `${amount} of order ${order.id} refunded: ${taken} taken from ${order.account_name}.`,
    failed: `The payment method did not give ${amount} back. ${order.account_name} has the ${taken} on the balance again.`,
    cancelled: 'Nothing was refunded.',
  }
  const { id, state } = refund
  context.answer(
    { ...orderFields(after), refund: { id, state, amount, debit_usd: formatUsd(refund.debit_nanos) } },
    sentences[state],
  )
  if (state === 'done' && order.provider === MANUAL)
    context.remark(`Send ${amount} back to the payer from your bank account now.`)
}

/** @throws GatewayError invalid_request */
function readAmount(text: string, currency: string): number {
  const amount_minor = /^[A-Z]{3}$/.test(currency) ? parseMinor(text, currency) : undefined
  if (amount_minor === undefined || amount_minor === 0)
    throw invalidRequest(`"${text}" is not an amount in ${currency} above 0, such as 25.00.`)
  return amount_minor
}

const wordsOf = ({ state }: Pick<Order, 'state'>): string => state.replaceAll('_', ' ')

/** The credit of a payment that was just made. */
const creditWords = (before: Order, { account_name, ...after }: OrderWork['order']): string =>
  !wasPaid(before.state) && wasPaid(after.state)
    ? ` ${formatUsd(after.credit_nanos + after.bonus_nanos)} USD added to ${account_name}.`
    : ''
