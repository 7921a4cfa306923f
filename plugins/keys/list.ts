// List of keys for the console, CSV files and the command line, without the texts of keys.

import { Type } from '@sinclair/typebox'
import { type ListedKey, listedKey, listKeyPage } from '../../src/access/key-listing.ts'
import { KEY_STATUSES, keyStatus, remainingOf } from '../../src/access/key-status.ts'
import { SpendLimitsView, spendLimitsView } from '../../src/access/limits-view.ts'
import { may } from '../../src/access/rights.ts'
import type { Viewer } from '../../src/access/viewer.ts'
import { localIso, shortDay } from '../../src/app/command-line/times.ts'
import {
  boolean,
  integer,
  money,
  nullableInteger,
  nullableMoney,
  nullableText,
  nullableTime,
  rowFor,
  tableOnly,
  text,
  time,
  word,
} from '../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList } from '../../src/app/list/list.ts'
import { Search } from '../../src/app/surface/console/fields.ts'
import type { BudgetPeriod } from '../../src/domain/budgets.ts'
import { formatUsd, type Nanos } from '../../src/domain/money.ts'
import { spendLimitsOf } from '../../src/domain/spend-limits.ts'
import { readZone, ZONE_PARAMETER } from '../../src/http/period.ts'
import { Nullable, OneOf } from '../../src/http/schema.ts'
import type { Db } from '../../src/store/db.ts'
import type { Key } from '../../src/store/schema.ts'
import { type KeyUsage, NOT_USED, usageOfKeys } from './key-usage.ts'

/** A key with its status at a time and its use. */
interface KeyRow extends ListedKey {
  /** The same as `id`: rows of lists name their key so. */
  key_id: number
  usage: KeyUsage
  now_ms: number
  /** Whether the viewer is signed in with this key. */
  own: boolean
}

export const MAY_MANAGE = Type.Boolean({
  description: 'whether the viewer may create, change, rotate and revoke keys',
})

const Texts = Nullable(Type.Array(Type.String()))

