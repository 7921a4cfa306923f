// The recorder of refused requests: counts all in memory, keeps the first of each hour and reason as rows, and writes them in batches.

import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { RefusedRequest } from '../../src/calls/life/events.ts'
import { HOUR_MS } from '../../src/domain/ranges.ts'
import { StorageFailure } from '../../src/domain/storage-failure.ts'
import type { Logger } from '../../src/observe/log.ts'
import { redactorOf } from '../../src/observe/redact.ts'
import type { Db } from '../../src/store/db.ts'
import { visibleLine } from '../../src/utilities/visible-text.ts'
import type { RefusalRow } from './tables.ts'
import { addSums, type CountedRefusals, expireRefusals, insertRefusals } from './writing.ts'

interface Recorder {
  /** Counts a request in memory. Nothing is written before its caller gets the answer. */
  record(request: RefusedRequest): void
  /** Writes the waiting batch. Never rejects. */
  flush(): Promise<void>
  /** Deletes some expired rows. @throws StorageFailure */
  sweep(): Promise<void>
  /** Writes the last batch, and records no more. */
  close(): Promise<void>
}

/** Rows per account, code and hour, over all gateways of a database. Further requests are only counted. */
export const MAX_RECORDED_AN_HOUR = 20
/** Codes with rows per account and hour. Requests with further codes are only counted. */
const MAX_CODES_AN_HOUR = 20

/** Rows per code in a batch, so that a flood of one kind leaves room for others. */
const MAX_WAITING_OF_CODE = 200
/** Rows in a batch. */
const MAX_WAITING = 2_000
const WRITE_AFTER_MS = 1_000
const MAX_SENTENCE_CHARS = 400
const MAX_CODE_CHARS = 64
/** Other texts are not recorded as the name of a model. */
const MODEL = /^[\w.:/@+-]{1,128}$/

interface RecorderParts {
  db: Db
  now: () => number
  log: Pick<Logger, 'warn'>
  /** Removes secrets and addresses from a message. */
  scrub: (text: string) => string
}

export const openRecorder = ({ db, calls: { catalogue, log, now } }: Gateway): Recorder =>
  createRecorder({ db, now, log, scrub: (text) => redactorOf(catalogue()).scrub(text) })

export function createRecorder({ db, now, log, scrub }: RecorderParts): Recorder {
  const quota = new HourlyQuota()
  let batch = new Batch()
  let timer: Timer | undefined
  let closed = false
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    const { sums, rows } = batch
    if (sums.size === 0) return
    batch = new Batch()
    const counted = [...sums.values()]
    const account_ids = new Set(counted.map(({ account_id }) => account_id))
    try {
      await writeTogether(counted, rows)
    } catch (cause) {
      // The row of one account is locked, so the accounts are written separately.
      if (!isBusy(cause) || account_ids.size === 1) return warn(cause)
      for (const id of account_ids) {
        const isOfAccount = ({ account_id }: { account_id: number }) => account_id === id
        await writeTogether(counted.filter(isOfAccount), rows.filter(isOfAccount)).catch(warn)
      }
    }
  }

  const writeTogether = (counted: readonly CountedRefusals[], rows: Batch['rows']): Promise<void> =>
    db.begin(
      async (tx) => {
        await addSums(tx, counted)
        await insertRefusals(tx, rows, MAX_RECORDED_AN_HOUR)
      },
      { durable: false },
    )

  const warn = (cause: unknown) => log.warn({ cause }, 'refused requests could not be recorded')

  /** Queues a write after the one under way. */
  const writeNext = (): Promise<void> => {
    clearTimeout(timer)
    writing = writing.then(write)
    return writing
  }

  return {
    record({ model, sentence, code: whole_code, ...refused }) {
      if (closed) return
      const at_ms = now()
      const code = whole_code.slice(0, MAX_CODE_CHARS)
      if (batch.sums.size === 0) timer = setTimeout(() => void writeNext(), WRITE_AFTER_MS)
      batch.count(refused, code, at_ms)
      if (!batch.hasRoom(code) || !quota.take(refused.account_id, code, at_ms)) return
      batch.add({
        ...refused,
        code,
        at_ms,
        model: model !== undefined && MODEL.test(model) ? scrub(model) : null,
        // The message may repeat text that the caller chose, and is printed in terminals.
        sentence: visibleLine(scrub(sentence)).slice(0, MAX_SENTENCE_CHARS),
      })
    },
    sweep: () => db.begin((tx) => expireRefusals(tx, now()), { durable: false }),
    flush: writeNext,
    close() {
      closed = true
      return writeNext()
    },
  }
}

const isBusy = (thrown: unknown): boolean => thrown instanceof StorageFailure && thrown.trouble === 'busy'

/** Refusals that are written together. */
class Batch {
  readonly sums = new Map<string, CountedRefusals>()
  readonly rows: Omit<RefusalRow, 'id'>[] = []
  readonly #waiting = new Map<string, number>()

  hasRoom = (code: string): boolean =>
    this.rows.length < MAX_WAITING && (this.#waiting.get(code) ?? 0) < MAX_WAITING_OF_CODE

  add(row: Omit<RefusalRow, 'id'>): void {
    this.rows.push(row)
    this.#waiting.set(row.code, (this.#waiting.get(row.code) ?? 0) + 1)
  }

  count(
    { account_id, key_id }: Pick<RefusedRequest, 'account_id' | 'key_id'>,
    code: string,
    at_ms: number,
  ): void {
    const minute_s = Math.floor(at_ms / 60_000) * 60
    const name = `${account_id} ${key_id} ${minute_s} ${code}`
    const known = this.sums.get(name)
    if (known) known.refusals += 1
    else this.sums.set(name, { account_id, key_id, minute_s, code, refusals: 1 })
  }
}

/** The number of rows that each account and code may still get in this hour. */
class HourlyQuota {
  readonly #kept = new Map<number, Map<string, number>>()
  #hour = 0

  take(account_id: number, code: string, at_ms: number): boolean {
    const hour = Math.floor(at_ms / HOUR_MS)
    if (hour !== this.#hour) {
      this.#hour = hour
      this.#kept.clear()
    }
    const of_account = this.#kept.get(account_id) ?? new Map<string, number>()
    this.#kept.set(account_id, of_account)
    const kept = of_account.get(code) ?? 0
    if (kept >= MAX_RECORDED_AN_HOUR || (kept === 0 && of_account.size >= MAX_CODES_AN_HOUR)) return false
    of_account.set(code, kept + 1)
    return true
  }
}
