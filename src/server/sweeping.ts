// Rounds of sweeps: one sweep after the other, each by itself, so that one that fails keeps no other from its work.
import type { Logger } from '../observe/log.ts'

export interface Sweep {
  /** Its name in the log. */
  name: string
  /** @throws whatever kept it from its work: the next round tries again */
  sweep(): unknown
}

export interface Sweeping {
  /** Sweeps once, unless a round is under way. Never rejects. */
  run(): Promise<void>
  /** Begins no sweep any more. @returns once that under way is over */
  stop(): Promise<void>
}

/** Rounds of these sweeps, in their order; a failure is logged with the sweep's name. */
export function sweepEach(sweeps: readonly Sweep[], log: Pick<Logger, 'error'>): Sweeping {
  let stopping = false
  let running: Promise<void> | undefined

  const runAll = async (): Promise<void> => {
    for (const { name, sweep } of sweeps) {
      if (stopping) return
      try {
        await sweep()
      } catch (cause) {
        log.error({ cause, sweep: name }, 'sweep failed')
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
      await running
    },
  }
}