export const key_list = defineList<KeyRow>()({
  name: 'keys',
  field: 'keys',
  of: 'key',
  max_rows: 1_000,
  selects: ['account'],
  filters: {
    search: { schema: Search },
    status: { schema: OneOf([...KEY_STATUSES, 'usable']) },
    zone: { schema: ZONE_PARAMETER.zone },
  },
  columns: {
    id: integer(({ id }) => id, { table: { head: 'NO', right: true } }),
    prefix_head: tableOnly({ head: 'PREFIX', text: ({ prefix }) => prefix }),
    account_id: integer(({ account_id }) => account_id, { csv_name: false, command: false }),
    account: text(({ account_name }) => account_name, { table: { head: 'ACCOUNT', elastic: true } }),
    person_id: nullableInteger(({ person_id }) => person_id, { csv_name: false, command: false }),
    person: nullableText(({ person_name }) => person_name, {
      description: 'whose key it is; null: the account’s',
    }),
    name: text(({ name }) => name, { csv_name: 'key', table: { head: 'NAME', elastic: true } }),
    prefix: text(({ prefix }) => prefix, { csv_name: 'key_prefix' }),
    status: word(OneOf(KEY_STATUSES), (key) => keyStatus(key, key.now_ms), { table: { head: 'STATUS' } }),
    models: word(Texts, ({ models }) => models, { description: 'patterns of model ids; null: all' }),
    models_head: tableOnly({
      head: 'MODELS',
      text: ({ models }) => models?.join(',') ?? 'all',
      elastic: true,
    }),
    spent: money(({ spent_nanos }) => spent_nanos, { table: { head: 'SPENT' } }),
    limits_head: tableOnly({ head: 'LIMIT', text: (key) => limitsText(key), right: true, spare: 2 }),
    addresses_head: tableOnly({
      head: 'FROM',
      text: ({ addresses }) => addresses?.join(',') ?? 'anywhere',
      spare: 1,
    }),
    expires_head: tableOnly({
      head: 'EXPIRES',
      text: ({ expires_at_ms }) => (expires_at_ms === null ? 'never' : localIso(expires_at_ms)),
      narrow: ({ expires_at_ms }) => (expires_at_ms === null ? 'never' : shortDay(expires_at_ms)),
    }),
    addresses: word(Texts, ({ addresses }) => addresses, {
      description: 'addresses and CIDR blocks; null: anywhere',
      csv_name: false,
    }),
    spend_limit: nullableMoney(({ spend_limit_nanos }) => spend_limit_nanos),
    daily_limit: nullableMoney((key) => budgetOf(key, 'day'), { csv_name: false }),
    monthly_limit: nullableMoney((key) => budgetOf(key, 'month'), { csv_name: false }),
    five_hour_limit: nullableMoney((key) => budgetOf(key, '5h'), { csv_name: false }),
    weekly_limit: nullableMoney((key) => budgetOf(key, 'week'), { csv_name: false }),
    concurrent_calls: nullableInteger(({ concurrent_calls }) => concurrent_calls, { csv_name: false }),
    spend_limits: word(SpendLimitsView, (key) => spendLimitsView(key, key.now_ms), { csv_name: false }),
    held: money(({ held_nanos }) => held_nanos, { csv_name: false }),
    left: nullableMoney(remainingOf, { csv_name: false, command: false }),
    week_calls: integer(({ usage }) => usage.week_calls, { csv_name: 'calls_in_7_days', command: false }),
    week: money(({ usage }) => usage.week_nanos, { csv_name: 'spent_in_7_days_usd', command: false }),
    last_used: nullableTime(({ usage }) => usage.last_used_at_ms, { command: false }),
    expires: nullableTime(({ expires_at_ms }) => expires_at_ms),
    revoked: nullableTime(({ revoked_at_ms }) => revoked_at_ms),
    created: time(({ created_at_ms }) => created_at_ms),
    own: boolean(({ own }) => own, {
      description: 'whether it is the key that the viewer is signed in with',
      csv_name: false,
      command: false,
    }),
  },
  async read(db, filter, page, { now_ms, viewer }) {
    const { rows, next_cursor } = await listKeyPage(db, filter, page, now_ms)
    // The command has no columns of use.
    const usage = viewer && (await usageOfKeys(db, rows, now_ms, readZone(filter)))
    return {
      rows: rows.map((key) => keyRow(key, { usage: usage?.get(key.id), now_ms, viewer })),
      next_cursor,
    }
  },
  totals: {
    fields: { may_manage: MAY_MANAGE },
    read: (_db, _filter, { viewer }) => ({ may_manage: viewer !== undefined && may(viewer, 'manage_keys') }),
  },
})

export type KeyRowView = ConsoleRowOf<typeof key_list>

/** Returns the spend limit of a key for a period. */
export const budgetOf = ({ budgets }: Pick<ListedKey, 'budgets'>, period: BudgetPeriod): Nanos | null =>
  budgets.find((budget) => budget.period === period)?.limit_nanos ?? null

interface KeyState {
  usage?: KeyUsage | undefined
  now_ms: number
  viewer?: Viewer | undefined
}

export const keyRow = (key: ListedKey, { usage = NOT_USED, now_ms, viewer }: KeyState): KeyRow => ({
  ...key,
  key_id: key.id,
  usage,
  now_ms,
  own: viewer?.side === 'key' && viewer.key_id === key.id,
})

/** The fields of a key in the `--json` output of commands. */
export const keyFields = (key: ListedKey, now_ms: number) =>
  rowFor(key_list.columns, 'command', keyRow(key, { now_ms }))

/** Returns a key with the names of its account and person. */
export async function withOwner(db: Db, { id }: Key): Promise<ListedKey> {
  const key = await listedKey(db, id, undefined)
  if (!key) throw new Error(`there is no key ${id}`)
  return key
}

const PERIODS = { '5h': '/5h', day: '/d', week: '/wk', month: '/mo', total: '' }

/** The spend limits of a key: `5/d 100/mo 500`. */
const limitsText = (key: KeyRow): string =>
  spendLimitsOf(key, 0)
    .map(({ period, limit_nanos }) => `${formatUsd(limit_nanos)}${PERIODS[period]}`)
    .join(' ') || '-'
