// `account`: create, list, show, suspend and resume accounts.
import type { Command } from 'commander'
import { type AccountDetails, detailsOf } from '../../../src/access/account-details.ts'
import { type ListedAccount, requireAccountNamed } from '../../../src/access/account-listing.ts'
import { createAccount, suspendAccount } from '../../../src/access/accounts.ts'
import { budgetsOfAccount } from '../../../src/access/budgets.ts'
import { reopenAccount } from '../../../src/access/closing.ts'
import { listKeyPage } from '../../../src/access/key-listing.ts'
import { keyStatus } from '../../../src/access/key-status.ts'
import { budgetsView } from '../../../src/access/limits-view.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { fields } from '../../../src/app/command-line/table.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { localIso } from '../../../src/app/command-line/times.ts'
import { wholeListCommand } from '../../../src/app/list/command.ts'
import type { Budget } from '../../../src/domain/budgets.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import { budgetLimits, type SpendLimit } from '../../../src/domain/spend-limits.ts'
import { money, time } from '../../../src/http/views.ts'
import { openingDebtsOf } from '../../../src/money/ledger/opening-debts.ts'
import type { Key, OpeningDebt, SuspensionReason } from '../../../src/store/schema.ts'
import { defined } from '../../../src/utilities/defined.ts'
import { keyFields } from '../../keys/index.ts'
import { account_list, accountFields } from '../list.ts'
import { addAccountChange, addRenameAndClose, detailLines } from './change.ts'
import { type GroupOption, groupIn, groupLine } from './group.ts'
import { addAccountLimit } from './limit.ts'

/** More keys than an account has. */
const MAX_KEYS = 1_000_000

const addList = wholeListCommand(account_list, {
  description: 'List accounts and their balances, in USD.',
  example: 'account list --json',
  empty_text: 'No accounts yet. `tollgate account create NAME` creates one.',
  order: (one, other) => one.id - other.id,
})

export function addAccountCommands(program: Command, deps: CliDeps): void {
  const account = program.command('account').description('Manage the accounts that pay for calls.')

  addExample(account.command('create <name>'), 'account create alice')
    .description('Create an account. It starts with no balance and no keys.')
    .option('--group <name>', 'the price group of the catalogue whose prices it pays')
    .action(async (name: string, options: GroupOption, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const price_group = await groupIn(options, folder)
      const made = await withDatabase(folder, 'make', async (db) => {
        await createAccount(db, { name, price_group: price_group ?? null, now_ms: deps.now() })
        return await requireAccountNamed(db, name)
      })
      answer(
        accountFields(made),
        `Account ${name} created. Next: tollgate credit ${name} 10, tollgate key create ${name}`,
      )
    })

  addList(account, deps)

  addExample(account.command('show <name>'), 'account show alice')
    .description('Show an account, its balance, limits and keys.')
    .action(async (name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { found, budgets, debts, keys, details } = await withDatabase(folder, 'read', async (db) => {
        const found = await requireAccountNamed(db, name)
        return {
          found,
          budgets: await budgetsOfAccount(db, found.id),
          debts: await openingDebtsOf(db, found.id),
          keys: (
            await listKeyPage(db, { account_id: found.id }, { limit: MAX_KEYS }, deps.now())
          ).rows.toReversed(),
          details: await detailsOf(db, found.id),
        }
      })
      answer(
        {
          ...accountFields(found),
          ...details,
          spend_limits: budgetsView(budgets, deps.now()),
          opening_debts: debts.map(openingDebtView),
          keys: keys.map((key) => keyFields(key, deps.now())),
        },
        describe(
          { account: found, group: await groupLine(found, folder), budgets, debts, keys, details },
          deps.now(),
        ),
      )
    })

  addAccountChange(account, deps)
  addAccountLimit(account, deps)
  addSuspendAndResume(account, deps)
  addRenameAndClose(account, deps)
}

