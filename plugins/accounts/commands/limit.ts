// `account limit`: the spend limits of an account by period, for all of its keys together.
import type { Command } from 'commander'
import { changeAccountBudgets } from '../../../src/access/budgets.ts'
import { budgetsView } from '../../../src/access/limits-view.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { withDatabase } from '../../../src/app/command-line/data-folder.ts'
import {
  addLimitOptions,
  type LimitOptions,
  limitChangesOf,
} from '../../../src/app/command-line/limit-options.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'

export function addAccountLimit(account: Command, deps: CliDeps): void {
  addLimitOptions(
    addExample(account.command('limit <name>'), 'account limit alice --limit-day 5 --limit-month 100'),
  )
    .summary('Change the spend limits of an account.')
    .description(
      'Change the spend limits of an account, for all of its keys together. Options that you leave out change nothing. ' +
        'Days, weeks and months are in UTC.',
    )
    .action(async (name: string, options: LimitOptions, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const changes = limitChangesOf(options)
      const budgets = await withDatabase(folder, 'write', (db) =>
        changeAccountBudgets(db, name, changes, deps.now()),
      )
      answer(
        { account: name, spend_limits: budgetsView(budgets, deps.now()) },
        `Spend limits of ${name} changed.`,
      )
    })
}
