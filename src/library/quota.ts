// Owns how much a caller may store: bytes are counted before they are written, those under way with those that are there.
import { type GatewayError, payloadTooLarge } from '../domain/errors.ts'
import { FILE_QUOTA_BYTES } from '../media/limits.ts'

/** The bytes of files that are being taken in for one account. */
export interface Reservation {
  /** Counts bytes that are about to be written. @throws GatewayError payload_too_large (`QUOTA_EXCEEDED`) */
  take(bytes: number): void
  /** They are not under way any more: stored, where so many are told, or gone. */
  end(stored_bytes: number): void
}

export interface Quota {
  reserve(account_id: number): Reservation
  /** A stored file is gone. */
  removed(account_id: number, bytes: number): void
}

interface Tally {
  used_bytes: number
  under_way_bytes: number
  reservations: number
}

/**
 * Counts in memory while files come in: one process at a time serves a data folder. The rows are what lasts, and are
 * counted again when they are written.
 *
 * @param usedBytes what an account's stored files have together
 */
export function createQuota(usedBytes: (account_id: number) => number): Quota {
  const tallies = new Map<number, Tally>()

  function tallyOf(account_id: number): Tally {
    const known = tallies.get(account_id)
    if (known) return known
    const tally = { used_bytes: usedBytes(account_id), under_way_bytes: 0, reservations: 0 }
    tallies.set(account_id, tally)
    return tally
  }

  return {
    reserve(account_id) {
      const tally = tallyOf(account_id)
      tally.reservations += 1
      let taken_bytes = 0
      let ended = false
      return {
        take(bytes) {
          if (tally.used_bytes + tally.under_way_bytes + bytes > FILE_QUOTA_BYTES) throw quotaExceeded()
          tally.under_way_bytes += bytes
          taken_bytes += bytes
        },
        end(stored_bytes) {
          if (ended) return
          ended = true
          tally.under_way_bytes -= taken_bytes
          tally.used_bytes += stored_bytes
          tally.reservations -= 1
          if (tally.reservations === 0) tallies.delete(account_id)
        },
      }
    },
    removed(account_id, bytes) {
      const tally = tallies.get(account_id)
      if (tally) tally.used_bytes -= bytes
    },
  }
}

/** silent.md, Upload and files. */
export const quotaExceeded = (): GatewayError =>
  payloadTooLarge(
    `The files of an account may have ${FILE_QUOTA_BYTES / 1024 / 1024} MB together. Delete some: GET /api/v1/files lists them.`,
    { code: 'QUOTA_EXCEEDED' },
  )
