// Migrations: numbered SQL files that bring a database to this program's version, each applied once, all in one transaction.
import type { Database } from 'bun:sqlite'
import { atEnd } from '../../../utilities/at-end.ts'
// Imported as text, so that they are part of the compiled binary.
import base from './base.sql' with { type: 'text' }
import ledger from './migrations/0001_ledger.sql' with { type: 'text' }
import images from './migrations/0002_images.sql' with { type: 'text' }
import idempotency from './migrations/0003_idempotency.sql' with { type: 'text' }
import call_sums from './migrations/0004_call_sums.sql' with { type: 'text' }
import kept_and_missing from './migrations/0005_kept_and_missing.sql' with { type: 'text' }
import responses_and_accounts from './migrations/0006_responses_and_accounts.sql' with { type: 'text' }
import sums_of_batches from './migrations/0007_sums_of_batches.sql' with { type: 'text' }
import sessions from './migrations/0008_sessions.sql' with { type: 'text' }
import traces from './migrations/0009_traces.sql' with { type: 'text' }
import calls_by_time from './migrations/0010_calls_by_time.sql' with { type: 'text' }
import provider_cost from './migrations/0011_provider_cost.sql' with { type: 'text' }
import prices from './migrations/0012_prices.sql' with { type: 'text' }
import erased_accounts from './migrations/0013_erased_accounts.sql' with { type: 'text' }
import known_addresses from './migrations/0014_known_addresses.sql' with { type: 'text' }
import request_keys from './migrations/0015_request_keys.sql' with { type: 'text' }
import reported_cost from './migrations/0016_reported_cost.sql' with { type: 'text' }
import actions from './migrations/0017_actions.sql' with { type: 'text' }
import refusals from './migrations/0018_refusals.sql' with { type: 'text' }
import key_limits from './migrations/0019_key_limits.sql' with { type: 'text' }
import route_sums from './migrations/0020_route_sums.sql' with { type: 'text' }
import catalogues from './migrations/0021_catalogues.sql' with { type: 'text' }
import account_details from './migrations/0022_account_details.sql' with { type: 'text' }
import alerts from './migrations/0023_alerts.sql' with { type: 'text' }
import lines_of_an_account from './migrations/0024_lines_of_an_account.sql' with { type: 'text' }
import reasons from './migrations/0025_reasons.sql' with { type: 'text' }
import narrow_rows from './migrations/0026_narrow_rows.sql' with { type: 'text' }
import gateways from './migrations/0027_gateways.sql' with { type: 'text' }
import several_gateways from './migrations/0028_several_gateways.sql' with { type: 'text' }
import bucket_marks from './migrations/0029_bucket_marks.sql' with { type: 'text' }
import shared_catalogues from './migrations/0030_shared_catalogues.sql' with { type: 'text' }
import budgets from './migrations/0031_budgets.sql' with { type: 'text' }
import moved_in from './migrations/0032_moved_in.sql' with { type: 'text' }
import imports from './migrations/0033_imports.sql' with { type: 'text' }
import refunds from './migrations/0034_refunds.sql' with { type: 'text' }
import health_states from './migrations/0035_health_states.sql' with { type: 'text' }
import billing_details from './migrations/0036_billing_details.sql' with { type: 'text' }
import sums_by_route from './migrations/0037_sums_by_route.sql' with { type: 'text' }
import people from './migrations/0038_people.sql' with { type: 'text' }
import mails from './migrations/0039_mails.sql' with { type: 'text' }
import status_page from './migrations/0040_status_page.sql' with { type: 'text' }
import proofs_and_links from './migrations/0041_proofs_and_links.sql' with { type: 'text' }
import sign_ups from './migrations/0042_sign_ups.sql' with { type: 'text' }
import keys_of_people from './migrations/0043_keys_of_people.sql' with { type: 'text' }
import identities from './migrations/0044_identities.sql' with { type: 'text' }
import invitations from './migrations/0045_invitations.sql' with { type: 'text' }
import passkeys from './migrations/0046_passkeys.sql' with { type: 'text' }
import budgets_of_people from './migrations/0047_budgets_of_people.sql' with { type: 'text' }
import orders from './migrations/0048_orders.sql' with { type: 'text' }
import plans from './migrations/0049_plans.sql' with { type: 'text' }
import vouchers from './migrations/0050_vouchers.sql' with { type: 'text' }
import order_requests from './migrations/0051_order_requests.sql' with { type: 'text' }
import payment_customers from './migrations/0052_payment_customers.sql' with { type: 'text' }
import price_groups from './migrations/0053_price_groups.sql' with { type: 'text' }
import referrals from './migrations/0054_referrals.sql' with { type: 'text' }
import covered_calls from './migrations/0055_covered_calls.sql' with { type: 'text' }
import automatic_top_ups from './migrations/0056_automatic_top_ups.sql' with { type: 'text' }
import covered_sums from './migrations/0057_covered_sums.sql' with { type: 'text' }
import account_suspensions from './migrations/0058_account_suspensions.sql' with { type: 'text' }
import plans_by_card from './migrations/0059_plans_by_card.sql' with { type: 'text' }
import holds_of_accounts from './migrations/0060_holds_of_accounts.sql' with { type: 'text' }
import audit_marks from './migrations/0061_audit_marks.sql' with { type: 'text' }

