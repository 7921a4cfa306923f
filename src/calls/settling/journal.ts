// The journal of settlements that were unwritten at a stop: a file of JSON lines that the next start applies and removes.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { GatewayError } from '../../domain/errors.ts'
import type { Ledger } from '../../money/ledger/operations.ts'
import type { Logger } from '../../observe/log.ts'
import { flush } from '../../store/engines/sqlite/copy.ts'
import { createForOwner } from '../../store/folder.ts'
import type { UnwrittenSettlement } from './queue.ts'

export interface SettlementJournal {
  /** Adds settlements for the next start to those already kept. They are on the disk when this returns. @throws the disk's error */
  keep(settlements: readonly UnwrittenSettlement[]): void
  /**
   * Writes the settlements of the last stop, then removes the journal. Settlements that are already written are skipped.
   * Only called at start.
   * @param found looks up the calls in the tables
   * @throws GatewayError overloaded if the ledger cannot commit: the journal stays
   */
  apply(ledger: Pick<Ledger, 'submit'>, found: CallsFound): Promise<void>
  /** Allocates disk space in advance, so that a journal can be written on a full disk. It is no failure if the disk has no space for it. */
  reserve(): void
}

interface CallsFound {
  /** Whether an unsettled hold belongs to this request: ids of holds without a row are reused after a stop. */
  hasHold(id: number, request_id: string): Promise<boolean>
  /** Whether a call is recorded. Its hold is settled then. */
  isRecorded(request_id: string, started_at_ms: number): Promise<boolean>
}

export const JOURNAL_NAME = 'settlements.journal'
const RESERVE_NAME = 'settlements.reserve'
/** Files in the data folder. */
export const JOURNAL_FILES: readonly string[] = [JOURNAL_NAME, RESERVE_NAME]
/** About a kilobyte for each settlement that may wait (MAX_UNWRITTEN_SETTLEMENTS). */
const RESERVE_BYTES = 1024 * 1024

export function openSettlementJournal(data_folder: string, log: Logger): SettlementJournal {
  const path = join(data_folder, JOURNAL_NAME)
  const reserve_path = join(data_folder, RESERVE_NAME)
  return {
    keep(settlements) {
      if (!existsSync(path) && existsSync(reserve_path)) renameSync(reserve_path, path)
      // Each line begins with a newline, so that a line torn by a power cut does not damage the next.
      const lines = settlements.map((settlement) => `\n${JSON.stringify(settlement)}`).join('')
      append(path, Buffer.from(lines))
      flush(data_folder)
    },
    async apply(ledger, found) {
      if (!existsSync(path)) return
      for (const settlement of read(path, log)) await applyOne(settlement, { ledger, found, log })
      rmSync(path)
      flush(data_folder)
    },
    reserve() {
      try {
        if (existsSync(reserve_path) && statSync(reserve_path).size === RESERVE_BYTES) return
        createForOwner(reserve_path)
        writeFileSync(reserve_path, Buffer.alloc(RESERVE_BYTES))
      } catch (cause) {
        log.warn({ cause }, 'no room could be reserved for the journal of settlements: the disk is full')
      }
    },
  }
}

/** Writes over the zeros at the end of a reserved file, whose blocks a full disk has already allocated. */
function append(path: string, bytes: Uint8Array): void {
  createForOwner(path)
  const file = openSync(path, 'r+')
  try {
    const start = linesOf(path).length
    for (let done = 0; done < bytes.length; )
      done += writeSync(file, bytes, done, bytes.length - done, start + done)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Returns the journal without the zeros of its reserve. */
function linesOf(path: string): Buffer {
  const bytes = readFileSync(path)
  const end = bytes.indexOf(0)
  return end < 0 ? bytes : bytes.subarray(0, end)
}

function read(path: string, log: Logger): UnwrittenSettlement[] {
  const lines = linesOf(path).toString().split('\n')
  return lines.flatMap((line, index) => {
    if (line === '') return []
    try {
      return [JSON.parse(line) as UnwrittenSettlement]
    } catch (cause) {
      log.error({ line: index + 1, cause }, 'a line of the journal of settlements is torn: it is skipped')
      return []
    }
  })
}

interface ApplyDeps {
  ledger: Pick<Ledger, 'submit'>
  found: CallsFound
  log: Logger
}

async function applyOne({ operation, hold, fields }: UnwrittenSettlement, parts: ApplyDeps): Promise<void> {
  const { ledger, found, log } = parts
  const has_row = await found.hasHold(operation.hold_id, String(fields.request_id))
  if (!has_row && (!hold || (await found.isRecorded(hold.request_id, operation.call.started_at_ms)))) {
    log.info(fields, 'a settlement of the journal was written before')
    return
  }
  try {
    const outcome = await ledger.submit(has_row ? operation : { ...operation, lost: hold })
    if (outcome.ok) log.info(fields, 'a settlement of the journal was written')
    else log.error({ ...fields, refusal: outcome.refusal }, 'a settlement of the journal was refused')
  } catch (cause) {
    if (cause instanceof GatewayError && cause.kind === 'overloaded') throw cause
    log.error({ ...fields, operation, cause }, 'a settlement of the journal cannot be written')
  }
}
