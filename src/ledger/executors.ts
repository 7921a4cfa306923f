// The two executors of batches: one commits on the event loop, the other on a thread of its own.
import { neverBlock } from '../db/busy.ts'
import { openDatabase } from '../db/open.ts'
import { commitPatiently, type Failure, type Result, tryToWrite } from './failure.ts'
import type { Operation } from './operations.ts'
import type { Committed, ToThread } from './thread.ts'
import { createWriter, type Probe } from './writer.ts'

/** Commits batches one at a time: the next one is passed only after the results of the last. */
export interface Executor {
  /**
   * @param wait_ms how long to wait for another process's write lock
   * @returns one result for each operation. Rejects only when the executor itself has failed: what became of the batch is
   * not known then
   */
  commit(operations: Operation[], wait_ms: number): Promise<Result[]>
  /** Whether anything can be committed; undefined if it can. Rejects as `commit`. */
  tryToWrite(): Promise<Failure | undefined>
  close(): Promise<void>
}

/** An executor that knows how long its commits take. */
export interface MeasuredExecutor extends Executor {
  /** How long the last batch's COMMIT took; undefined if it was not committed. */
  readonly sync_ms: number | undefined
}

/** Commits on the event loop, which waits for the disk: the cheaper executor where an fsync is fast. */
export function inlineExecutor(path: string, probe?: Probe): MeasuredExecutor {
  const db = openDatabase(path)
  neverBlock(db)
  const writer = createWriter(db, probe)
  return {
    get sync_ms() {
      return writer.sync_ms
    },
    commit: (operations, wait_ms) => commitPatiently(writer, operations, wait_ms),
    tryToWrite: async () => tryToWrite(writer),
    close: async () => db.close(),
  }
}

/**
 * Commits on a thread, so that the event loop never waits for the disk. A thread that dies is replaced at the next batch.
 *
 * @param makeThread for tests, which end a thread
 * @throws Error when the first thread cannot start or cannot open the database
 */
export async function threadExecutor(path: string, makeThread = newThread): Promise<MeasuredExecutor> {
  let thread: Thread | undefined = await startThread(path, makeThread)
  let sync_ms: number | undefined
  const ask = async (message: ToThread): Promise<unknown> => {
    if (thread?.dead) thread = undefined
    thread ??= await startThread(path, makeThread)
    return await thread.ask(message)
  }
  return {
    get sync_ms() {
      return sync_ms
    },
    async commit(commit, wait_ms) {
      sync_ms = undefined
      const committed = (await ask({ commit, wait_ms })) as Committed
      sync_ms = committed.sync_ms
      return committed.results
    },
    tryToWrite: async () => ((await ask('try')) as { failure?: Failure }).failure,
    async close() {
      if (!thread || thread.dead) return
      await thread.ask('close')
      thread.end()
    },
  }
}

// In a compiled binary every module is `/$bunfs/root/<binary>`. This URL finds the thread there because the build
// lists it as an entry point, and entry points lose their folders.
const newThread = (): Worker => new Worker(new URL('./thread.ts', import.meta.url).href)

interface Thread {
  readonly dead: boolean
  /** One question at a time. @returns its answer. Rejects when the thread dies before */
  ask(message: ToThread): Promise<unknown>
  end(): void
}

async function startThread(path: string, makeThread: () => Worker): Promise<Thread> {
  const worker = makeThread()
  let waiting: PromiseWithResolvers<unknown> | undefined
  let dead: Error | undefined
  const die = (reason: string) => {
    dead ??= new Error(`the thread of the ledger ended: ${reason}`)
    waiting?.reject(dead)
  }
  worker.onmessage = (event: MessageEvent<string>) => waiting?.resolve(JSON.parse(event.data))
  worker.onerror = (event) => die(event.message)
  worker.addEventListener('close', () => die('closed'))
  const thread: Thread = {
    get dead() {
      return dead !== undefined
    },
    ask(message) {
      if (dead) return Promise.reject(dead)
      waiting = Promise.withResolvers()
      worker.postMessage(JSON.stringify(message))
      return waiting.promise
    },
    end: () => worker.terminate(),
  }
  const answer = await thread.ask({ open: path })
  if (answer === 'ready') return thread
  worker.terminate()
  throw new Error(`the thread of the ledger could not open the database: ${JSON.stringify(answer)}`)
}
