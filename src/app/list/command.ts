// A list as a command: its filters as options, its rows as a table, as JSON or as CSV.

import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import { Option } from 'commander'
import { accountByName } from '../../access/accounts.ts'
import { keyByReference } from '../../access/keys.ts'
import { type GatewayError, notFound } from '../../domain/errors.ts'
import type { Awaitable, Db } from '../../store/db.ts'
import type { Page, PageRequest } from '../../store/page.ts'
import { capital } from '../../utilities/capital.ts'
import { withSearch } from '../command-line/arguments.ts'
import { contextOf } from '../command-line/context.ts'
import { CSV_WORDS, csvRange, pagesOf } from '../command-line/csv-range.ts'
import { withDatabase } from '../command-line/data-folder.ts'
import { type AddCommand, addExample } from '../command-line/terminal.ts'
import { type Columns, csvFor, rowFor, tableColumnsOf } from './columns.ts'
import { checkOwner, type Filter, type FilterOf, type Filters, type List } from './list.ts'

interface ListCommand<Totals> {
  name: string
  summary: string
  description: string
  /** An example command line, without the program's name. */
  example: string
  /** The words for one row and for several: `request`, `requests`. */
  row: string
  rows: string
  /** The text printed if there are no rows. */
  empty_text: string
  /** Makes the account an argument instead of an option; `required`: a mandatory one. */
  account?: 'argument' | 'required'
  /** Returns a remark about the totals of a page. @param count the rows of the page */
  remark?: (totals: Totals, count: number) => string | undefined
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

export const listCommand =
  <Row, F extends Filters, C extends Columns<Row>, Fields extends TProperties>(
    list: List<string, Row, F, C, Fields>,
    about: ListCommand<Static<TObject<Fields>>>,
  ): AddCommand =>
  (program, deps) => {
    const { name, summary, description, row, rows } = about
    const columns = tableColumnsOf(list.columns)
    const is_argument = about.account !== undefined
    const command = program
      .command(`${name}${ARGUMENTS[about.account ?? 'option']}`)
      .summary(summary)
      .description(description)
    if (!is_argument) command.option('--account <name>', 'only this account')
    if (list.of === 'key')
      command.option('--key <key>', 'only this key: its prefix or its number in `key list`')
    for (const option of Object.values(list.filters).flatMap(optionOf)) command.addOption(option)
    addExample(withSearch(command, rows, row, deps.now), about.example)
      .option('--csv', CSV_WORDS)
      .action(async () => {
        const options = command.opts<ListOptions>()
        if (is_argument) options.account = command.args[0]
        const context = contextOf(command, deps)
        await withDatabase(context.folder, 'read', async (db) => {
          const filter = await filterOf(db, list, options)
          const reading = { now_ms: deps.now() }
          const pageAt = async (page: PageRequest) => {
            const found = await list.read(db, filter, page, reading)
            if (found) return { ...found, rows: [...checkOwner(list, filter, found.rows)] }
            throw noSuchRow(row, options)
          }
          if (options.csv) {
            const csv = csvFor(list.columns, 'operator', list.csv)
            return context.answerCsv(csv, pagesOf(pageAt, csvRange(command, options)))
          }
          const found = await pageAt({ limit: options.limit, cursor: options.before })
          const totals = await list.totals?.read(db, filter, reading)
          context.answer(
            {
              [list.field]: found.rows.map((each) => rowFor(list.columns, 'command', each)),
              ...totals,
              next_cursor: found.next_cursor ?? null,
            },
            context.tableOf(columns, found.rows, about.empty_text),
          )
          const remark = totals && about.remark?.(totals, found.rows.length)
          if (remark !== undefined) context.remark(remark)
          if (found.next_cursor !== undefined)
            context.remark(
              `More ${rows}: add --before ${found.next_cursor}.${columns.some(({ total }) => total) ? ' TOTAL is for this page.' : ''}`,
            )
        })
      })
  }

function noSuchRow(row: string, { before, account }: ListOptions): GatewayError {
  const where = account === undefined ? '' : ` in account ${account}`
  return notFound(`${capital(row)} ${before} not found${where}. Use a number from the column ID.`)
}

const ARGUMENTS = { option: '', argument: ' [account]', required: ' <account>' } as const

interface WholeListCommand<Row> {
  description: string
  example: string
  empty_text: string
  takes_account?: boolean
  order: (one: Row, other: Row) => number
}

/** Adds `list` to a group, such as `key`: it prints all rows at once. */
export const wholeListCommand =
  <Row, F extends Filters, C extends Columns<Row>, Fields extends TProperties, Named extends boolean>(
    list: List<string, Row, F, C, Fields, Named>,
    { description, example, empty_text, takes_account, order }: WholeListCommand<Row>,
  ): AddCommand =>
  (group, deps) => {
    const command = group.command(takes_account ? 'list [account]' : 'list').description(description)
    addExample(command, example).action(async () => {
      const { folder, answer, tableOf } = contextOf(command, deps)
      const [account] = command.args
      const rows = await withDatabase(folder, 'read', async (db) => {
        const filter = await filterOf(db, list, { account, limit: list.max_rows })
        const all = await allRows(list.max_rows, (page) =>
          list.read(db, filter, page, { now_ms: deps.now() }),
        )
        return [...checkOwner(list, filter, all)]
      })
      rows.sort(order)
      answer(
        { [list.field]: rows.map((row) => rowFor(list.columns, 'command', row)) },
        tableOf(tableColumnsOf(list.columns), rows, empty_text),
      )
    })
  }

async function allRows<Row>(
  limit: number,
  read: (page: PageRequest) => Awaitable<Page<Row> | undefined>,
): Promise<Row[]> {
  const all: Row[] = []
  let cursor: number | undefined
  do {
    const page = await read({ limit, cursor })
    all.push(...(page?.rows ?? []))
    cursor = page?.next_cursor
  } while (cursor !== undefined)
  return all
}

/** The filter's option, with choices if its schema is a union of words. */
function optionOf({ schema, option }: Filter): Option[] {
  if (!option) return []
  const [flag, help] = option
  const { anyOf }: TSchema = schema
  const words: unknown[] = Array.isArray(anyOf) ? anyOf.map(({ const: word }) => word) : []
  const added = new Option(flag, help)
  return [words.length === 0 ? added : added.choices(words.map(String))]
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
    key_ids: key === undefined ? undefined : [(await keyByReference(db, key)).id],
    since_ms: since,
    until_ms: until,
  } as FilterOf<F>
}
