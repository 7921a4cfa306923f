// Reports to the operator, in the log: what a start or a sweep found and put right, and books that are wrong.
import type { Finding } from '../domain/finding.ts'
import { formatUsd } from '../domain/money.ts'
import type { Place } from '../ledger/auto-executor.ts'
import type { Swept } from '../ledger/sweep.ts'
import type { Recovered } from '../library/recovery.ts'
import type { Logger } from '../observe/log.ts'

/** Keeps the line readable. */
const MAX_REQUEST_IDS = 100
const MAX_FINDINGS = 100

/** Reports that the ledger can no longer commit, and that it can again. @param failing, @param cause as `OnChange` */
export function reportLedger(failing: string | undefined, cause: string | undefined, log: Logger): void {
  if (failing === undefined) log.info({}, 'the ledger can commit again: calls are taken')
  else
    log.error({ reason: failing, cause }, 'the ledger cannot commit: new paid calls are refused until it can')
}

/** Reports where the ledger commits from now on. @param place, @param cause as `OnMove` */
export function reportLedgerMoved(place: Place, cause: unknown, log: Logger): void {
  if (cause !== undefined)
    log.error(
      { cause },
      'the ledger has no thread for this slow disk: it goes on committing on the event loop',
    )
  else if (place === 'thread') log.info({}, 'commits are slow: the ledger makes them on a thread of its own')
  else log.info({}, 'commits are quick again: the ledger makes them on the event loop')
}

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

/** Reports files of kept responses that were never finished, or whose rows are gone. */
export function reportStrayResponses(stray_files: number, log: Logger): void {
  if (stray_files > 0) log.info({ stray_files }, 'deleted files of kept responses that no row names')
}

/** Reports images whose files are back, if there are any. */
export function reportFound(found_files: number, log: Logger): void {
  if (found_files > 0) log.info({ found_files }, 'missing images are back')
}

/** Reports what the audit found, if anything. */
export function reportFindings(all: readonly Finding[], log: Logger): void {
  const findings = all.slice(0, MAX_FINDINGS)
  if (all.length > 0) log.error({ count: all.length, findings }, 'the books are wrong: run `tollgate audit`')
}
