// Migrations of the tables on PostgreSQL: numbered like those of SQLite, each applied once.
// Imported as text, so that they are part of the compiled binary.
import several_gateways from './0028_several_gateways.sql' with { type: 'text' }
import bucket_marks from './0029_bucket_marks.sql' with { type: 'text' }
import shared_catalogues from './0030_shared_catalogues.sql' with { type: 'text' }
import budgets from './0031_budgets.sql' with { type: 'text' }
import moved_in from './0032_moved_in.sql' with { type: 'text' }
import imports from './0033_imports.sql' with { type: 'text' }
import refunds from './0034_refunds.sql' with { type: 'text' }
import health_states from './0035_health_states.sql' with { type: 'text' }
import billing_details from './0036_billing_details.sql' with { type: 'text' }
import sums_by_route from './0037_sums_by_route.sql' with { type: 'text' }
import people from './0038_people.sql' with { type: 'text' }
import mails from './0039_mails.sql' with { type: 'text' }
import status_page from './0040_status_page.sql' with { type: 'text' }
import proofs_and_links from './0041_proofs_and_links.sql' with { type: 'text' }
import sign_ups from './0042_sign_ups.sql' with { type: 'text' }
import keys_of_people from './0043_keys_of_people.sql' with { type: 'text' }
import identities from './0044_identities.sql' with { type: 'text' }
import invitations from './0045_invitations.sql' with { type: 'text' }
import passkeys from './0046_passkeys.sql' with { type: 'text' }
import budgets_of_people from './0047_budgets_of_people.sql' with { type: 'text' }
import orders from './0048_orders.sql' with { type: 'text' }
import plans from './0049_plans.sql' with { type: 'text' }
import vouchers from './0050_vouchers.sql' with { type: 'text' }
import order_requests from './0051_order_requests.sql' with { type: 'text' }
import payment_customers from './0052_payment_customers.sql' with { type: 'text' }
import price_groups from './0053_price_groups.sql' with { type: 'text' }
import referrals from './0054_referrals.sql' with { type: 'text' }
import covered_calls from './0055_covered_calls.sql' with { type: 'text' }
import automatic_top_ups from './0056_automatic_top_ups.sql' with { type: 'text' }
import covered_sums from './0057_covered_sums.sql' with { type: 'text' }
import account_suspensions from './0058_account_suspensions.sql' with { type: 'text' }
import plans_by_card from './0059_plans_by_card.sql' with { type: 'text' }
import holds_of_accounts from './0060_holds_of_accounts.sql' with { type: 'text' }
import audit_marks from './0061_audit_marks.sql' with { type: 'text' }
import base from './base.sql' with { type: 'text' }
import { type Connection, SCHEMA } from './connection.ts'
import { isBusy } from './failure.ts'
import { LOCKS } from './lock-numbers.ts'

interface Migration {
  /** The version of the SQLite migration that does the same. */
  version: number
  sql: string
  /** The lowest version that a program must have to use the migrated tables. */
  readable_from: number
}

/** In order. The first creates all tables as they were on SQLite at that version. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 27, sql: base, readable_from: 27 },
  { version: 28, sql: several_gateways, readable_from: 28 },
  { version: 29, sql: bucket_marks, readable_from: 28 },
  { version: 30, sql: shared_catalogues, readable_from: 28 },
  { version: 31, sql: budgets, readable_from: 31 },
  { version: 32, sql: moved_in, readable_from: 32 },
  { version: 33, sql: imports, readable_from: 33 },
  { version: 34, sql: refunds, readable_from: 34 },
  { version: 35, sql: health_states, readable_from: 34 },
  { version: 36, sql: billing_details, readable_from: 34 },
  { version: 37, sql: sums_by_route, readable_from: 37 },
  { version: 38, sql: people, readable_from: 38 },
  { version: 39, sql: mails, readable_from: 39 },
  { version: 40, sql: status_page, readable_from: 39 },
  { version: 41, sql: proofs_and_links, readable_from: 41 },
  { version: 42, sql: sign_ups, readable_from: 42 },
  { version: 43, sql: keys_of_people, readable_from: 43 },
  { version: 44, sql: identities, readable_from: 44 },
  { version: 45, sql: invitations, readable_from: 45 },
  { version: 46, sql: passkeys, readable_from: 46 },
  { version: 47, sql: budgets_of_people, readable_from: 47 },
  { version: 48, sql: orders, readable_from: 48 },
  { version: 49, sql: plans, readable_from: 49 },
  { version: 50, sql: vouchers, readable_from: 49 },
  { version: 51, sql: order_requests, readable_from: 51 },
  { version: 52, sql: payment_customers, readable_from: 52 },
  { version: 53, sql: price_groups, readable_from: 53 },
  { version: 54, sql: referrals, readable_from: 53 },
  { version: 55, sql: covered_calls, readable_from: 55 },
  { version: 56, sql: automatic_top_ups, readable_from: 56 },
  { version: 57, sql: covered_sums, readable_from: 57 },
  { version: 58, sql: account_suspensions, readable_from: 58 },
  { version: 59, sql: plans_by_card, readable_from: 59 },
  { version: 60, sql: holds_of_accounts, readable_from: 59 },
  { version: 61, sql: audit_marks, readable_from: 59 },
]

export const NEWEST = MIGRATIONS.at(-1)?.version ?? 0

/**
 * How long a statement waits for the users of its table. Later statements, such as the calls of a running gateway, wait behind it: so it
 * gives up sooner than they do, lets them pass, and tries again.
 */
