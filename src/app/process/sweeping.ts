// Rounds of sweeps: one sweep after the other, each by itself, so that one that fails or hangs keeps no other from its work.
import type { Logger } from '../../observe/log.ts'
import { withinTime } from '../../utilities/time-limit.ts'

export interface Sweep {
  /** Its name in the log. */
  name: string
  /** @throws whatever kept it from its work: the next round tries again */
  sweep(): unknown
}

export interface Sweeping {
  /** Sweeps once, unless a round is under way. Never rejects. */
  run(): Promise<void>
  /** Begins no sweep any more. @returns once that under way is over, or has had its time to end */
  stop(): Promise<void>
}

interface SweepLimits {
  /** After it the others go on beside a sweep, as of files on a disk that does not answer. */
  max_sweep_ms?: number
  /** So long a stop waits for the sweep under way. */
  max_stop_ms?: number
}

/** Rounds of these sweeps, in their order; a failure is logged with the sweep's name. */
export function sweepEach(
  sweeps: readonly Sweep[],
  log: Pick<Logger, 'error'>,
  { max_sweep_ms = 300_000, max_stop_ms = 5_000 }: SweepLimits = {},
): Sweeping {
  const under_way = new Set<string>()
  let stopping = false
  let running: Promise<void> | undefined

  async function begin({ name, sweep }: Sweep): Promise<void> {
    under_way.add(name)
    try {
      await sweep()
    } finally {
      under_way.delete(name)
    }
  }

  const runAll = async (): Promise<void> => {
    for (const each of sweeps) {
      if (stopping) return
      if (under_way.has(each.name)) continue
      try {
        await withinTime(max_sweep_ms, () => begin(each))
      } catch (cause) {
        log.error({ cause, sweep: each.name }, 'sweep failed')
      }
    }
  }

  return {
    run: () =>
      (running ??= runAll().finally(() => {
        running = undefined
      })),
    async stop() {
      stopping = true
      // Dropped: what is left of it is of no use to a process that ends.
      await withinTime(max_stop_ms, () => running).catch(() => {})
    },
  }
}
