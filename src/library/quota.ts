// Storage quotas: the bytes of an account's uploads are counted before they are written, including running uploads.
import { type GatewayError, payloadTooLarge } from '../domain/errors.ts'
import { FILE_QUOTA_BYTES } from '../media/limits.ts'
import type { Awaitable, Db } from '../store/db.ts'
import { fileQueries } from './queries.ts'

/** The bytes of one request's running uploads. */
interface Reservation {
  /** Counts bytes that are about to be written. @throws GatewayError payload_too_large (`QUOTA_EXCEEDED`) */
  take(bytes: number): Promise<void>
  /** Ends the uploads. @param stored_bytes the part that is now stored. A second call does nothing */
  end(stored_bytes: number): void
}

export interface Quota {
  reserve(account_id: number): Reservation
  /** Subtracts a deleted upload. */
  removed(account_id: number, bytes: number): void
}

interface Tally {
  /** Undefined until the rows are counted. */
  used_bytes: number | undefined
  /** The number of deletions and ended uploads, to detect a change during a count. */
  changes: number
  incoming_bytes: number
  reservations: number
}

/**
 * Returns the size of an account's stored uploads in bytes. A running upload counts 0 here, since its bytes are in its
 * request's reservation.
 */
export async function usedBytes(db: Db, account_id: number): Promise<number> {
  const used = await fileQueries(db).usedBytes.get({ account_id })
  return used?.bytes ?? 0
}

/**
 * Counts in memory while uploads run, without those of other gateways. The rows are authoritative: they are counted again at the
 * commit of an upload.
 * @param usedBytes returns the size of an account's stored uploads
 */
export function createQuota(usedBytes: (account_id: number) => Awaitable<number>): Quota {
  const tallies = new Map<number, Tally>()

  function tallyOf(account_id: number): Tally {
    const known = tallies.get(account_id)
    if (known) return known
    const tally = { used_bytes: undefined, changes: 0, incoming_bytes: 0, reservations: 0 }
    tallies.set(account_id, tally)
    return tally
  }

  async function count(account_id: number, tally: Tally): Promise<void> {
    while (tally.used_bytes === undefined) {
      const { changes } = tally
      const used_bytes = await usedBytes(account_id)
      // Kept only if nothing has changed: another upload may have counted already, and the sum may or may not include a concurrent deletion.
      if (tally.used_bytes === undefined && tally.changes === changes) tally.used_bytes = used_bytes
    }
  }

  return {
    reserve(account_id) {
      const tally = tallyOf(account_id)
      tally.reservations += 1
      let taken_bytes = 0
      let ended = false
      return {
        async take(bytes) {
          if (tally.used_bytes === undefined) await count(account_id, tally)
          if (!ended && exceeds(tally, bytes)) {
            // Count again, since another gateway may have deleted files.
            tally.used_bytes = undefined
            await count(account_id, tally)
            if (!ended && exceeds(tally, bytes)) throw quotaExceeded()
          }
          if (ended) return
          tally.incoming_bytes += bytes
          taken_bytes += bytes
        },
        end(stored_bytes) {
          if (ended) return
          ended = true
          tally.changes += 1
          tally.incoming_bytes -= taken_bytes
          if (tally.used_bytes !== undefined) tally.used_bytes += stored_bytes
          tally.reservations -= 1
          if (tally.reservations === 0) tallies.delete(account_id)
        },
      }
    },
    removed(account_id, bytes) {
      const tally = tallies.get(account_id)
      if (!tally) return
      tally.changes += 1
      if (tally.used_bytes !== undefined) tally.used_bytes -= bytes
    },
  }
}

const exceeds = ({ used_bytes = 0, incoming_bytes }: Tally, bytes: number): boolean =>
  used_bytes + incoming_bytes + bytes > FILE_QUOTA_BYTES

/** silent.md, Upload and files. */
export const quotaExceeded = (): GatewayError =>
  payloadTooLarge(
    `The files of an account may have at most ${FILE_QUOTA_BYTES / 1024 / 1024} MB together. Delete some; GET /api/v1/files lists them.`,
    { code: 'QUOTA_EXCEEDED' },
  )
