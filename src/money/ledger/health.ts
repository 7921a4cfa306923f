// The ledger's health: whether it can commit, learned from its commits and, while these fail, from test writes.
import { type Failure, failureText } from './failure.ts'

/** @param failing as `Ledger.failing` @param cause for the log */
export type OnChange = (failing: string | undefined, cause: string | undefined) => void

export interface LedgerHealth {
  readonly failing: string | undefined
  /** Records why a commit was not possible; undefined: it was. */
  record(failure: Failure | undefined): void
  stop(): void
}

interface LedgerWatch {
  onChange: OnChange
  /** Returns why the running commit does not return; undefined while it still may. Called twice a second. */
  stalled(now_ms: number): Failure | undefined
  /** Tests a write, and reports the result to `record`. Called four times a second while commits fail. */
  tryToWrite(): Promise<void>
}

const STALL_CHECK_MS = 500
const RETRY_MS = 250

/** Watches a ledger, which counts as healthy until a commit fails. Its timers do not keep the process alive. */
export function watchLedger({ onChange, stalled, tryToWrite }: LedgerWatch): LedgerHealth {
  let failing: string | undefined
  let retrying: ReturnType<typeof setInterval> | undefined

  function record(failure: Failure | undefined): void {
    const before = failing
    failing = failure && failureText(failure)
    if (failing === before) return
    onChange(failing, failure?.cause)
    clearInterval(retrying)
    retrying = failing === undefined ? undefined : setInterval(() => void tryToWrite(), RETRY_MS)
    retrying?.unref()
  }

  const watching = setInterval(() => {
    const failure = stalled(performance.now())
    if (failure) record(failure)
  }, STALL_CHECK_MS)
  watching.unref()

  return {
    get failing() {
      return failing
    },
    record,
    stop() {
      clearInterval(watching)
      clearInterval(retrying)
    },
  }
}
