// Command `account automatic-top-up`: shows, sets and turns off the automatic top-up of an account.
import type { Command } from 'commander'
import { accountByName } from '../../../src/access/accounts.ts'
import { amountReader } from '../../../src/app/command-line/arguments.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { requireCatalogue, withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup } from '../../../src/app/command-line/terminal.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import type { Db } from '../../../src/store/db.ts'
import { commandMethods } from '../commands/methods.ts'
import { readAmount } from '../read-amount.ts'
import { turnOff } from './deciding.ts'
import { setAutomaticTopUp } from './setting.ts'
import { topUpView } from './view.ts'

export function addAutomaticCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'account')
    .command('automatic-top-up')
    .description('Automatic top-up of an account: below some balance its saved card is charged.')
  addShow(group, deps)
  addSet(group, deps)
  addOff(group, deps)
}

type View = Awaited<ReturnType<typeof topUpView>>

const answerOf = (account: string, view: View): [object, string] => [
  { account, automatic_top_up: view ?? null },
  wordsOf(account, view),
]

function wordsOf(account: string, view: View): string {
  if (!view) return `${account} has no automatic top-up.`
  const { currency, below_usd, amount, month_limit, used_this_month, failures, failure } = view
  const what = `${amount} ${currency} below ${below_usd} USD, at most ${month_limit} ${currency} a month`
  const lines = [
    view.is_on ? `${account}: ${what}.` : `${account}: off (${view.off_reason}); it was ${what}.`,
    `This month: ${used_this_month} ${currency}.`,
    ...(failures > 0 ? [`${failures} in a row failed, the last one: ${failure}`] : []),
  ]
  return lines.join('\n')
}

function addShow(group: Command, deps: CliDeps): void {
  addExample(group.command('show <account>'), 'account automatic-top-up show alice')
    .summary('Show the automatic top-up of an account.')
    .description(
      'Show the automatic top-up of an account, what it has cost this month, and why the last payment failed.',
    )
    .action(async (account: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const view = await withDatabase(folder, 'read', async (db) => await viewOf(db, account, deps))
      answer(...answerOf(account, view))
    })
}

const viewOf = async (db: Db, account: string, { now }: Pick<CliDeps, 'now'>): Promise<View> =>
  await topUpView(db, (await accountByName(db, account)).id, now())

interface SetOptions {
  below: Nanos
  add: string
  currency: string
  atMost: string
}

function addSet(group: Command, deps: CliDeps): void {
  addExample(
    group.command('set <account>'),
    'account automatic-top-up set alice --below 5 --add 25 --at-most 100',
  )
    .requiredOption('--below <usd>', 'the free balance in USD below which a top-up is made', amountReader())
    .requiredOption('--add <amount>', 'what a top-up costs')
    .option('--currency <code>', 'of both amounts, such as EUR', 'USD')
    .requiredOption('--at-most <amount>', 'what all of a calendar month (UTC) may cost')
    .summary('Turn on the automatic top-up of an account, or change it.')
    .description(
      'Turn on the automatic top-up of an account, or change it. Somebody of the account must have saved a card, and agreed that it is charged without them.',
    )
    .action(async (account: string, options: SetOptions, command: Command) => {
      const context = contextOf(command, deps)
      const { folder, answer } = context
      const { catalogue } = await requireCatalogue(folder)
      const currency = options.currency.toUpperCase()
      const wanted = {
        currency,
        below_nanos: options.below,
        amount_minor: readAmount({ amount: options.add, currency }, 'amount'),
        month_limit_minor: readAmount({ amount: options.atMost, currency }, 'month_limit'),
      }
      const view = await withDatabase(folder, 'write', async (db) => {
        const { id: account_id } = await accountByName(db, account)
        const parts = commandMethods(deps, context, { db, catalogue })
        await db.begin((tx) => setAutomaticTopUp(tx, parts, { account_id, ...wanted }))
        return await viewOf(db, account, deps)
      })
      answer(...answerOf(account, view))
    })
}

function addOff(group: Command, deps: CliDeps): void {
  addExample(group.command('off <account>'), 'account automatic-top-up off alice')
    .summary('Turn off the automatic top-up of an account.')
    .description(
      'Turn off the automatic top-up of an account. A payment that is under way is still credited.',
    )
    .action(async (account: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const view = await withDatabase(folder, 'write', async (db) => {
        const { id } = await accountByName(db, account)
        await db.begin(async (tx) => {
          await tx.lock(id)
          await turnOff(tx, id, { reason: 'person', now_ms: deps.now() })
        })
        return await viewOf(db, account, deps)
      })
      answer(...answerOf(account, view))
    })
}
