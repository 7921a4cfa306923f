// The database of a new-api or one-api as the source of a move-in. Its tables are only read.

import { invalidRequest } from '../../../src/domain/errors.ts'
import type { ChargedLine, LeftOut, MoveIn, OpenSource } from '../move-in.ts'
import type { SourceRow, SourceTables } from '../source/rows.ts'
import { readChannels, readDisabledModels } from './channels.ts'
import { decimalOf, fraction, isEqual } from './fraction.ts'
import { chargedLineOf, hasLog, newestLines, readHistory, recordedRatios } from './log.ts'
import { modelsOf } from './models.ts'
import { readSettings, type Settings } from './options.ts'
import { type Program, RatioBook } from './ratios.ts'
import { readUsers } from './users.ts'
import { textOf, wholeOf } from './values.ts'
import { readVouchers } from './vouchers.ts'

/** Number of newest lines to search for ratios that the settings lack. */
const RATIO_LINES = 10_000

/**
 * Opens a database of either program. Closing the source closes the tables; if opening fails, they stay open.
 *
 * @throws GatewayError invalid_request for a database of another program, including the other one of the two
 */
export async function openNewApi(
  tables: SourceTables,
  program: Program,
  { now_ms }: { now_ms: number },
): Promise<OpenSource> {
  await throwUnlessDatabaseOf(tables, program)
  const settings = await readSettings(tables.rows('options'))
  return {
    readMoveIn: () => readMoveIn(tables, program, settings, now_ms),
    readHistory: () => readHistory(tables, settings),
    readChargedLines: (limit) => chargedLines(tables, program, settings, limit),
    [Symbol.asyncDispose]: () => tables[Symbol.asyncDispose](),
  }
}

const REQUIRED_TABLES = ['users', 'tokens', 'channels', 'options']

async function throwUnlessDatabaseOf(tables: SourceTables, program: Program): Promise<void> {
  const columns = new Map<string, readonly string[]>()
  const missing: string[] = []
  for (const table of REQUIRED_TABLES) {
    const found = await tables.columnsOf(table)
    if (found) columns.set(table, found)
    else missing.push(table)
  }
  const { address } = tables
  if (missing.length > 0)
    throw invalidRequest(
      `${address} is not a database of ${program}: it has no table ${missing.join(', ')}. Check the file or address.`,
    )
  // new-api had these columns from its first versions; one-api has neither.
  const is_new_api =
    columns.get('users')?.includes('deleted_at') === true ||
    columns.get('tokens')?.includes('model_limits_enabled') === true
  const found: Program = is_new_api ? 'new-api' : 'one-api'
  if (found !== program)
    throw invalidRequest(`${address} is a database of ${found}. Import it with tollgate import ${found}.`)
}

async function readMoveIn(
  tables: SourceTables,
  program: Program,
  settings: Settings,
  now_ms: number,
): Promise<MoveIn> {
  const has_log = await hasLog(tables)
  const has_abilities = (await tables.columnsOf('abilities')) !== undefined
  const recorded = has_log ? await recordedRatios(newestLines(tables, RATIO_LINES)) : new Map<string, never>()
  const isDisabled = has_abilities ? await readDisabledModels(tables.rows('abilities')) : () => false
  const channels = await readChannels(program, tables.rows('channels'), isDisabled)
  const book = new RatioBook(program, settings, recorded)
  const models = modelsOf(channels.routes, book, { program, settings })
  const used = new Set(models.models.flatMap(({ routes }) => routes.map(({ provider }) => provider)))
  const users = await readUsers({
    users: tables.rows('users'),
    tokens: tables.rows('tokens'),
    settings,
    now_ms,
  })
  const vouchers = await readVouchers(rowsIfTableExists(tables, 'redemptions'), { ...settings, now_ms })
  return {
    source: program,
    accounts: users.accounts,
    providers: channels.providers.filter(({ name }) => used.has(name)),
    models: models.models,
    price_groups: users.price_groups,
    vouchers: vouchers.vouchers,
    left_out: [
      ...settings.left_out,
      ...unitNote(settings),
      ...users.left_out,
      ...channels.left_out,
      ...models.left_out,
      ...vouchers.left_out,
      ...(await subscriptionsLeftOut(tables, now_ms)),
      ...(has_log ? [] : [NO_LOG]),
    ],
  }
}

const NO_LOG: LeftOut = {
  kind: 'history',
  row: 'table logs',
  reason:
    'The database has no log. It may be in a separate database (LOG_SQL_DSN), or the version may be older than the log.',
}

const DEFAULT_UNIT = fraction('500000')

const unitNote = ({ quota_per_usd }: Settings): LeftOut[] =>
  isEqual(quota_per_usd, DEFAULT_UNIT)
    ? []
    : [
        {
          kind: 'settings',
          row: 'QuotaPerUnit',
          reason: `A USD is ${decimalOf(quota_per_usd)} of quota: each amount is cut to a whole nano-dollar.`,
        },
      ]

async function* chargedLines(
  tables: SourceTables,
  program: Program,
  settings: Settings,
  limit: number,
): AsyncGenerator<ChargedLine> {
  if (!(await hasLog(tables))) return
  for await (const row of newestLines(tables, limit)) {
    const line = chargedLineOf(row, program, settings)
    if (line) yield line
  }
}

/** Subscriptions: model/subscription.go of new-api in 2026. */
async function subscriptionsLeftOut(tables: SourceTables, now_ms: number): Promise<LeftOut[]> {
  let count = 0
  for await (const row of rowsIfTableExists(tables, 'user_subscriptions'))
    if (textOf(row, 'status') === 'active' && wholeOf(row, 'end_time') * 1000 > now_ms) count += 1
  const reason = 'Tollgate has no subscriptions: their users pay from a balance. Top up the rest by hand.'
  return count === 0 ? [] : [{ kind: 'subscriptions', row: `${count} active`, reason }]
}

async function* rowsIfTableExists(tables: SourceTables, table: string): AsyncGenerator<SourceRow> {
  if (await tables.columnsOf(table)) yield* tables.rows(table)
}
