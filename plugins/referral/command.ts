// Command `referral`: list referrals, and show the link of an account.
import type { Command } from 'commander'
import { accountByName } from '../../src/access/accounts.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { requireCatalogue, withDatabase } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup } from '../../src/app/command-line/terminal.ts'
import { listCommand } from '../../src/app/list/command.ts'
import { formatUsd } from '../../src/domain/money.ts'
import { money } from '../../src/http/views.ts'
import { counted } from '../../src/utilities/counted.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import { referralCodeOf } from './binding.ts'
import { referral_list } from './list.ts'
import { listReferrals } from './listing.ts'

const addList = listCommand(referral_list, {
  name: 'list',
  row: 'referral',
  rows: 'referrals',
  empty_text: 'No referrals.',
  summary: 'List referrals.',
  description:
    'List who signed up by whose link, newest first, and what the referrers got of their payments.',
  example: 'referral list',
})

/** More than an account has. */
const MAX_SHOWN = 100_000

export function addReferralCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'referral').description('See who referred whom.')
  addList(group, deps)
  addExample(group.command('show <account>'), 'referral show alice')
    .description('Show the referral link of an account, and what it has earned.')
    .action(async (name: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { catalogue } = await requireCatalogue(folder)
      const { code, rows } = await withDatabase(folder, 'write', async (db) => {
        const { id } = await accountByName(db, name)
        const code = await referralCodeOf(db, id, { randomBytes: deps.randomBytes, now_ms: deps.now() })
        return { code, rows: (await listReferrals(db, { referrer_id: id }, { limit: MAX_SHOWN })).rows }
      })
      const url = `${withoutTrailing(catalogue.server.public_url ?? '', '/')}/console/sign-up?ref=${code}`
      const earned = rows.reduce((sum, { earned_nanos }) => sum + earned_nanos, 0)
      answer(
        { account: name, url, signed_up: rows.length, ...money('earned', earned) },
        `${url}\n${counted(rows.length, 'account')} signed up by it: ${formatUsd(earned)} USD earned.`,
      )
    })
}
