// Whether the ledger can commit: learned from its commits, and while they fail from writes that are tried beside them.
import { type Failure, inWords } from './failure.ts'

/** @param failing as `Ledger.failing` @param cause for the log */
export type OnChange = (failing: string | undefined, cause: string | undefined) => void

export interface LedgerHealth {
  readonly failing: string | undefined
  /** A commit has shown why none is possible; undefined: that one is. */
  saw(failure: Failure | undefined): void
  stop(): void
}

interface LedgerWatch {
  onChange: OnChange
  /** Why the commit under way is not coming back; undefined while it still may. Asked twice a second. */
  stalled(now_ms: number): Failure | undefined
  /** Tries to write, and tells `saw`. Called four times a second while commits fail. */
  tryToWrite(): Promise<void>
}

const STALL_CHECK_MS = 500
const RETRY_MS = 250

/** Healthy until a commit says otherwise. Keeps no process alive. */
export function watchLedger({ onChange, stalled, tryToWrite }: LedgerWatch): LedgerHealth {
  let failing: string | undefined
  let retrying: ReturnType<typeof setInterval> | undefined

  function saw(failure: Failure | undefined): void {
    const before = failing
    failing = failure && inWords(failure)
    if (failing === before) return
    onChange(failing, failure?.cause)
    clearInterval(retrying)
    retrying = failing === undefined ? undefined : setInterval(() => void tryToWrite(), RETRY_MS)
    retrying?.unref()
  }

  const watching = setInterval(() => {
    const failure = stalled(performance.now())
    if (failure) saw(failure)
  }, STALL_CHECK_MS)
  watching.unref()

  return {
    get failing() {
      return failing
    },
    saw,
    stop() {
      clearInterval(watching)
      clearInterval(retrying)
    },
  }
}
