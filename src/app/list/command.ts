// A list as a command of the command line: its filters as options, its rows as a table, as JSON or as CSV.

import type { TProperties, TSchema } from '@sinclair/typebox'
import { Option } from 'commander'
import { accountByName } from '../../access/accounts.ts'
import { keyByReference } from '../../access/keys.ts'
import type { Db } from '../../db/db.ts'
import { withSearch } from '../command-line/arguments.ts'
import { contextOf } from '../command-line/context.ts'
import { CSV_WORDS, csvRange, pagesOf } from '../command-line/csv-range.ts'
import { withDatabase } from '../command-line/data-folder.ts'
import { addExample } from '../command-line/example.ts'
import type { AddCommand } from '../command-line/terminal.ts'
import { type Columns, csvFor, rowFor, tableColumnsOf } from './columns.ts'
import type { FilterOf, Filters, List } from './list.ts'

export interface ListCommand<Beside> {
  summary: string
  description: string
  /** A command line of it, without the program's name. */
  example: string
  /** Its account is an argument, and no option. */
  account?: 'argument'
  /** A remark about what stands beside the rows of a page. @param shown how many rows the page has */
  remark?: (beside: Beside, shown: number) => string | undefined
}

interface ListOptions extends Record<string, unknown> {
  account?: string | undefined
  key?: string
  since?: number
  until?: number
  limit: number
  before?: number
  csv?: boolean
}

/** The command of a list, called after it. */
export const listCommand =
  <Row, F extends Filters, C extends Columns<Row>, Fields extends TProperties>(
    list: List<string, Row, F, C, Fields>,
    about: ListCommand<BesideOf<Fields>>,
  ): AddCommand =>
  (program, deps) => {
    const is_argument = about.account === 'argument'
    const command = program
      .command(is_argument ? `${list.name} [account]` : list.name)
      .summary(about.summary)
      .description(about.description)
    if (!is_argument) command.option('--account <name>', 'only this account')
    command.option('--key <key>', 'only this key: its prefix or its number in `key list`')
    for (const [name, schema] of Object.entries(list.filters)) command.addOption(optionOf(name, schema))
    addExample(withSearch(command, list.rows, list.row, deps.now), about.example)
      .option('--csv', CSV_WORDS)
      .action(async () => {
        const given = command.opts<ListOptions>()
        const options = is_argument ? { ...given, account: command.args[0] } : given
        const context = contextOf(command, deps)
        const { answer, answerCsv, remark, tableOf } = context
        await withDatabase(context.folder, 'read', async (db) => {
          const filter = await filterOf(db, list, options)
          if (options.csv)
            return answerCsv(
              csvFor(list.columns, 'operator'),
              pagesOf(async (page) => list.read(db, filter, page), csvRange(command, options)),
            )
          const { rows, next_cursor } = await list.read(db, filter, {
            limit: options.limit,
            cursor: options.before,
          })
          const beside = await list.beside?.read(db, filter)
          const values = rows.map((row) => rowFor(list.columns, 'operator', row))
          answer(
            { [list.field]: values, ...beside, next_cursor: next_cursor ?? null },
            tableOf(tableColumnsOf(list.columns), rows, list.none),
          )
          const words = beside && about.remark?.(beside as BesideOf<Fields>, rows.length)
          if (words !== undefined) remark(words)
          if (next_cursor !== undefined) remark(`More ${list.rows}: add --before ${next_cursor}.`)
        })
      })
  }

type BesideOf<Fields extends TProperties> = { [Name in keyof Fields]: Fields[Name]['static'] }

/** A filter as an option: one of several words, or any text. */
function optionOf(name: string, { description = '', anyOf }: TSchema): Option {
  const words: unknown[] = Array.isArray(anyOf) ? anyOf.map(({ const: word }) => word) : []
  const option = new Option(`--${name} <${name}>`, description)
  return words.length === 0 ? option : option.choices(words.map(String))
}

/** @throws GatewayError not_found for an account or a key that does not exist */
async function filterOf<F extends Filters>(
  db: Db,
  { filters }: { filters: F },
  { account, key, since, until, ...rest }: ListOptions,
): Promise<FilterOf<F>> {
  const own = Object.fromEntries(Object.keys(filters).map((name) => [name, rest[name]]))
  return {
    ...own,
    account_id: account === undefined ? undefined : (await accountByName(db, account)).id,
    key_id: key === undefined ? undefined : (await keyByReference(db, key)).id,
    since_ms: since,
    until_ms: until,
  } as FilterOf<F>
}
