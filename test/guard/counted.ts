// A gateway whose process counts what it does, and what one call of some kind adds to the counts.
import { join } from 'node:path'
import { type Load, loadOn } from '../tools/bench/measure.ts'
import { untilListening } from '../tools/bench/processes.ts'
import { nowMs } from '../tools/bench/recording.ts'
import { type DataFolder, makeDataFolder, type Subject, sourceOf } from '../tools/bench/subjects.ts'
import { COUNTING, type Counts } from './counters.ts'

const PRELOAD = join(import.meta.dir, 'preload.ts')

export interface CountedGateway extends AsyncDisposable {
  /**
   * What one call adds to the counts. The calls come one after the other, so that nothing is shared between them; the
   * first ones, which also make what is made once, are not counted.
   */
  perCall(load: Load): Promise<Counts>
}

/**
 * Starts the gateway of a checkout, its own program, with counters around it.
 * @param upstream_port where its providers answer
 * @param server lines of the catalogue's `[server]`
 */
export async function startCounted(checkout: string, upstream_port: number): Promise<CountedGateway> {
  const [bun = 'bun', ...program] = sourceOf(checkout)
  const data = await makeDataFolder([bun, ...program], upstream_port)
  let told: (counts: Counts) => void = () => {}
  const child = Bun.spawn([bun, '--preload', PRELOAD, ...program, 'serve', '--data', data.path], {
    // With the limit raised already, the program does not replace itself by another process.
    env: { ...process.env, ...COUNTING, BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' },
    stdout: 'ignore',
    stderr: 'ignore',
    ipc: (counts: Counts) => told(counts),
  })
  await untilListening(data.port, nowMs(), '/healthz')
  const subject = subjectOf(data, child.pid)
  const counts = (): Promise<Counts> => {
    const { promise, resolve } = Promise.withResolvers<Counts>()
    told = resolve
    child.send('counts')
    return promise
  }
  return {
    async perCall(load) {
      await loadOn(subject, load)
      const before = await counts()
      // What telling the counts adds to them itself.
      const telling = difference(before, await counts(), 1)
      const begun = await counts()
      await loadOn(subject, load)
      const added = difference(begun, await counts(), 1)
      return difference(telling, added, load.calls)
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

/** What was added, for each of so many. */
export const difference = (before: Counts, after: Counts, among: number): Counts =>
  Object.fromEntries(
    Object.entries(after).map(([name, count]) => [name, (count - (before[name] ?? 0)) / among]),
  )
