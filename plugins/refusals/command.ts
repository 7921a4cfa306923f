// `refusals`: requests that were refused, and why.
import type { Command } from 'commander'
import { accountByName } from '../../src/access/accounts.ts'
import { keyByReference } from '../../src/access/keys.ts'
import { withSearch } from '../../src/app/command-line/arguments.ts'
import { type Context, contextOf } from '../../src/app/command-line/context.ts'
import { CSV_WORDS, type CsvRange, csvRange, pagesOf } from '../../src/app/command-line/csv-range.ts'
import { withDatabase } from '../../src/app/command-line/data-folder.ts'
import type { Column } from '../../src/app/command-line/table.ts'
import type { CliDeps } from '../../src/app/command-line/terminal.ts'
import { timeColumn } from '../../src/app/command-line/times.ts'
import type { Db } from '../../src/db/db.ts'
import type { PageRequest } from '../../src/db/page.ts'
import { time } from '../../src/http/views.ts'
import { REFUSAL_COLUMNS } from './csv.ts'
import { listRefusals, type RecordedRefusal, type RefusalFilter } from './listing.ts'
import { countRefused } from './sums.ts'

interface RefusalsOptions {
  account?: string
  key?: string
  model?: string
  since?: number
  until?: number
  limit: number
  before?: number
  csv?: boolean
}

export function addRefusalsCommand(program: Command, deps: CliDeps): void {
  const command = program
    .command('refusals')
    .summary('List refused requests, and why they were refused.')
    .description(
      'List refused requests of the last 30 days, newest first, with what their callers were told. ' +
        'At most 50 an hour of each account are listed; all are counted.',
    )
    .option('--account <name>', 'only this account')
    .option('--key <key>', 'only this key: its prefix or its number in `key list`')
    .option('--model <id>', 'only this model')
  withSearch(command, 'requests', 'request', deps.now)
    .option('--csv', CSV_WORDS)
    .action(async (options: RefusalsOptions, command: Command) => {
      const context = contextOf(command, deps)
      await withDatabase(context.folder, 'read', async (db) => {
        const filter = await filterOf(db, options)
        if (options.csv) await answerRefusalsCsv(context, db, filter, csvRange(command, options))
        else await answerPage(context, db, filter, { ...options, now_ms: deps.now() })
      })
    })
}

const filterOf = async (db: Db, { account, key, model, since, until }: RefusalsOptions) => ({
  account_id: account === undefined ? undefined : (await accountByName(db, account)).id,
  key_id: key === undefined ? undefined : (await keyByReference(db, key)).id,
  model,
  since_ms: since,
  until_ms: until,
})

async function answerRefusalsCsv(
  { answerCsv }: Context,
  db: Db,
  filter: RefusalFilter,
  range: CsvRange,
): Promise<void> {
  const pageAt = async (request: PageRequest) => {
    const { refusals: rows, next_cursor } = await listRefusals(db, filter, request)
    return { rows, next_cursor }
  }
  await answerCsv(REFUSAL_COLUMNS, pagesOf(pageAt, range))
}

async function answerPage(
  { answer, remark, tableOf }: Context,
  db: Db,
  filter: Awaited<ReturnType<typeof filterOf>>,
  { limit, before, now_ms }: Pick<RefusalsOptions, 'limit' | 'before'> & { now_ms: number },
): Promise<void> {
  const { refusals, next_cursor } = await listRefusals(db, filter, { limit, cursor: before })
  const { account_id, key_id, model, since_ms, until_ms } = filter
  const time = { from_ms: since_ms ?? 0, until_ms: until_ms ?? now_ms + 1 }
  // The kept sums do not tell models apart.
  const refused =
    model === undefined ? await countRefused(db, { account_id, key_id, ...time, span: 'hour' }) : null
  answer(
    { refusals: refusals.map(view), refused, next_cursor: next_cursor ?? null },
    tableOf(COLUMNS, refusals, 'No refused requests.'),
  )
  if (refused !== null && refused > refusals.length) remark(`Refused in all of this time: ${refused}.`)
  if (next_cursor !== undefined) remark(`More requests: add --before ${next_cursor}.`)
}

const COLUMNS: Column<RecordedRefusal>[] = [
  { head: 'ID', text: ({ id }) => String(id), right: true },
  timeColumn('TIME', ({ at_ms }) => at_ms),
  { head: 'ACCOUNT', text: ({ account_name }) => account_name, elastic: true },
  { head: 'KEY', text: ({ key_name }) => key_name, spare: 2, elastic: true },
  { head: 'MODEL', text: ({ model }) => model ?? '-', spare: 1, elastic: true },
  { head: 'STATUS', text: ({ status }) => String(status), right: true },
  { head: 'WHY', text: ({ sentence }) => sentence, elastic: true },
]

function view({ account_id, account_name, key_id, key_name, at_ms, ...refusal }: RecordedRefusal) {
  return { ...refusal, account: account_name, key: key_name, ...time('refused', at_ms) }
}
