// A power cut: the disk has the flushed part of the write-ahead log, and any part of the rest, in any order.
// Whatever it has, the books are right and contain everything that was answered.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DISK, type Disk, openExecutor } from '../../../src/money/ledger/executor.ts'
import type { Operation } from '../../../src/money/ledger/operations.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { IS_LONG, timeoutMs } from '../../support/long.ts'
import { SEED } from '../../support/seed.ts'
import { onDisk } from './disk.ts'
import { randomFrom } from './random.ts'
import { brokenInvariants, hold, openDebt, post, topUp, voided } from './world.ts'

const BATCHES = IS_LONG ? 100 : 4
/** The suite cuts at every third frame, and begins each batch at a random one of the first three. */
const FRAMES_PER_CUT = IS_LONG ? 1 : 3
/** The cuts for each frame that is torn, or lost while later ones are there. */
const CUTS_FOR_EACH_TORN = IS_LONG ? 5 : 3
/** SQLite's format of the log: a header, then a header and a page for each frame (https://sqlite.org/fileformat.html#walformat). */
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const PAGE_BYTES = 4_096
const FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES

/** A state of the disk that a power cut may leave. */
interface Remains {
  name: string
  database: Buffer
  log: Buffer
}

const contentsOf = (path: string): Pick<Remains, 'database' | 'log'> => ({
  database: readFileSync(path),
  log: readFileSync(`${path}-wal`),
})

/** The log cut after each frame that was not flushed yet, in the middle of some, and with some lost while later ones are there. */
function remainsOf(
  before: Buffer,
  { database, log }: Pick<Remains, 'database' | 'log'>,
  first_frame: number,
): Remains[] {
  const isSame = log.subarray(0, LOG_HEADER_BYTES).equals(before.subarray(0, LOG_HEADER_BYTES))
  // If the log was restarted, the checkpoint before that has flushed the file.
  const flushed_bytes = isSame ? usedBytes(before) : LOG_HEADER_BYTES
  const remains: Remains[] = []
  const first_bytes = flushed_bytes + first_frame * FRAME_BYTES
  for (let at = first_bytes; at < log.length; at += FRAMES_PER_CUT * FRAME_BYTES) {
    const lost = Buffer.from(log)
    lost.fill(0, at, at + FRAME_BYTES)
    remains.push({ name: `cut at ${at}`, database, log: log.subarray(0, at) })
    if (remains.length % CUTS_FOR_EACH_TORN > 0) continue
    remains.push(
      { name: `torn at ${at}`, database, log: log.subarray(0, at + FRAME_HEADER_BYTES + PAGE_BYTES / 2) },
      { name: `without the frame at ${at}`, database, log: lost },
    )
  }
  return [...remains, { name: 'whole', database, log }]
}

/** The length of the log up to its last frame with its salt: the frames behind are of an earlier round. */
function usedBytes(log: Buffer): number {
  const salt = log.subarray(16, 24)
  let end = LOG_HEADER_BYTES
  while (end + FRAME_BYTES <= log.length && log.subarray(end + 8, end + 16).equals(salt)) end += FRAME_BYTES
  return end
}

/** Each batch settles the oldest hold, if there is one, and ends with a new one, so that few batches have settlements. */
function batchOf(random: ReturnType<typeof randomFrom>, pending: number[]): Operation[] {
  const settleOldest = () =>
    pending.splice(0, 1).map((id) => (random.chance(0.8) ? post(id, random.below(200)) : voided(id)))
  const other = (): Operation[] => {
    if (random.chance(0.5)) return settleOldest()
    if (random.chance(0.1)) return [openDebt(1 + random.below(50))]
    return [random.chance(0.2) ? topUp(1 + random.below(500)) : hold(random.below(200))]
  }
  return [settleOldest(), ...Array.from({ length: random.below(3) }, other), hold(random.below(100))].flat()
}

interface Answered {
  /** The holds that were settled. */
  resolved: number[]
  /** The references of opening debts. */
  opened_debts: string[]
}

/** Returns the faults of a database after a start, by the answers before. */
function complaintsAbout(path: string, { resolved, opened_debts }: Answered): string[] {
  const db = openDatabase(path)
  try {
    const [{ check } = {}] = db
      .query<{ check: string }, []>('SELECT integrity_check AS "check" FROM pragma_integrity_check')
      .all()
    const lost = resolved.filter((id) => db.query('SELECT 1 FROM calls WHERE id = ?').get(id) === null)
    const forgotten = opened_debts.filter(
      (key) => db.query('SELECT 1 FROM opening_debts WHERE request_key = ?').get(key) === null,
    )
    return [
      ...(check === 'ok' ? [] : [`the file is damaged: ${check}`]),
      ...lost.map((id) => `the settlement of hold ${id} is lost`),
      ...forgotten.map((key) => `the debt of ${key} is lost`),
      ...brokenInvariants(db).map((finding) => JSON.stringify(finding)),
    ]
  } finally {
    db.close()
  }
}

test(
  `whatever a power cut leaves of the log, every answered operation is there, TOLLGATE_SEED=${SEED}`,
  () =>
    onDisk({ balance: 2_000 }, async (path) => {
      const random = randomFrom(SEED)
      const answered: Answered = { resolved: [], opened_debts: [] }
      const pending: number[] = []
      const complaints: string[] = []
      let tried = 0
      let flushed: Buffer | undefined
      const disk: Disk = {
        ...DISK,
        flush(file) {
          const now = contentsOf(path)
          const first_frame = random.below(FRAMES_PER_CUT)
          for (const remains of flushed === undefined ? [] : remainsOf(flushed, now, first_frame)) {
            tried += 1
            const at = join(dirname(path), 'after.db')
            writeFileSync(at, remains.database)
            writeFileSync(`${at}-wal`, remains.log)
            const found = complaintsAbout(at, answered)
            complaints.push(...found.map((one) => `${remains.name}: ${one}`))
            for (const end of ['', '-wal', '-shm']) rmSync(`${at}${end}`, { force: true })
          }
          DISK.flush(file)
          flushed = now.log
        },
        // Called instead after slow flushes.
        flushBeside: async (file) => disk.flush(file),
      }
      const executor = openExecutor(path, { disk })
      for (let batch = 0; batch < BATCHES; batch++) {
        const operations = batchOf(random, pending)
        const results = await executor.commit(operations, 0)
        for (const [at, result] of results.entries()) {
          const operation = operations[at]
          if (!('ok' in result) || !result.ok || !operation) continue
          if ('hold_id' in result) pending.push(result.hold_id)
          else if (operation.op === 'post' || operation.op === 'void')
            answered.resolved.push(operation.hold_id)
          else if (operation.op === 'open_debt') answered.opened_debts.push(operation.request_key)
        }
        if (batch % 3 === 2) checkpoint(path)
      }
      await executor.close()
      expect(complaints).toEqual([])
      expect(tried).toBeGreaterThan(BATCHES * 3)
      expect(answered.resolved.length).toBeGreaterThan(0)
    }),
  timeoutMs(60_000),
)

/** Checkpoints by another connection, as another process may: the next batch restarts the log. */
function checkpoint(path: string): void {
  const db = new Database(path)
  db.run('PRAGMA wal_checkpoint(RESTART)')
  db.close()
}
