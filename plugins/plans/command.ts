// Command `plan`: list months, and show, buy and cancel the plan of an account.
import type { Command } from 'commander'
import { accountByName, lockedAccount } from '../../src/access/accounts.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { requireCatalogue, withDatabase } from '../../src/app/command-line/data-folder.ts'
import { openMoneyMover } from '../../src/app/command-line/money.ts'
import { addExample, type CliDeps } from '../../src/app/command-line/terminal.ts'
import { listCommand } from '../../src/app/list/command.ts'
import { buyPlan } from './buying.ts'
import { cancelPlan } from './cancelling.ts'
import { month_list } from './list.ts'
import { planSettings } from './settings.ts'
import { planView } from './views.ts'

const addList = listCommand(month_list, {
  name: 'list',
  row: 'month',
  rows: 'months',
  empty_text: 'No plans were bought. `tollgate plan subscribe ACCOUNT PLAN` buys one for an account.',
  summary: 'List months of plans.',
  description: 'List the months of plans that accounts ordered, newest first, with what became of them.',
  example: 'plan list --state active',
})

export function addPlanCommands(program: Command, deps: CliDeps): void {
  const plan = program.command('plan').description('Plans: months that accounts pay for.')
  addList(plan, deps)
  addShow(plan, deps)
  addSubscribe(plan, deps)
  addCancel(plan, deps)
}

function addShow(plan: Command, deps: CliDeps): void {
  addExample(plan.command('show <account>'), 'plan show alice')
    .summary('Show the plan of an account.')
    .description('Show the plan of an account, with what is left of its limits.')
    .action(async (name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const view = await withDatabase(folder, 'read', async (db) =>
        planView(db, (await accountByName(db, name)).id, deps.now()),
      )
      const limits = view?.limits.map(
        ({ period, left_usd, limit_usd, resets_at }) =>
          `${period}: ${left_usd} of ${limit_usd} USD left${resets_at ? `, until ${resets_at}` : ''}`,
      )
      answer(
        { account: name, plan: view },
        view
          ? [`${view.title}, ${view.renews ? 'renews' : 'ends'} at ${view.ends_at}`, ...(limits ?? [])].join(
              '\n',
            )
          : `${name} has no plan.`,
      )
    })
}

function addSubscribe(plan: Command, deps: CliDeps): void {
  addExample(plan.command('subscribe <account> <plan>'), 'plan subscribe alice pro')
    .summary('Buy a plan for an account.')
    .description(
      'Buy a plan for an account from its balance. A dearer plan than it has begins at once, and the rest of the month is counted against its ' +
        'price; a cheaper one begins when the month ends.',
    )
    .action(async (name: string, plan_name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const offered = planSettings.of((await requireCatalogue(folder)).catalogue)
      await using mover = await openMoneyMover(folder)
      const withdraw = mover.move
      const { changes_at_ms } = await withDatabase(folder, 'write', async (db) => {
        const { id: account_id } = await accountByName(db, name)
        return await buyPlan({ db, withdraw, now: deps.now }, offered, {
          account_id,
          plan: plan_name,
          by: folder.by,
        })
      })
      const changes_at = changes_at_ms === null ? null : new Date(changes_at_ms).toISOString()
      answer(
        { account: name, plan: plan_name, changes_at },
        changes_at
          ? `${name} has the plan ${plan_name} from ${changes_at} on.`
          : `${name} has the plan ${plan_name}.`,
      )
    })
}

function addCancel(plan: Command, deps: CliDeps): void {
  addExample(plan.command('cancel <account>'), 'plan cancel alice')
    .summary('Cancel the plan of an account.')
    .description('Cancel the plan of an account: it ends with the month that is paid.')
    .action(async (name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const ends_ms = await withDatabase(folder, 'write', (db) =>
        db.begin(async (tx) => cancelPlan(tx, (await lockedAccount(tx, name)).id, deps.now())),
      )
      const ends_at = new Date(ends_ms).toISOString()
      answer({ account: name, ends_at }, `The plan of ${name} ends at ${ends_at}.`)
    })
}
