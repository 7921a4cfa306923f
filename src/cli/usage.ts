// `usage`: recorded calls, or their sums by day.
import type { Database } from 'bun:sqlite'
import { type Command, Option } from 'commander'
import { accountByName } from '../access/accounts.ts'
import { keyByReference } from '../access/keys.ts'
import { formatUsd, type Nanos } from '../domain/money.ts'
import { outputTokens, promptTokens } from '../domain/usage.ts'
import { money, time } from '../http/views.ts'
import type { CallFilter } from '../ledger/call-filter.ts'
import { dayOf } from '../ledger/days.ts'
import { type CallPage, listCalls, type RecordedCall } from '../ledger/history.ts'
import { type DailySum, dailySums } from '../ledger/sums.ts'
import { readBound, readCount } from './arguments.ts'
import { contextOf } from './context.ts'
import { withDatabase } from './data-folder.ts'
import type { Column } from './table.ts'
import type { CliDeps } from './terminal.ts'
import { localIso, shortTime } from './times.ts'

interface UsageOptions {
  account?: string
  key?: string
  model?: string
  since?: number
  until?: number
  limit: number
  before?: number
  sums?: 'day'
  margin?: boolean
}

const NONE = 'No calls.'
/** How far back sums go by default, as in the API. */
const DEFAULT_SUMS_MS = 31 * 86_400_000
/** A search that few calls match ends after so many, about 100 ms. */
const MAX_CALLS_LOOKED_AT = 50_000

export function addUsageCommand(program: Command, deps: CliDeps): void {
  program
    .command('usage')
    .summary('List calls, or their sums by day.')
    .description('List calls, newest first; or, with --sums day, their sums by day. Days are in local time.')
    .option('--account <name>', 'only this account')
    .option('--key <key>', 'only this key: its prefix or its number in `key list`')
    .option('--model <id>', 'only this model')
    .option(
      '--since <when>',
      'from a date, a date and time, or a duration ago (24h)',
      readBound(deps.now, 'start'),
    )
    .option('--until <when>', 'up to the same; a date includes its whole day', readBound(deps.now, 'end'))
    .option('--limit <count>', 'calls per page', readCount(1_000), 50)
    .option('--before <id>', 'the page after the call with this id', readCount(Number.MAX_SAFE_INTEGER))
    .addOption(new Option('--sums <by>', 'sums by account, key and model').choices(['day']))
    .option('--margin', 'show what providers take of it, and what is left')
    .action((options: UsageOptions, command: Command) => {
      const { folder, answerWith, remark, tableOf } = contextOf(command, deps)
      if (options.sums) {
        const since =
          options.since ?? dayOf((options.until ?? deps.now()) - DEFAULT_SUMS_MS, 'local').start_ms
        const { sums } = withDatabase(folder, 'read', (db) =>
          dailySums(db, filterOf(db, { ...options, since }), { zone: 'local' }),
        )
        answerWith({
          value: () => ({ sums: sums.map(sumView) }),
          text: () => tableOf(options.margin ? SUM_MARGIN_COLUMNS : SUM_COLUMNS, sums, NONE),
        })
        if (options.margin && sums.length > 0) remark(SUM_MARGIN_WORDS)
        if (options.since === undefined)
          remark('These are the sums of 31 days: --since reaches further back.')
        return
      }
      const page = withDatabase(folder, 'read', (db) =>
        listCalls(
          db,
          filterOf(db, options),
          { limit: options.limit, cursor: options.before },
          MAX_CALLS_LOOKED_AT,
        ),
      )
      answerWith({
        value: () => pageView(page),
        text: () => tableOf(options.margin ? CALL_MARGIN_COLUMNS : CALL_COLUMNS, page.calls, NONE),
      })
      if (options.margin && page.calls.length > 0) remark(CALL_MARGIN_WORDS)
      if (page.next_cursor !== undefined) remark(`There are more calls: --before ${page.next_cursor}`)
    })
}

function filterOf(db: Database, { account, key, model, since, until }: UsageOptions): CallFilter {
  return {
    account_id: account === undefined ? undefined : accountByName(db, account).id,
    key_id: key === undefined ? undefined : keyByReference(db, key).id,
    model,
    since_ms: since,
    until_ms: until,
  }
}

const CALL_ID: Column<RecordedCall> = { head: 'ID', text: ({ id }) => String(id), right: true }
const STARTED: Column<RecordedCall> = {
  head: 'STARTED',
  text: ({ started_at_ms }) => localIso(started_at_ms),
  narrow: ({ started_at_ms }) => shortTime(started_at_ms),
}

const CALL_COLUMNS: Column<RecordedCall>[] = [
  CALL_ID,
  STARTED,
  { head: 'ACCOUNT', text: ({ account_name }) => account_name, elastic: true },
  { head: 'KEY', text: ({ key_name }) => key_name, spare: 4, elastic: true },
  { head: 'MODEL', text: ({ model }) => model, elastic: true },
  { head: 'OUTCOME', text: ({ outcome }) => outcome },
  { head: 'STATUS', text: ({ status }) => String(status), right: true, spare: 1 },
  { head: 'IN', text: (call) => String(promptTokens(call)), right: true },
  { head: 'OUT', text: (call) => String(outputTokens(call)) + (call.estimated ? '~' : ''), right: true },
  { head: 'IMAGES', text: ({ images }) => (images > 0 ? String(images) : '-'), right: true, spare: 3 },
  { head: 'USD', text: ({ cost_nanos }) => formatUsd(cost_nanos), right: true },
  { head: 'MS', text: ({ duration_ms }) => String(duration_ms), right: true, spare: 2 },
]

