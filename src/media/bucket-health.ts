// The health of the bucket of files: a failure marks it as failing, and a successful trial ends that. A working bucket is not polled.
import { StorageFailure } from '../domain/storage-failure.ts'
import { isAbsentObject } from '../store/engines/s3/failure.ts'
import { codeOf, messageOf } from '../utilities/thrown.ts'

export interface BucketHealth {
  /** Whether it failed, without a successful trial since. */
  readonly is_failing: boolean
  /** Runs a request to the bucket. @throws StorageFailure if the bucket fails, which is then marked as failing */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Records a failure that a caller received from the bucket. @returns the error to throw instead */
  failed(failure: unknown): unknown
  stop(): void
}

interface BucketHealthOptions {
  /** Writes an object to the bucket. */
  tryOut(): Promise<void>
  /** Called with the failure when the bucket begins to fail, and without one when it works again. */
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
      // Dropped: the log has the first failure.
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

/** Converts a bucket's failure to a StorageFailure, except for a missing object. */
export function toStorageFailure(failure: unknown): unknown {
  if (failure instanceof StorageFailure || isAbsentObject(failure)) return failure
  const cause = failure instanceof Error ? (failure.cause ?? failure) : failure
  return new StorageFailure('unreachable', {
    code: codeOf(cause) || 'BUCKET_FAILED',
    message: messageOf(failure),
    cause: failure,
  })
}