/** In order. A migration's number is its place in this list, from 1. Once released, neither it nor its bytes change. */
export const MIGRATIONS: readonly string[] = [
  ledger,
  images,
  idempotency,
  call_sums,
  kept_and_missing,
  responses_and_accounts,
  sums_of_batches,
  sessions,
  traces,
  calls_by_time,
  provider_cost,
  prices,
  erased_accounts,
  known_addresses,
  request_keys,
  reported_cost,
  actions,
  refusals,
  key_limits,
  route_sums,
  catalogues,
  account_details,
  alerts,
  lines_of_an_account,
  reasons,
  narrow_rows,
  gateways,
  several_gateways,
  bucket_marks,
  shared_catalogues,
  budgets,
  moved_in,
  imports,
  refunds,
  health_states,
  billing_details,
  sums_by_route,
  people,
  mails,
  status_page,
  proofs_and_links,
  sign_ups,
  keys_of_people,
  identities,
  invitations,
  passkeys,
  budgets_of_people,
  orders,
  plans,
  vouchers,
  order_requests,
  payment_customers,
  price_groups,
  referrals,
  covered_calls,
  automatic_top_ups,
  covered_sums,
  account_suspensions,
  plans_by_card,
  holds_of_accounts,
  audit_marks,
]

/** The script for an empty database instead of the first migrations, in a tenth of their time: every audit creates one, too (test/tools/base.ts). */
const BASE = { version: 59, sql: base }

/** Returns the scripts that create a new database, in order. */
export const textsOfNew = (): readonly string[] => [BASE.sql, ...MIGRATIONS.slice(BASE.version)]

/** Returns the scripts that a database of a version lacks, in order. */
const lackingAt = (version: number, migrations: readonly string[]): readonly string[] =>
  version === 0 && migrations === MIGRATIONS ? textsOfNew() : migrations.slice(version)

/** Returns the number of the last migration applied to a database; 0 for an empty one. */
export function schemaVersion(db: Database): number {
  return db.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
}

/**
 * Refuses a database that a newer program wrote, since this program does not know the meaning of its tables.
 *
 * @throws Error that names both versions and the remedy
 */
export function refuseNewer(db: Database, known = MIGRATIONS.length): void {
  const version = schemaVersion(db)
  if (version > known) {
    throw new Error(
      `The database is at version ${version}, and this program knows versions up to ${known}. ` +
        'A newer program wrote it: run that one, or restore an older backup.',
    )
  }
}

/**
 * Applies the migrations that a database lacks, all or none. Two processes may do this at the same time: the version is read again
 * under the write lock.
 *
 * @param beforeFirst called under the write lock, before the first migration of a database with tables; if it throws, the
 * database stays unchanged
 * @returns how many this call applied
 * @throws Error if the database is newer than the program; SQLiteError if a migration fails, which leaves the
 * database unchanged
 */
export function migrate(
  db: Database,
  migrations = MIGRATIONS,
  beforeFirst: (from_version: number) => void = () => {},
): number {
  refuseNewer(db, migrations.length)
  if (schemaVersion(db) === migrations.length) return 0
  using _ = withoutReferences(db)
  return db
    .transaction(() => {
      refuseNewer(db, migrations.length)
      const from_version = schemaVersion(db)
      const lacking = lackingAt(from_version, migrations)
      if (lacking.length > 0 && from_version > 0) beforeFirst(from_version)
      for (const sql of lacking) db.run(sql)
      db.run(`PRAGMA user_version = ${migrations.length}`)
      return migrations.length - from_version
    })
    .immediate()
}

/** Turns off reference checks while tables are renamed (https://sqlite.org/lang_altertable.html#otheralter); impossible within a transaction. */
function withoutReferences(db: Database): Disposable {
  const { foreign_keys } = db.query<{ foreign_keys: number }, []>('PRAGMA foreign_keys').get() ?? {}
  db.run('PRAGMA foreign_keys = OFF')
  return atEnd(() => db.run(`PRAGMA foreign_keys = ${foreign_keys ?? 0}`))
}