function addSuspendAndResume(account: Command, deps: CliDeps): void {
  addExample(account.command('suspend <name>'), 'account suspend alice')
    .description(
      'Suspend an account: refuse its new calls. Running calls finish and are charged. Its people still sign in, to see why, and to pay.',
    )
    .option('--reason <text>', 'the reason in your words; the account’s people see it')
    .action(async (name: string, { reason: words }: { reason?: string }, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const changed = await withDatabase(folder, 'write', async (db) => {
        await suspendAccount(db, name, { ...defined({ words }), now_ms: deps.now() })
        return await requireAccountNamed(db, name)
      })
      answer(accountFields(changed), `Account ${name} is ${changed.status}.`)
    })

  addExample(account.command('resume <name>'), 'account resume alice')
    .description(
      'Resume a suspended or closed account. The keys, password and kept responses of a closed account stay deleted.',
    )
    .action(async (name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { account, was_closed } = await withDatabase(folder, 'write', async (db) => {
        const { was_closed } = await reopenAccount(db, name)
        return { account: await requireAccountNamed(db, name), was_closed }
      })
      answer(
        accountFields(account),
        was_closed ? `Account ${name} is active.\n${notBack(name)}` : `Account ${name} is active.`,
      )
    })
}

/** What closing deleted permanently, and the commands that create new ones. */
const notBack = (name: string): string =>
  [
    'Its revoked keys, password, sessions and kept responses stay deleted.',
    `Next: tollgate key create ${name}; for the console: tollgate account invite ${name}`,
  ].join('\n')

interface Described {
  account: ListedAccount
  group: [string, string][]
  budgets: readonly Budget[]
  debts: readonly OpeningDebt[]
  keys: readonly Key[]
  details: AccountDetails
}

function describe({ account, group, budgets, debts, keys, details }: Described, now_ms: number): string {
  const active = keys.filter((key) => keyStatus(key, now_ms) === 'active')
  return fields([
    ['name', account.name],
    ...detailLines(details),
    ['status', statusWords(account)],
    ...group,
    ['balance', `${formatUsd(account.balance_nanos)} USD`],
    ['held', `${formatUsd(account.held_nanos)} USD, for running calls`],
    ['debt', `${formatUsd(account.debt_nanos)} USD`],
    ...debts.map(openingDebtLine),
    ['created', localIso(account.created_at_ms)],
    ...budgetLimits(budgets, now_ms).map(limitLine),
    [
      'keys',
      active.length === 0
        ? 'none active'
        : active.map(({ name, prefix }) => `${name} (${prefix}…)`).join(', '),
    ],
  ])
}

const REASONS: Record<SuspensionReason, string> = {
  operator: 'by the operator',
  lost_dispute: 'lost dispute',
}

/** "suspended since 2026-11-30 10:00, by the operator: unpaid invoice" */
function statusWords({
  status,
  suspension_reason,
  suspension_words,
  suspended_at_ms,
}: ListedAccount): string {
  if (suspension_reason === null) return status
  const since = suspended_at_ms === null ? '' : ` since ${localIso(suspended_at_ms)}`
  const words = suspension_words === '' ? '' : `: ${suspension_words}`
  return `${status}${since}, ${REASONS[suspension_reason]}${words}`
}

const openingDebtLine = ({ amount_nanos, note, created_at_ms }: OpeningDebt): [string, string] => [
  'brought over',
  `${formatUsd(amount_nanos)} USD owed${note === '' ? '' : `, ${note}`}, ${localIso(created_at_ms)}`,
]

const openingDebtView = ({ amount_nanos, note, created_at_ms }: OpeningDebt) => ({
  ...money('amount', amount_nanos),
  note,
  ...time('created', created_at_ms),
})

const limitLine = ({ period, used_nanos, limit_nanos, resets_at_ms }: SpendLimit): [string, string] => [
  `limit ${period}`,
  `${formatUsd(used_nanos)} of ${formatUsd(limit_nanos)} USD used${resets_at_ms === null ? '' : `, until ${localIso(resets_at_ms)}`}`,
]
