// The executor of `auto`: commits on the event loop or on a thread, as the times of the commits themselves suggest.
import type { Executor, MeasuredExecutor } from './executors.ts'

/** Where commits are made. */
export type Place = 'inline' | 'thread'

/** @param cause why the thread could not be started: commits stay on the event loop then */
export type OnMove = (place: Place, cause?: unknown) => void

export interface AutoOptions {
  readonly inline: MeasuredExecutor
  readonly openThread: () => Promise<MeasuredExecutor>
  readonly starts_on: Place
  readonly onMove?: OnMove | undefined
}

/** A disk whose bare fsync takes longer than this is taken for slow until commits tell. */
export const SLOW_SYNC_MS = 0.5
/**
 * A commit writes its pages, too: of some ten calls on a quick disk 0.2 ms, and 0.5 ms while the processor is busy. One that takes
 * longer than this blocks the event loop for longer than passing a batch to a thread takes.
 */
const SLOW_COMMIT_MS = 0.9
/** The thread's batches are worth taking back below this: between the two all stays as it is. */
const QUICK_COMMIT_MS = 0.5

/** So many commits are compared before the event loop is relieved of them: more would block it for longer. */
const COMMITS_TO_LEAVE_LOOP = 7
/** So many before they come back; twice as many each time, since a disk that changes often is best left to the thread. */
const COMMITS_TO_COME_BACK = 64
const MAX_COMMITS_TO_COME_BACK = 65_536

/**
 * Where the commits that follow should be made.
 *
 * @returns a function to be told where each commit was made and how long it took. It answers the other place where most of the
 * last commits in this one were too slow for it, or quick enough to come back
 */
export function watchPace(): (place: Place, sync_ms: number) => Place {
  let place_seen: Place | undefined
  let commits = 0
  let slow = 0
  let to_come_back = COMMITS_TO_COME_BACK
  return (place, sync_ms) => {
    if (place !== place_seen) [place_seen, commits, slow] = [place, 0, 0]
    commits += 1
    if (sync_ms > (place === 'inline' ? SLOW_COMMIT_MS : QUICK_COMMIT_MS)) slow += 1
    if (commits < (place === 'inline' ? COMMITS_TO_LEAVE_LOOP : to_come_back)) return place
    const mostly_slow = slow * 2 > commits
    commits = 0
    slow = 0
    if (place === 'inline') return mostly_slow ? 'thread' : 'inline'
    if (mostly_slow) return 'thread'
    to_come_back = Math.min(to_come_back * 2, MAX_COMMITS_TO_COME_BACK)
    return 'inline'
  }
}

/**
 * An executor that changes over between two, each with a connection of its own. It has one batch at a time, and changes between
 * two batches: none is lost, and their order stays.
 *
 * @throws what `openThread` throws, where it starts on the thread
 */
export async function autoExecutor(options: AutoOptions): Promise<Executor> {
  const { inline, openThread, starts_on, onMove = () => {} } = options
  const pace = watchPace()
  let thread = starts_on === 'thread' ? await openThread() : undefined
  let changing: Promise<void> | undefined
  let startable = true

  /** Commits stay on the event loop until the thread is ready. */
  const toThread = async (): Promise<void> => {
    try {
      thread = await openThread()
      onMove('thread')
    } catch (cause) {
      startable = false
      onMove('inline', cause)
    }
    changing = undefined
  }

  const toLoop = async (left: MeasuredExecutor): Promise<void> => {
    thread = undefined
    onMove('inline')
    // Dropped: that the thread ended by itself meanwhile. Its last batch is answered, so there is nothing left to close.
    await left.close().catch(() => undefined)
    changing = undefined
  }

  return {
    async commit(operations, wait_ms) {
      const executor = thread ?? inline
      const results = await executor.commit(operations, wait_ms)
      const { sync_ms } = executor
      if (sync_ms === undefined) return results
      const better = pace(executor === inline ? 'inline' : 'thread', sync_ms)
      if (better === 'thread' && !thread && startable) changing ??= toThread()
      if (better === 'inline' && thread) changing ??= toLoop(thread)
      return results
    },
    tryToWrite: () => (thread ?? inline).tryToWrite(),
    async close() {
      await changing
      await thread?.close()
      await inline.close()
    },
  }
}