const MAX_WAIT = '1s'
const PAUSE_MS = 1_000
const MAX_TRYING_MS = 600_000

export interface Version {
  version: number
  readable_from: number
}

/**
 * Applies the migrations that a database lacks, all or none, while gateways run. If two programs do this at the same time, one waits for
 * the other.
 *
 * @returns how many this call applied
 * @throws Error if a newer program changed the tables, or others keep them locked; StatementError; StorageFailure
 */
export async function migrate(
  connection: Connection,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<number> {
  if ((await versionOf(connection)).version === migrations.at(-1)?.version) return 0
  const began_ms = performance.now()
  for (;;)
    try {
      return await connection.patiently(() => migrateOnce(connection, migrations))
    } catch (thrown) {
      if (!isBusy(thrown)) throw thrown
      if (performance.now() - began_ms > MAX_TRYING_MS) throw heldByOthers(thrown)
      await Bun.sleep(PAUSE_MS)
    }
}

async function migrateOnce(connection: Connection, migrations: readonly Migration[]): Promise<number> {
  await connection.script(
    `BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '600s'; SELECT pg_advisory_xact_lock(${LOCKS.migration});
     SET LOCAL lock_timeout = '${MAX_WAIT}'`,
  )
  try {
    const applied = await applyLacking(connection, migrations)
    await connection.ask('COMMIT')
    return applied
  } catch (thrown) {
    if (!connection.isLost) await connection.ask('ROLLBACK')
    throw thrown
  }
}

async function applyLacking(connection: Connection, migrations: readonly Migration[]): Promise<number> {
  const found = await versionOf(connection)
  refuseNewer(found)
  const lacking = migrations.filter(({ version }) => version > found.version)
  if (found.version === 0) await connection.ask(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`)
  for (const { sql, version, readable_from } of lacking) {
    await connection.script(sql)
    await connection.ask(`UPDATE ${SCHEMA}.schema SET version = $1, readable_from = $2`, [
      version,
      readable_from,
    ])
  }
  return lacking.length
}

const heldByOthers = (cause: unknown): Error =>
  new Error(
    'The tables cannot be brought up to date, since other transactions have used them for ten minutes: end those that are open for long ' +
      '(pg_stat_activity), and start again. Nothing was changed.',
    { cause },
  )

/** Returns the tables' version; both numbers 0 without tables. */
export async function versionOf(connection: Connection): Promise<Version> {
  const [[is_there] = []] = (await connection.ask('SELECT to_regclass($1) IS NOT NULL', [`${SCHEMA}.schema`]))
    .rows
  if (!is_there) return { version: 0, readable_from: 0 }
  const [[version, readable_from] = []] = (
    await connection.ask(`SELECT version, readable_from FROM ${SCHEMA}.schema`)
  ).rows
  return { version: Number(version), readable_from: Number(readable_from) }
}

/** @throws Error that names both versions and the remedy */
export function refuseNewer(found: Version): void {
  if (isReadable(found)) return
  throw new Error(
    `The database is at version ${found.version}, and this program knows versions up to ${NEWEST}. ` +
      'A newer program wrote it: run that one, or restore an older backup.',
  )
}

/** Whether this program can use the tables, if they are not older than it. */
export const isReadable = ({ readable_from }: Pick<Version, 'readable_from'>): boolean =>
  readable_from <= NEWEST

/** The tables are of an older version, or missing. */
export class OlderTables extends Error {}

/** @throws OlderTables with the remedy */
export function refuseOlder({ version }: Version): void {
  if (version >= NEWEST) return
  throw new OlderTables(
    `The database is at version ${version}, and this program reads version ${NEWEST}. ` +
      'Start the gateway with this program: that brings it up to date.',
  )
}
