// The two executors of batches: one commits on the event loop, the other on a thread of its own.
import { openDatabase } from '../db/open.ts'
import { commitBatch, type Result } from './failure.ts'
import type { Operation } from './operations.ts'
import type { ToThread } from './thread.ts'
import { createWriter, type Probe } from './writer.ts'

/** Commits batches one at a time: the next one is passed only after the results of the last. */
export interface Executor {
  /** @returns one result for each operation. Rejects only when the executor itself has failed. */
  commit(operations: Operation[]): Promise<Result[]>
  close(): Promise<void>
}

/** Commits on the event loop, which waits for the disk: the cheaper executor where an fsync is fast. */
export function inlineExecutor(path: string, probe?: Probe): Executor {
  const db = openDatabase(path)
  const writer = createWriter(db, probe)
  return {
    commit: async (operations) => commitBatch(writer, operations),
    close: async () => db.close(),
  }
}

/**
 * Commits on a thread, so that the event loop never waits for the disk.
 *
 * @throws Error when the thread cannot start or cannot open the database
 */
export async function threadExecutor(path: string): Promise<Executor> {
  // In a compiled binary every module is `/$bunfs/root/<binary>`. This URL finds the thread there because the build
  // lists it as an entry point, and entry points lose their folders.
  const worker = new Worker(new URL('./thread.ts', import.meta.url).href)
  let waiting: PromiseWithResolvers<unknown> | undefined
  let dead: Error | undefined
  const die = (reason: string) => {
    dead = new Error(`the thread of the ledger ended: ${reason}`)
    waiting?.reject(dead)
  }
  worker.onmessage = (event: MessageEvent<string>) => waiting?.resolve(JSON.parse(event.data))
  worker.onerror = (event) => die(event.message)
  worker.addEventListener('close', () => die('closed'))

  const ask = (message: ToThread): Promise<unknown> => {
    if (dead) return Promise.reject(dead)
    waiting = Promise.withResolvers()
    worker.postMessage(JSON.stringify(message))
    return waiting.promise
  }

  const answer = await ask({ open: path })
  if (answer !== 'ready') {
    worker.terminate()
    throw new Error(`the thread of the ledger could not open the database: ${JSON.stringify(answer)}`)
  }
  return {
    commit: async (operations) => (await ask({ commit: operations })) as Result[],
    close: async () => {
      await ask({ close: true })
      worker.terminate()
    },
  }
}
