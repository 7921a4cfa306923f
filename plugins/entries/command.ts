// `entries`: the movements of an account's balance.
import { type Command, Option } from 'commander'
import { accountByName } from '../../src/access/accounts.ts'
import { withSearch } from '../../src/app/command-line/arguments.ts'
import { type Context, contextOf } from '../../src/app/command-line/context.ts'
import { CSV_WORDS, csvRange, pagesOf } from '../../src/app/command-line/csv-range.ts'
import { withDatabase } from '../../src/app/command-line/data-folder.ts'
import { addExample } from '../../src/app/command-line/example.ts'
import type { Column } from '../../src/app/command-line/table.ts'
import type { CliDeps } from '../../src/app/command-line/terminal.ts'
import { timeColumn } from '../../src/app/command-line/times.ts'
import { usdColumn } from '../../src/app/commands/sum-columns.ts'
import { notFound } from '../../src/domain/errors.ts'
import { formatUsd } from '../../src/domain/money.ts'
import { money, time } from '../../src/http/views.ts'
import type { Page, PageRequest } from '../../src/store/page.ts'
import { ENTRY_COLUMNS } from './csv.ts'
import { ENTRY_KINDS, type EntryFilter, type ListedEntry, listEntries } from './listing.ts'

interface EntriesOptions {
  kind?: EntryFilter['kind']
  since?: number
  until?: number
  limit: number
  before?: number
  csv?: boolean
}

export function addEntriesCommand(program: Command, deps: CliDeps): void {
  const command = program
    .command('entries <account>')
    .summary("List an account's balance entries.")
    .description(
      "List an account's balance entries, newest first: top-ups and withdrawals with their notes, " +
        'charges, and debt paid by a top-up. UNPAID is the part of a charge that became debt.',
    )
    .addOption(new Option('--kind <kind>', 'only these').choices(ENTRY_KINDS))
  addExample(
    withSearch(command, 'entries', 'entry', deps.now),
    'entries alice --since 2026-11-01 --csv > entries.csv',
  )
    .option('--csv', CSV_WORDS)
    .action(async (account: string, options: EntriesOptions, command: Command) => {
      const context = contextOf(command, deps)
      const { kind, since, until, limit, before, csv } = options
      await withDatabase(context.folder, 'read', async (db) => {
        const account_id = (await accountByName(db, account)).id
        const pageAt = async (request: PageRequest) => {
          const page = await listEntries(db, { account_id, kind, since_ms: since, until_ms: until }, request)
          if (page) return page
          throw notFound(`Entry ${before} not found in account ${account}. Use a number from the column ID.`)
        }
        if (csv)
          await answerEntriesCsv(context, account, pagesOf(pageAt, csvRange(command, { limit, before })))
        else answerPage(context, await pageAt({ limit, cursor: before }))
      })
    })
}

async function answerEntriesCsv(
  { answerCsv }: Context,
  account_name: string,
  pages: AsyncIterable<readonly ListedEntry[]>,
): Promise<void> {
  await answerCsv(ENTRY_COLUMNS, named(pages, account_name))
}

async function* named(pages: AsyncIterable<readonly ListedEntry[]>, account_name: string) {
  for await (const rows of pages) yield rows.map((row) => ({ ...row, account_name }))
}

function answerPage({ answer, remark, tableOf }: Context, { rows, next_cursor }: Page<ListedEntry>): void {
  answer(
    { entries: rows.map(entryView), next_cursor: next_cursor ?? null },
    tableOf(COLUMNS, rows, 'No entries.'),
  )
  if (next_cursor !== undefined) remark(`More entries: add --before ${next_cursor}. TOTAL is for this page.`)
}

const COLUMNS: Column<ListedEntry>[] = [
  { head: 'ID', text: ({ id }) => String(id), right: true },
  timeColumn('TIME', ({ created_at_ms }) => created_at_ms),
  { head: 'KIND', text: ({ kind }) => kind },
  usdColumn('USD', ({ amount_nanos }) => amount_nanos),
  { head: 'UNPAID', text: ({ unpaid_nanos }) => (unpaid_nanos ? formatUsd(unpaid_nanos) : '-'), right: true },
  { head: 'CALL', text: ({ call_id }) => (call_id === null ? '-' : String(call_id)), right: true },
  { head: 'NOTE', text: ({ note, model }) => note || (model ?? ''), elastic: true },
]

function entryView({ account_id, amount_nanos, unpaid_nanos, created_at_ms, ...entry }: ListedEntry) {
  return {
    ...entry,
    ...money('amount', amount_nanos),
    ...money('unpaid', unpaid_nanos),
    ...time('created', created_at_ms),
  }
}
