// `audit-log`: who changed what, and when.
import { type Command, Option } from 'commander'
import { accountByName } from '../../src/access/accounts.ts'
import { withSearch } from '../../src/app/command-line/arguments.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { withDatabase } from '../../src/app/command-line/data-folder.ts'
import type { Column } from '../../src/app/command-line/table.ts'
import type { CliDeps } from '../../src/app/command-line/terminal.ts'
import { timeColumn } from '../../src/app/command-line/times.ts'
import { AREAS, type Area, titleOf } from '../../src/domain/actions.ts'
import { time } from '../../src/http/views.ts'
import { type ListedAction, listActions } from './listing.ts'

interface LogOptions {
  area?: Area
  since?: number
  until?: number
  limit: number
  before?: number
}

export function addAuditLogCommand(program: Command, deps: CliDeps): void {
  const command = program
    .command('audit-log [account]')
    .summary('List who changed what, and when.')
    .description(
      'List changes to accounts, keys, balances and the catalogue, sign-ins and backups, newest first: who made ' +
        'them, in the console or by a command, and what was there before. Kept for 400 days.',
    )
    .addOption(new Option('--area <area>', 'only these').choices(Object.keys(AREAS)))
  withSearch(command, 'changes', 'change', deps.now).action(
    async (account: string | undefined, options: LogOptions, command: Command) => {
      const { folder, answer, remark, tableOf } = contextOf(command, deps)
      const { area, since, until, limit, before } = options
      const { rows, next_cursor } = await withDatabase(folder, 'read', async (db) => {
        const account_id = account === undefined ? undefined : (await accountByName(db, account)).id
        const filter = { account_id, area, since_ms: since, until_ms: until }
        return listActions(db, filter, { limit, cursor: before })
      })
      answer(
        { actions: rows.map(actionView), next_cursor: next_cursor ?? null },
        tableOf(COLUMNS, rows, 'No changes.'),
      )
      if (next_cursor !== undefined) remark(`More changes: add --before ${next_cursor}.`)
    },
  )
}

const aboutOf = ({ account_name, key_name, subject }: ListedAction): string =>
  [account_name, key_name, subject].filter((name) => name !== null).join(' / ') || '-'

const byOf = ({ actor, command, machine_user, session_id }: ListedAction): string =>
  command !== null
    ? `${machine_user ?? 'command'}: ${command}`
    : session_id === null
      ? actor
      : `${actor}, session ${session_id}`

const COLUMNS: Column<ListedAction>[] = [
  { head: 'ID', text: ({ id }) => String(id), right: true },
  timeColumn('TIME', ({ created_at_ms }) => created_at_ms),
  { head: 'ACTION', text: ({ action }) => titleOf(action) },
  { head: 'FOR', text: aboutOf },
  { head: 'BY', text: byOf },
  {
    head: 'CHANGE',
    text: ({ before, after }) => [before, after].filter((json) => json !== null).join(' -> ') || '-',
    elastic: true,
  },
]

const actionView = ({ before, after, created_at_ms, ...action }: ListedAction) => ({
  ...action,
  ...time('created', created_at_ms),
  before: before === null ? null : JSON.parse(before),
  after: after === null ? null : JSON.parse(after),
})
