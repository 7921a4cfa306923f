// The health of the bucket of files: a failure begins its trouble, and a trial that succeeds ends it. While it works it is asked nothing.
import { StorageFailure } from '../domain/storage-failure.ts'
import { isAbsentObject } from '../store/engines/s3/failure.ts'
import { codeOf, messageOf } from '../utilities/thrown.ts'

export interface BucketHealth {
  /** Whether it failed, and has not been tried with success since. */
  readonly is_failing: boolean
  /** Asks something of the bucket. @throws StorageFailure where the bucket fails; then the trouble begins */
  run<T>(work: () => Promise<T>): Promise<T>
  /** A failure that an asker has got from the bucket. @returns what to throw in its place */
  failed(failure: unknown): unknown
  stop(): void
}

interface BucketHealthOptions {
  /** Puts something into the bucket. */
  tryOut(): Promise<void>
  /** Told when the trouble begins, with the failure, and when it ends. */
  onChange(failure: StorageFailure | undefined): void
  every_ms: number
}

export function createBucketHealth({ tryOut, onChange, every_ms }: BucketHealthOptions): BucketHealth {
  let timer: Timer | undefined
  let is_stopped = false

  const again = () => {
    timer = setTimeout(() => void tryAgain(), every_ms)
    timer.unref()
  }

  async function tryAgain(): Promise<void> {
    try {
      await tryOut()
    } catch {
      // Dropped: the log has why it began to fail.
      if (!is_stopped) again()
      return
    }
    timer = undefined
    if (!is_stopped) onChange(undefined)
  }

  function failed(failure: unknown): unknown {
    const trouble = toStorageFailure(failure)
    if (!(trouble instanceof StorageFailure)) return failure
    if (!timer && !is_stopped) {
      again()
      onChange(trouble)
    }
    return trouble
  }

  return {
    get is_failing() {
      return timer !== undefined
    },
    failed,
    async run(work) {
      try {
        return await work()
      } catch (failure) {
        throw failed(failure)
      }
    },
    stop() {
      is_stopped = true
      clearTimeout(timer)
    },
  }
}

/** The error to throw in place of the bucket's failure: one of storage, but where an object is not there. */
export function toStorageFailure(failure: unknown): unknown {
  if (failure instanceof StorageFailure || isAbsentObject(failure)) return failure
  const cause = failure instanceof Error ? (failure.cause ?? failure) : failure
  return new StorageFailure('unreachable', {
    code: codeOf(cause) || 'BUCKET_FAILED',
    message: messageOf(failure),
    cause: failure,
  })
}
