// Owns what the operator is told in the log of what a start or a sweep found: holds and images left behind, broken books.
import type { Database } from 'bun:sqlite'
import { formatUsd } from '../domain/money.ts'
import { audit } from '../ledger/audit.ts'
import type { Swept } from '../ledger/sweep.ts'
import { auditLibrary } from '../library/audit.ts'
import type { Library } from '../library/library.ts'
import type { Recovered } from '../library/recovery.ts'
import type { Logger } from '../observe/log.ts'

/** More of them would make a line that nobody reads. */
const MAX_REQUEST_IDS = 100

/** Tells of holds that were given back; says nothing where there were none. */
export function reportSwept({ expired, possible_loss_nanos }: Swept, log: Logger): void {
  if (expired.length === 0) return
  const request_ids = expired.slice(0, MAX_REQUEST_IDS).map(({ request_id }) => request_id)
  log.warn(
    { holds: expired.length, possible_loss_usd: formatUsd(possible_loss_nanos), request_ids },
    'holds were left behind and are given back; what their calls cost upstream is the possible loss',
  )
}

/** Tells of images that were put right; says nothing where there were none. */
export function reportRecovered(recovered: Recovered, log: Logger): void {
  const { left_behind, stray_files, lost_files } = recovered
  if (left_behind + stray_files + lost_files > 0)
    log.warn(
      { ...recovered },
      'images were left half made, or without their row or file, and are put right; strays lie in .strays',
    )
}

/** Books that do not add up are no reason to refuse calls, and every reason to tell the operator. */
export async function reportAudit(db: Database, library: Library, log: Logger): Promise<void> {
  const findings = [...audit(db).findings, ...(await auditLibrary(library))]
  if (findings.length > 0) log.error({ findings }, 'the audit found the books broken: run `tollgate audit`')
}
