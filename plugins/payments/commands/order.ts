// Command `order`: list, show, check, mark as paid, cancel and refund orders.
import type { Command } from 'commander'
import { addExample, type CliDeps, commandGroup } from '../../../src/app/command-line/terminal.ts'
import { listCommand } from '../../../src/app/list/command.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import { order_list } from '../list.ts'
import { markPaid } from '../manual/mark.ts'
import { cancelOrder } from '../ordering.ts'
import { refreshOrder } from '../refreshing.ts'
import { wasPaid } from '../states.ts'
import type { Order } from '../tables.ts'
import { isCustomMethod, refreshByGateway } from './by-gateway.ts'
import { amountArgument, ORDER, type OrderWork, orderFields, requireOrder, withOrder } from './parts.ts'
import { addRefund } from './refund.ts'
import { addShowCommand } from './show.ts'

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
      'Ask the payment method for the state of an order now, and apply it: credit it once, or record a refund or dispute. ' +
        'The running gateway checks orders of custom plugins.',
    )
    .action((text: string, _: object, command: Command) =>
      withOrder(text, command, deps, async ({ context, parts, order }) => {
        if (isCustomMethod(order.provider)) await refreshByGateway(parts, order)
        else await refreshOrder(parts, order.id, { source: 'command', by: context.folder.by })
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
    group.command('mark-paid').argument('<order>', ORDER).argument('<amount>', 'amount paid, such as 25.00'),
    'order mark-paid TG-12-47130 25.00 --reference 2026-11-29/4711',
  )
    .option('--currency <code>', "such as EUR; the order's where absent")
    .requiredOption('--reference <text>', "the bank's number of the transfer; each pays one order")
    .summary('Mark an order as paid by a bank transfer.')
    .description(
      'Mark an order as paid by a bank transfer, which credits it once. The amount on the bank statement must be the order’s: ' +
        'another one credits nothing, and the order is listed as one that needs attention.',
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
          const amount_minor = amountArgument(amount, paid_in)
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

const wordsOf = ({ state }: Pick<Order, 'state'>): string => state.replaceAll('_', ' ')

/** Describes the credit if the payment was made between the two states. */
const creditWords = (before: Order, { account_name, ...after }: OrderWork['order']): string =>
  !wasPaid(before.state) && wasPaid(after.state)
    ? ` ${formatUsd(after.credit_nanos + after.bonus_nanos)} USD added to ${account_name}.`
    : ''
