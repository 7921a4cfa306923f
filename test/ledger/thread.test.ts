// The ledger's thread dies: what was under way fails as something to be tried again, and the next batch has a new thread.
import { expect, test } from 'bun:test'
import { threadExecutor } from '../../src/ledger/executors.ts'
import { groupCommit } from '../../src/ledger/ledger.ts'
import { eventually } from '../support/eventually.ts'
import { takeWriteLock } from '../support/write-lock.ts'
import { onDisk } from './disk.ts'
import { brokenInvariants, hold, post, stateOf } from './world.ts'

const THREAD = new URL('../../src/ledger/thread.ts', import.meta.url).href

/** A ledger on a thread, the threads that it had, and what it said of itself. */
async function threaded(path: string) {
  const threads: Worker[] = []
  const said: (string | undefined)[] = []
  const executor = await threadExecutor(path, () => {
    const thread = new Worker(THREAD)
    threads.push(thread)
    return thread
  })
  const ledger = groupCommit(executor, { onChange: (failing) => said.push(failing) })
  return { ledger, threads, said }
}

test('a thread says that it has closed the database', () =>
  onDisk({}, async (path) => {
    const worker = new Worker(THREAD)
    const said: unknown[] = []
    const twice = Promise.withResolvers<void>()
    worker.onmessage = ({ data }: MessageEvent<string>) => {
      said.push(JSON.parse(data))
      if (said.length === 2) twice.resolve()
    }
    worker.onerror = () => twice.resolve()
    for (const message of [{ open: path }, 'close', 'try']) worker.postMessage(JSON.stringify(message))
    await twice.promise
    worker.terminate()
    expect(said).toEqual(['ready', 'closed'])
  }))

test('a dead thread is replaced, and nothing that was answered is lost', () =>
  onDisk({ balance: 100 }, async (path, db) => {
    const { ledger, threads, said } = await threaded(path)
    expect(await ledger.submit(hold(60))).toMatchObject({ ok: true, hold_id: 1 })
    await threads[0]?.terminate()
    // The death may be noticed before the next batch, or by it.
    const settle = async () => {
      try {
        return await ledger.submit(post(1, 25))
      } catch (thrown) {
        expect(thrown).toMatchObject({ kind: 'overloaded', code: 'ledger_unavailable' })
        return undefined
      }
    }
    await eventually('the hold is posted', async () => (await settle()) !== undefined)
    expect(threads).toHaveLength(2)
    expect(said.filter((failing) => failing !== undefined).length).toBeLessThanOrEqual(1)
    expect(ledger.failing).toBeUndefined()
    expect(stateOf(db)).toMatchObject({ balance: 75, held: 0 })
    expect(brokenInvariants(db)).toEqual([])
    await ledger.close()
  }))

test('a batch under way when the thread dies fails at once, and the ledger finds by itself that it can commit again', () =>
  onDisk({ balance: 100 }, async (path, db) => {
    const { ledger, threads, said } = await threaded(path)
    const unlock = await takeWriteLock(path)
    const under_way = ledger.submit(hold(60)).catch((thrown: unknown) => thrown)
    // The batch has left for the thread at the end of this turn.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    await threads[0]?.terminate()
    expect(await under_way).toMatchObject({ kind: 'overloaded', code: 'ledger_unavailable' })
    expect(ledger.failing).toBe('the database cannot be written')
    await unlock()
    await eventually('it can commit', () => ledger.failing === undefined)
    expect(said.at(-1)).toBeUndefined()
    expect(stateOf(db)).toMatchObject({ held: 0 })
    expect(await ledger.submit(hold(60))).toMatchObject({ ok: true })
    await ledger.close()
  }))
