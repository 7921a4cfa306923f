// State of a running import that its steps share.
import type { ShowStep } from '../../../src/app/commands/progress.ts'
import type { ActionContext } from '../../../src/domain/actions.ts'
import { batchesOf } from '../../../src/utilities/batches.ts'
import type { Plan } from '../plan/plan.ts'

/** Named points at which a test ends the process. */
export type ImportPoint =
  | 'env file'
  | 'accounts'
  | 'money'
  | 'vouchers'
  | 'history'
  | 'catalogue'
  | 'links file'
  | 'links'

export interface ImportRun {
  readonly plan: Plan
  readonly now_ms: number
  readonly by: ActionContext | undefined
  readonly show: ShowStep
  /** @throws GatewayError conflict after a stop signal */
  readonly check: () => void
  readonly probe: (point: ImportPoint) => void
}

/** Yields the batches of a step. Before each one it checks for a stop signal and shows progress. @throws as `ImportRun.check` */
export function* batchesOfStep<T>(
  { show, check }: ImportRun,
  all: readonly T[],
  { size, what, unit }: { size: number; what: string; unit: string },
): Generator<T[]> {
  let done = 0
  for (const batch of batchesOf(all, size)) {
    check()
    show({ what, done, of: all.length, unit })
    yield batch
    done += batch.length
  }
}
