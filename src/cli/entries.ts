// `entries`: the movements of an account's balance.
import { type Command, Option } from 'commander'
import { accountByName } from '../access/accounts.ts'
import { notFound } from '../domain/errors.ts'
import { formatUsd } from '../domain/money.ts'
import { money, time } from '../http/views.ts'
import { ENTRY_KINDS, type EntryFilter, type ListedEntry, listEntries } from '../ledger/entries.ts'
import { readBound, readCount } from './arguments.ts'
import { contextOf } from './context.ts'
import { withDatabase } from './data-folder.ts'
import { type Column, table } from './table.ts'
import type { CliDeps } from './terminal.ts'
import { localIso } from './times.ts'

interface EntriesOptions {
  kind?: EntryFilter['kind']
  since?: number
  until?: number
  limit: number
  before?: number
}

export function addEntriesCommand(program: Command, deps: CliDeps): void {
  program
    .command('entries <account>')
    .summary("List the movements of an account's balance.")
    .description(
      "List the movements of an account's balance, newest first: top-ups and withdrawals with their notes, " +
        'charges of calls, and debt that a top-up paid. What a call left unpaid became debt.',
    )
    .addOption(new Option('--kind <kind>', 'only these').choices(ENTRY_KINDS))
    .option(
      '--since <when>',
      'from a date, a date and time, or a duration ago (24h)',
      readBound(deps.now, 'start'),
    )
    .option('--until <when>', 'up to the same; a date includes its whole day', readBound(deps.now, 'end'))
    .option('--limit <count>', 'entries per page', readCount(1_000), 50)
    .option('--before <id>', 'the page after the entry with this id', readCount(Number.MAX_SAFE_INTEGER))
    .action((account: string, options: EntriesOptions, command: Command) => {
      const { folder, answerWith, remark } = contextOf(command, deps)
      const { kind, since, until, limit, before } = options
      const page = withDatabase(folder, 'read', (db) =>
        listEntries(
          db,
          { account_id: accountByName(db, account).id, kind, since_ms: since, until_ms: until },
          { limit, cursor: before },
        ),
      )
      if (!page) throw notFound(`The account ${account} has no entry ${before}: see the numbers in ID.`)
      answerWith({
        value: () => ({ entries: page.rows.map(entryView), next_cursor: page.next_cursor ?? null }),
        text: () => table(COLUMNS, page.rows, 'No entries.'),
      })
      if (page.next_cursor !== undefined) remark(`There are more entries: --before ${page.next_cursor}`)
    })
}

const COLUMNS: Column<ListedEntry>[] = [
  { head: 'ID', text: ({ id }) => String(id), right: true },
  { head: 'TIME', text: ({ created_at_ms }) => localIso(created_at_ms) },
  { head: 'KIND', text: ({ kind }) => kind },
  { head: 'USD', text: ({ amount_nanos }) => formatUsd(amount_nanos), right: true },
  { head: 'UNPAID', text: ({ unpaid_nanos }) => (unpaid_nanos ? formatUsd(unpaid_nanos) : '-'), right: true },
  { head: 'CALL', text: ({ call_id }) => (call_id === null ? '-' : String(call_id)), right: true },
  { head: 'NOTE', text: ({ note, model }) => note || (model ?? '') },
]

function entryView({ account_id, amount_nanos, unpaid_nanos, created_at_ms, ...entry }: ListedEntry) {
  return {
    ...entry,
    ...money('amount', amount_nanos),
    ...money('unpaid', unpaid_nanos),
    ...time('created', created_at_ms),
  }
}
