// `account limit`: the spend limits of an account by period, of all of its keys together.
import type { Command } from 'commander'
import { type BudgetChanges, changeAccountBudgets } from '../../../src/access/budgets.ts'
import { budgetsView } from '../../../src/access/limits-view.ts'
import { readLimit } from '../../../src/app/command-line/arguments.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { withDatabase } from '../../../src/app/command-line/data-folder.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import { addExample } from '../../../src/app/command-line/terminal.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import { defined } from '../../../src/utilities/defined.ts'

/** The new limit; null: none. In an object, since commander takes a null for an option without a value. */
interface Limit {
  to: Nanos | null
}

interface LimitOptions {
  limit5h?: Limit
  limitDay?: Limit
  limitWeek?: Limit
  limitMonth?: Limit
}

const readOrNone = (text: string): Limit => ({ to: text === 'none' ? null : readLimit(text) })

export function addAccountLimit(account: Command, deps: CliDeps): void {
  addExample(account.command('limit <name>'), 'account limit alice --limit-day 5 --limit-month 100')
    .summary('Change the spend limits of an account.')
    .description(
      'Change the spend limits of an account, for all of its keys together. Options that you leave out change nothing. ' +
        'Days, weeks and months are in UTC.',
    )
    .option('--limit-5h <usd>', 'spend limit for five hours from the first call, or none', readOrNone)
    .option('--limit-day <usd>', 'daily spend limit, or none', readOrNone)
    .option('--limit-week <usd>', 'weekly spend limit, from Monday, or none', readOrNone)
    .option('--limit-month <usd>', 'monthly spend limit, or none', readOrNone)
    .action(async (name: string, options: LimitOptions, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const changes: BudgetChanges = defined({
        '5h': options.limit5h?.to,
        day: options.limitDay?.to,
        week: options.limitWeek?.to,
        month: options.limitMonth?.to,
      })
      if (Object.keys(changes).length === 0)
        throw invalidRequest(
          'Nothing to change: give --limit-5h, --limit-day, --limit-week or --limit-month.',
        )
      const budgets = await withDatabase(folder, 'write', (db) =>
        changeAccountBudgets(db, name, changes, deps.now()),
      )
      answer(
        { account: name, spend_limits: budgetsView(budgets, deps.now()) },
        `Spend limits of ${name} changed.`,
      )
    })
}
