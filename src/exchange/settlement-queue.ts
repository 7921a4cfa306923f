// Settlements that the ledger could not write: kept, and tried again with growing pauses until they are written.
import type { Ledger, Outcome, PostOperation, VoidOperation } from '../ledger/operations.ts'
import type { Logger } from '../observe/log.ts'

export interface QueuedSettlement {
  operation: PostOperation | VoidOperation
  /** How the call is told of in the log: its request id, its hold, its cost. */
  fields: Readonly<Record<string, unknown>>
  /** Told once it is written, or refused for good. */
  written(outcome: Outcome): void
}

export interface SettlementQueue {
  readonly size: number
  /** Whether a hold waits for its settlement: no sweep may expire it. */
  has(hold_id: number): boolean
  add(settlement: QueuedSettlement): void
  /** Stops trying, after one last time. What is not written then is logged; its hold expires at the next start. */
  close(): Promise<void>
}

export interface SettlementQueueOptions {
  ledger: Pick<Ledger, 'submit'>
  log: Logger
  /** The first pause; each one doubles, up to 30 seconds. */
  first_pause_ms?: number
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 30_000

/** An empty queue. */
export function createSettlementQueue(options: SettlementQueueOptions): SettlementQueue {
  const { ledger, log, first_pause_ms = FIRST_PAUSE_MS } = options
  const waiting = new Map<number, QueuedSettlement>()
  let pause_ms = first_pause_ms
  let timer: ReturnType<typeof setTimeout> | undefined
  let trying: Promise<void> | undefined

  async function tryOne(settlement: QueuedSettlement): Promise<boolean> {
    try {
      const outcome = await ledger.submit(settlement.operation)
      waiting.delete(settlement.operation.hold_id)
      if (outcome.ok) log.info(settlement.fields, 'a settlement was written after all')
      settlement.written(outcome)
      return true
    } catch (cause) {
      log.warn({ ...settlement.fields, cause }, 'a settlement failed again')
      return false
    }
  }

  async function tryAll(): Promise<void> {
    const written = await Promise.all([...waiting.values()].map(tryOne))
    pause_ms = written.every(Boolean) ? first_pause_ms : Math.min(pause_ms * 2, MAX_PAUSE_MS)
  }

  function schedule(): void {
    if (timer !== undefined || waiting.size === 0) return
    timer = setTimeout(() => {
      trying = tryAll().finally(() => {
        timer = undefined
        trying = undefined
        schedule()
      })
    }, pause_ms)
  }

  return {
    get size() {
      return waiting.size
    },
    has: (hold_id) => waiting.has(hold_id),
    add(settlement) {
      waiting.set(settlement.operation.hold_id, settlement)
      schedule()
    },
    async close() {
      await trying
      clearTimeout(timer)
      if (waiting.size > 0) await tryAll()
      clearTimeout(timer)
      for (const { fields } of waiting.values())
        log.error(
          fields,
          'the process stops before a settlement was written: its hold expires at the next start',
        )
    },
  }
}
