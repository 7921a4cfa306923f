// A counted gateway: its process counts its operations, and reports what one call adds to the counts.
import { join } from 'node:path'
import { commandOf, executable } from '../support/programs.ts'
import { type Load, loadOn } from '../tools/bench/measure.ts'
import { untilListening } from '../tools/bench/processes.ts'
import { nowMs } from '../tools/bench/recording.ts'
import { type DataFolder, makeDataFolder, type Subject, sourceOf } from '../tools/bench/subjects.ts'
import { COUNTING, type Counts } from './counters.ts'

const PRELOAD = join(import.meta.dir, 'preload.ts')

export interface CountedGateway extends AsyncDisposable {
  /**
   * The counts that one call adds. Calls run one after the other, so that they share nothing; the first ones are not counted, since they
   * also create what a process creates once.
   */
  perCall(load: Load): Promise<Counts>
}

/** Starts the gateway of a checkout, its own program, with counters around it. @param upstream_port the port of its providers */
export async function startCounted(checkout: string, upstream_port: number): Promise<CountedGateway> {
  const [bun = 'bun', ...program] = sourceOf(checkout)
  const data = await makeDataFolder(executable ? commandOf('gateway') : [bun, ...program], upstream_port)
  let receive: (counts: Counts) => void = () => {}
  const child = Bun.spawn([bun, '--preload', PRELOAD, ...program, 'serve', '--data', data.path], {
    // With the limit raised already, the program does not replace itself by another process.
    env: { ...process.env, ...COUNTING, BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' },
    stdout: 'ignore',
    stderr: 'ignore',
    ipc: (counts: Counts) => receive(counts),
  })
  await untilListening(data.port, nowMs(), '/healthz')
  const subject = subjectOf(data, child.pid)
  const counts = (): Promise<Counts> => {
    const { promise, resolve } = Promise.withResolvers<Counts>()
    receive = resolve
    child.send('counts')
    return promise
  }
  return {
    async perCall(load) {
      await loadOn(subject, load)
      const before = await counts()
      // Reporting the counts adds to them, too.
      const reporting = difference(before, await counts(), 1)
      const start = await counts()
      await loadOn(subject, load)
      const added = difference(start, await counts(), 1)
      return difference(reporting, added, load.calls)
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
      data.remove()
    },
  }
}

const subjectOf = (data: DataFolder, pid: number): Subject => ({
  name: 'gateway',
  port: data.port,
  api_key: data.api_key,
  process: { pid, stop: async () => {} },
})

/** The added counts, divided among calls or events. */
export const difference = (before: Counts, after: Counts, divisor: number): Counts =>
  Object.fromEntries(
    Object.entries(after).map(([name, count]) => [name, (count - (before[name] ?? 0)) / divisor]),
  )
