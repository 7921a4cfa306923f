// Reports to the operator, in the log: what a start or a sweep found and put right, and books that are wrong.
import type { Database } from 'bun:sqlite'
import { formatUsd } from '../domain/money.ts'
import { audit } from '../ledger/audit.ts'
import type { Swept } from '../ledger/sweep.ts'
import { auditLibrary } from '../library/audit.ts'
import type { Library } from '../library/library.ts'
import type { Recovered } from '../library/recovery.ts'
import type { Logger } from '../observe/log.ts'

/** Keeps the line readable. */
const MAX_REQUEST_IDS = 100
const MAX_FINDINGS = 100

/** Reports expired holds, if there are any. */
export function reportSwept({ expired, possible_loss_nanos }: Swept, log: Logger): void {
  if (expired.length === 0) return
  const request_ids = expired.slice(0, MAX_REQUEST_IDS).map(({ request_id }) => request_id)
  log.warn(
    { holds: expired.length, possible_loss_usd: formatUsd(possible_loss_nanos), request_ids },
    'expired holds whose calls are gone: the possible loss is what those calls may have cost upstream',
  )
}

/** Reports images that were reconciled with their files, if there are any. */
export function reportRecovered(recovered: Recovered, log: Logger): void {
  const { left_behind, stray_files, missing_files, found_files } = recovered
  if (left_behind + stray_files + missing_files + found_files > 0)
    log.warn(
      { ...recovered },
      'reconciled images with their rows and files: stray files are quarantined in .strays, rows without their file are marked as missing',
    )
}

/** Reports images whose files are back, if there are any. */
export function reportFound(found_files: number, log: Logger): void {
  if (found_files > 0) log.info({ found_files }, 'missing images are back')
}

/** Reports what the audit finds, if anything. Wrong books are no reason to refuse calls. */
export async function reportAudit(db: Database, library: Library, log: Logger): Promise<void> {
  const all = [...audit(db).findings, ...(await auditLibrary(library))]
  const findings = all.slice(0, MAX_FINDINGS)
  if (all.length > 0) log.error({ count: all.length, findings }, 'the books are wrong: run `tollgate audit`')
}
