// Command `refund`: credits the charges of calls to their accounts, by request ids or by a filter.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { amountReader, withPeriod } from '../../../src/app/command-line/arguments.ts'
import { type Context, contextOf } from '../../../src/app/command-line/context.ts'
import { withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { openMoneyMover } from '../../../src/app/command-line/money.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { confirm, isYes } from '../../../src/app/commands/confirm.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'
import { formatUsd, type Nanos } from '../../../src/domain/money.ts'
import { checkNote } from '../../../src/domain/notes.ts'
import { type CallOutcome, FAILED_OUTCOMES, OUTCOMES } from '../../../src/domain/outcomes.ts'
import { money } from '../../../src/http/views.ts'
import type { CallFilter } from '../../../src/money/ledger/queries.ts'
import type { Db } from '../../../src/store/db.ts'
import { counted } from '../../../src/utilities/counted.ts'
import { statusesOf } from '../console/filter.ts'
import { type FilterOptions, filterOfOptions } from '../option-filter.ts'
import {
  checkRefund,
  MAX_CALLS,
  type Refund,
  refundableCalls,
  refundCall,
  refundCalls,
  requireCall,
} from './refunds.ts'

interface RefundFilter extends FilterOptions {
  outcome?: CallOutcome
  status?: { from: number; to: number }
  minCost?: Nanos
}

interface RefundOptions extends RefundFilter {
  amount?: Nanos
  reason: string
  yes?: boolean
}

export function addRefundCommand(program: Command, deps: CliDeps): void {
  const command = addExample(
    program.command('refund'),
    "refund --outcome broken --since 24h --reason 'outage of Sunday'",
  )
    .summary('Refund calls.')
    .description(
      'Credit accounts with what calls were charged, or a part of it. Debt is paid first. Name calls by their request ids, or choose ' +
        `them by a filter: at most ${MAX_CALLS} calls at once, after a question. Calls that are refunded already are left out.`,
    )
    .argument('[request-id...]', 'calls, by the ids of their requests')
    .option('--amount <usd>', 'a part of the charge, of each call that is named', amountReader())
    .option('--reason <text>', 'stored with the refund; the account holder sees it', '')
    .option('--account <name>', 'calls of this account')
    .option('--key <key>', 'calls of this key: its prefix or its number in `key list`')
    .option('--model <id>', 'calls of this model')
    .option('--provider <name>', 'calls that this provider served')
    .addOption(
      new Option('--outcome <outcome>', 'calls that ended so; broken: interrupted').choices([...OUTCOMES]),
    )
    .option('--status <code>', 'calls with this HTTP status: 429, or 4xx', readStatus)
    .option('--min-cost <usd>', 'calls that were charged at least this', amountReader())
  withPeriod(command, deps.now)
    .option('--yes', 'refund the calls of a filter without asking')
    .action(async (request_ids: string[], options: RefundOptions, command: Command) => {
      const { amount, reason, yes, ...filter } = options
      checkNote(reason, '--reason')
      const is_filtered = Object.keys(filter).length > 0
      if (request_ids.length > 0 === is_filtered)
        throw invalidRequest('Name calls by their request ids, or choose them by a filter such as --outcome.')
      if (is_filtered && amount !== undefined)
        throw invalidRequest('--amount: is for calls that are named. Those of a filter are refunded whole.')
      const context = contextOf(command, deps)
      if (is_filtered) await refundFiltered(context, deps, { filter, reason, yes })
      else
        await refundNamed(context, request_ids, {
          ...{ amount_nanos: amount ?? null, reason },
          now_ms: deps.now(),
        })
    })
}

/** @throws InvalidArgumentError */
function readStatus(text: string): { from: number; to: number } {
  if (/^[1-5](\d\d|xx)$/.test(text)) return statusesOf(text)
  throw new InvalidArgumentError('Write an HTTP status such as 429, or a class of them such as 4xx.')
}

/** Refunds all of the named calls, or none if one of them cannot be refunded. */
async function refundNamed(
  { folder, answer, warn }: Context,
  request_ids: readonly string[],
  requested: Pick<Refund, 'amount_nanos' | 'reason' | 'now_ms'>,
): Promise<void> {
  const calls = await withDatabase(folder, 'read', async (db) => {
    const found = []
    for (const request_id of new Set(request_ids)) found.push(await requireCall(db, request_id))
    return found
  })
  for (const call of calls) checkRefund(call, requested.amount_nanos)
  await using mover = await openMoneyMover(folder)
  const refunds = []
  try {
    for (const call of calls) {
      const { refunded_nanos } = await refundCall(mover.refund, call, { ...requested, by: folder.by })
      refunds.push({ request_id: call.request_id, account: call.account_name, refunded_nanos })
    }
  } catch (thrown) {
    // A repetition with the same ids would refund a part of the charge (--amount) a second time.
    if (refunds.length > 0)
      warn(
        `already refunded, leave out of a repetition: ${refunds.map(({ request_id }) => request_id).join(', ')}`,
      )
    throw thrown
  }
  answer(
    {
      refunds: refunds.map(({ refunded_nanos, ...refund }) => ({
        ...refund,
        ...money('refunded', refunded_nanos),
      })),
    },
    refunds
      .map(
        ({ request_id, account, refunded_nanos }) =>
          `${request_id}: ${formatUsd(refunded_nanos)} USD refunded to ${account}.`,
      )
      .join('\n'),
  )
}

async function refundFiltered(
  { folder, answer, json, remark }: Context,
  deps: CliDeps,
  { filter, reason, yes }: { filter: RefundFilter; reason: string; yes: boolean | undefined },
): Promise<void> {
  const found = await withDatabase(folder, 'read', async (db) =>
    refundableCalls(db, await filterOf(db, filter)),
  )
  const { calls, amount_nanos, has_more } = found
  const none = { calls: 0, ...money('amount', 0), skipped: 0 }
  if (calls.length === 0) return answer(none, 'No calls of this filter have anything to refund.')
  const accounts = new Set(calls.map(({ account_id }) => account_id)).size
  await confirm(deps, {
    yes,
    json,
    about: `${counted(calls.length, 'call')} of ${counted(accounts, 'account')}, ${formatUsd(amount_nanos)} USD.${has_more ? ` More match: these are the newest ${MAX_CALLS}.` : ''}`,
    prompt: 'Refund them? [y/N] ',
    agrees: isYes,
  })
  await using mover = await openMoneyMover(folder)
  const done = await withDatabase(folder, 'read', (db) =>
    refundCalls(
      { db, refund: mover.refund },
      calls.map(({ id }) => id),
      { reason, by: folder.by, now_ms: deps.now() },
    ),
  )
  answer(
    { calls: done.calls, ...money('amount', done.amount_nanos), skipped: done.skipped },
    `${counted(done.calls, 'call')} refunded, ${formatUsd(done.amount_nanos)} USD.`,
  )
  if (done.skipped > 0) remark(`${counted(done.skipped, 'call')} left out: refunded meanwhile.`)
  if (has_more) remark('More calls match. Run the command again for the next ones.')
}

async function filterOf(db: Db, { outcome, status, minCost, ...options }: RefundFilter): Promise<CallFilter> {
  return {
    ...(await filterOfOptions(db, options)),
    status,
    min_cost_nanos: minCost,
    // As in the lists, `failed` includes interrupted calls.
    outcomes: outcome === 'failed' ? FAILED_OUTCOMES : outcome && [outcome],
  }
}
