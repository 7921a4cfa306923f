// Command `order refund`: shows the consequences of a refund, asks for confirmation, and refunds.
import type { Command } from 'commander'
import { addExample, type CliDeps, EXIT, Exit } from '../../../src/app/command-line/terminal.ts'
import { confirm, isYes } from '../../../src/app/commands/confirm.ts'
import { formatMinor } from '../../../src/domain/currencies.ts'
import { conflict, GatewayError, unprocessable } from '../../../src/domain/errors.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import { checkNote } from '../../../src/domain/notes.ts'
import { MANUAL } from '../manual/provider.ts'
import { previewRefund, type RefundPreview } from '../refund-preview.ts'
import { balanceTooLow, type RefundRequest, refundOrder } from '../refunding.ts'
import type { OrderRefund } from '../tables.ts'
import { isCustomMethod } from './by-gateway.ts'
import { amountArgument, ORDER, type OrderWork, orderFields, requireOrder, withOrder } from './parts.ts'

interface RefundOptions {
  intoDebt?: boolean
  endPlan?: boolean
  reason?: string
  yes?: boolean
}

export function addRefund(group: Command, deps: CliDeps): void {
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
    .option('--yes', 'refund without asking')
    .summary('Give the money of an order back.')
    .description(
      'Give a payment back, or a part of it, after a question that says what leaves the balance. The credit leaves it first, then the payment ' +
        'method is asked. Where it refuses, the balance gets the credit back. A bank transfer you send back yourself. A welcome credit that came ' +
        'with the payment is taken back by the gateway within a minute.',
    )
    .action((text: string, amount: string | undefined, options: RefundOptions, command: Command) =>
      withOrder(text, command, deps, async (work) => {
        const request = requestOf(work, amount, options)
        const { left_minor } = await confirmRefund(work, deps, request, options.yes)
        const { parts, context } = work
        const cause = { source: 'command', by: context.folder.by } as const
        const refund = await refundOrder(parts, { ...request, left_minor }, cause).catch(withAdvice)
        await answerRefund(work, refund, deps.now())
        if (refund.state === 'failed') throw new Exit(EXIT.failed)
      }),
    )
}

/** @throws GatewayError invalid_request; conflict for a payment method that runs only in the gateway */
function requestOf(
  { order }: OrderWork,
  amount: string | undefined,
  { intoDebt = false, endPlan = false, reason = '' }: RefundOptions,
): RefundRequest {
  checkNote(reason, 'reason')
  if (isCustomMethod(order.provider))
    throw conflict(
      `Order ${order.id} is paid by "${order.provider}", a payment method of a custom plugin, which only the gateway runs. Refund it on the order's page in the console.`,
    )
  const amount_minor = amount === undefined ? null : amountArgument(amount, order.currency)
  return { order_id: order.id, amount_minor, reason, into_debt: intoDebt, end_plan: endPlan }
}

/** Shows the consequences and asks for confirmation. @throws GatewayError as `previewRefund`, `debitRefund` and `confirm` */
async function confirmRefund(
  { context, parts, order }: OrderWork,
  deps: CliDeps,
  request: RefundRequest,
  yes: boolean | undefined,
): Promise<RefundPreview> {
  const preview = await previewRefund(parts, request)
  if (preview.lacking_nanos > 0 && !request.into_debt) withAdvice(balanceTooLow(preview.debit_nanos))
  await confirm(deps, {
    yes,
    json: context.json,
    about: consequences(order, preview, request),
    prompt: 'Refund it? [y/N] ',
    agrees: isYes,
  })
  return preview
}

function consequences(
  { id, currency, provider, account_name }: OrderWork['order'],
  { amount_minor, debit_nanos, lacking_nanos, balance_nanos, debt_nanos, fee_minor }: RefundPreview,
  { end_plan }: RefundRequest,
): string {
  const usd = (nanos: number) => `${formatUsd(nanos)} USD`
  const by = provider === MANUAL ? 'by a bank transfer that you make' : `by ${provider}`
  return [
    `${formatMinor(amount_minor, currency)} of order ${id} goes back to the payer, ${by}.`,
    ...(end_plan ? ['The plan that it paid for ends now, and its price pays for the refund.'] : []),
    `${usd(debit_nanos)} is taken from the balance of ${account_name}, which is then ${usd(balance_nanos)}.`,
    ...(lacking_nanos > 0 ? [`${usd(lacking_nanos)} of it becomes debt.`] : []),
    ...(debt_nanos > 0 ? [`The account then owes ${usd(debt_nanos)}.`] : []),
    ...(fee_minor !== null && fee_minor > 0
      ? [`The fee of the payment, ${formatMinor(fee_minor, currency)}, does not come back.`]
      : []),
  ].join(' ')
}

/** Rethrows an error; an insufficient balance with the option that allows it. */
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
    begun: `The refund of ${amount} has started. A running gateway completes it.`,
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
