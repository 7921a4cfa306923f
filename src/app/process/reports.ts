// Reports to the operator in the log: repairs by a start or a sweep, and audit findings.
import type { Finding } from '../../domain/finding.ts'
import { formatUsd } from '../../domain/money.ts'
import type { Recovered } from '../../library/recovery.ts'
import type { OnLost } from '../../money/ledger/failure.ts'
import type { OnChange } from '../../money/ledger/health.ts'
import type { RewriteName } from '../../money/ledger/rewriting.ts'
import type { SweepResult } from '../../money/ledger/sweep.ts'
import type { Logger } from '../../observe/log.ts'

/** Keeps the log line readable. */
const MAX_REQUEST_IDS = 100
const MAX_FINDINGS = 100

/** Logs that the ledger can no longer commit, and later, with the duration, that it can again. */
export function reportLedgerTo(log: Logger, database: string): OnChange {
  const time = outage()
  return (failing, cause) => {
    if (failing === undefined) return log.info(time.ended(), 'the ledger can commit again: calls are taken')
    time.start()
    log.error(
      { reason: failing, database, cause },
      'the ledger cannot commit: new paid calls are refused until it can',
    )
  }
}

/** Measures an outage from its first failure to its end. */
function outage() {
  let since_ms: number | undefined
  return {
    start() {
      since_ms ??= performance.now()
    },
    ended() {
      const now_ms = performance.now()
      const lasted_ms = Math.round(now_ms - (since_ms ?? now_ms))
      since_ms = undefined
      return { lasted_ms }
    },
  }
}

/** Logs decided holds that cannot be written. */
export const reportLostTo =
  (log: Logger): OnLost =>
  ({ id, request_id }, { cause }) =>
    log.error(
      { request_id, hold_id: id, cause },
      'a hold cannot be written: its call is served, and not charged',
    )

/** Logs that the bucket of files fails, and later, with the duration, that it works again. */
export function reportBucketTo(log: Logger): (failure: Error | undefined) => void {
  const time = outage()
  return (cause) => {
    if (!cause) return log.info(time.ended(), 'the bucket of files works again: images and uploads are taken')
    time.start()
    log.error({ cause }, 'the bucket of files fails: images and uploads are refused until it works')
  }
}

/** Logs that the database's files are missing or replaced, and later, with the duration, that they are back. */
export function reportPlaceTo(log: Logger): (trouble: string | undefined) => void {
  const time = outage()
  let last: string | undefined
  return (reason) => {
    if (reason === undefined)
      return log.info({ reason: last, ...time.ended() }, "the database's files are in their place again")
    time.start()
    last = reason
    log.error({ reason }, 'not ready: nothing is written, and new paid calls are refused')
  }
}

/** Logs expired holds, if there are any. */
export function reportSwept({ expired, possible_loss_nanos }: SweepResult, log: Logger): void {
  if (expired.length === 0) return
  const request_ids = expired.slice(0, MAX_REQUEST_IDS).map(({ request_id }) => request_id)
  log.warn(
    { holds: expired.length, possible_loss_usd: formatUsd(possible_loss_nanos), request_ids },
    'expired holds without a running call: the possible loss is what their calls may have cost upstream',
  )
}

/** Logs rewritten calls, if there are any. */
export function reportRewritten(
  { name, calls, took_ms }: { name: RewriteName; calls: number; took_ms: number },
  log: Logger,
): void {
  if (calls === 0) return
  const what =
    name === 'prices'
      ? "moved the prices of an older version's calls into their table: the room is free for new calls"
      : 'emptied the traces of old calls'
  log.info({ calls, took_ms }, what)
}

/** Logs images that were reconciled with their files, if there are any. */
export function reportRecovered(recovered: Recovered, log: Logger): void {
  const { left_behind, stray_files, missing_files, found_files } = recovered
  if (left_behind + stray_files + missing_files + found_files > 0)
    log.warn(
      { ...recovered },
      'reconciled images with their rows and files: stray files are quarantined in .strays, rows without their file are marked as missing',
    )
}

/** Logs the audit's findings, if there are any. */
export function reportFindings(all: readonly Finding[], log: Logger): void {
  const findings = all.slice(0, MAX_FINDINGS)
  if (all.length > 0) log.error({ count: all.length, findings }, 'the books are wrong: run `tollgate audit`')
}
