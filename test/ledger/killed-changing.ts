// A process that kills itself (SIGKILL) while its ledger changes between the event loop and the thread, under load. Prints the
// hold of each call that was answered. Arguments: database, point.
import { writeSync } from 'node:fs'
import { autoExecutor } from '../../src/ledger/auto-executor.ts'
import { inlineExecutor, type MeasuredExecutor, threadExecutor } from '../../src/ledger/executors.ts'
import { groupCommit } from '../../src/ledger/ledger.ts'
import { hold, post } from './world.ts'

const [path = '', fatal = ''] = process.argv.slice(2)
/** The process dies when it passes its point for this time: the thread is left once only. */
const FATAL_PASSING = fatal === 'to inline' ? 1 : 3
let moves = 0
let passed = 0

function pass(point: string): void {
  if (point === fatal && ++passed === FATAL_PASSING) process.kill(process.pid, 'SIGKILL')
}

/** Passes a point after each commit was begun: on the thread it is under way then, on the event loop it is written. */
function watched(executor: MeasuredExecutor, point: () => string, sync_ms: number): MeasuredExecutor {
  return {
    sync_ms,
    commit(operations, wait_ms) {
      const results = executor.commit(operations, wait_ms)
      pass(point())
      return results
    },
    tryToWrite: () => executor.tryToWrite(),
    close() {
      pass('to inline')
      return executor.close()
    },
  }
}

const executor = await autoExecutor({
  inline: watched(inlineExecutor(path), () => (moves === 2 ? 'back inline' : 'inline'), 2),
  async openThread() {
    const opening = threadExecutor(path)
    // The calls go on meanwhile.
    for (let pause = 0; pause < FATAL_PASSING; pause++) {
      await Bun.sleep(1)
      pass('to thread')
    }
    return watched(await opening, () => 'on thread', 0.1)
  },
  starts_on: 'inline',
  onMove: () => {
    moves += 1
  },
})
const ledger = groupCommit(executor)
await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (let calls = 0; calls < 1_000; calls++) {
      const held = await ledger.submit(hold(10))
      if (!held.ok) throw new Error(held.refusal)
      await ledger.submit(post(held.hold_id, 3))
      writeSync(1, `${held.hold_id}\n`)
    }
  }),
)