const CALL_MARGIN_WORDS =
  'TAKEN: what the provider takes; MARGIN: what is left of USD. -: not known, as without a cost of the route.'

const CALL_MARGIN_COLUMNS: Column<RecordedCall>[] = [
  CALL_ID,
  STARTED,
  { head: 'ACCOUNT', text: ({ account_name }) => account_name, elastic: true },
  { head: 'MODEL', text: ({ model }) => model, elastic: true },
  { head: 'PROVIDER', text: ({ provider }) => provider || '-', elastic: true, spare: 1 },
  { head: 'USD', text: ({ cost_nanos }) => formatUsd(cost_nanos), right: true },
  {
    head: 'TAKEN',
    text: ({ provider_cost_nanos: taken }) => (taken === null ? '-' : formatUsd(taken)),
    right: true,
  },
  {
    head: 'MARGIN',
    text: ({ cost_nanos, provider_cost_nanos: taken }) =>
      taken === null ? '-' : formatUsd(cost_nanos - taken),
    right: true,
  },
]

const SUM_MARGIN_WORDS =
  'KNOWN: what those calls paid whose provider cost is known; TAKEN: that cost; MARGIN: what is left of KNOWN.'

/** An amount that is only told where the cost of some call is known: 0 would say that it was free. */
const ofKnown =
  (amount: (sum: DailySum) => Nanos) =>
  (sum: DailySum): string =>
    sum.known_revenue_nanos === 0 && sum.provider_cost_nanos === 0 ? '-' : formatUsd(amount(sum))

const SUM_MARGIN_COLUMNS: Column<DailySum>[] = [
  { head: 'DAY', text: ({ day }) => day },
  { head: 'ACCOUNT', text: ({ account_name }) => account_name, elastic: true },
  { head: 'MODEL', text: ({ model }) => model, elastic: true },
  { head: 'CALLS', text: ({ calls }) => String(calls), right: true, spare: 2 },
  { head: 'USD', text: ({ cost_nanos }) => formatUsd(cost_nanos), right: true },
  {
    head: 'KNOWN',
    text: ofKnown(({ known_revenue_nanos }) => known_revenue_nanos),
    right: true,
    spare: 1,
  },
  { head: 'TAKEN', text: ofKnown(({ provider_cost_nanos }) => provider_cost_nanos), right: true },
  {
    head: 'MARGIN',
    text: ofKnown(
      ({ known_revenue_nanos, provider_cost_nanos }) => known_revenue_nanos - provider_cost_nanos,
    ),
    right: true,
  },
]

const SUM_COLUMNS: Column<DailySum>[] = [
  { head: 'DAY', text: ({ day }) => day },
  { head: 'ACCOUNT', text: ({ account_name }) => account_name, elastic: true },
  { head: 'KEY', text: ({ key_name }) => key_name, spare: 4, elastic: true },
  { head: 'MODEL', text: ({ model }) => model, elastic: true },
  { head: 'CALLS', text: ({ calls }) => String(calls), right: true },
  { head: 'IN', text: (sum) => String(promptTokens(sum)), right: true },
  { head: 'OUT', text: (sum) => String(outputTokens(sum)), right: true },
  { head: 'IMAGES', text: ({ images }) => (images > 0 ? String(images) : '-'), right: true, spare: 3 },
  { head: 'USD', text: ({ cost_nanos }) => formatUsd(cost_nanos), right: true },
]

function pageView({ calls, next_cursor }: CallPage) {
  return { calls: calls.map(callView), next_cursor: next_cursor ?? null }
}

/** `price` is the applied price as it was stored; null where nothing was charged. */
function callView(call: RecordedCall) {
  const { account_id, account_name, key_id, key_name, key_prefix, price, ...row } = call
  const { streamed, estimated, hold_nanos, cost_nanos, unpaid_nanos, provider_cost_nanos, ...rest } = row
  const { started_at_ms, ...plain } = rest
  return {
    ...plain,
    account: account_name,
    key: key_name,
    key_prefix,
    streamed: streamed === 1,
    estimated: estimated === 1,
    ...money('hold', hold_nanos),
    ...money('cost', cost_nanos),
    ...money('unpaid', unpaid_nanos),
    ...money('provider_cost', provider_cost_nanos),
    ...money('margin', provider_cost_nanos === null ? null : cost_nanos - provider_cost_nanos),
    price: price === '' ? null : JSON.parse(price),
    ...time('started', started_at_ms),
  }
}

/** The margin is that of the calls of which it is known what their providers take. */
function sumView({ account_id, account_name, key_id, key_name, ...sum }: DailySum) {
  const { cost_nanos, unpaid_nanos, provider_cost_nanos, known_revenue_nanos, ...plain } = sum
  return {
    ...plain,
    account: account_name,
    key: key_name,
    ...money('cost', cost_nanos),
    ...money('unpaid', unpaid_nanos),
    ...money('provider_cost', provider_cost_nanos),
    ...money('known_revenue', known_revenue_nanos),
    ...money('margin', known_revenue_nanos - provider_cost_nanos),
  }
}
