// The parts of an import under way that its steps share.
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

export interface Applying {
  readonly plan: Plan
  readonly now_ms: number
  readonly by: ActionContext | undefined
  readonly show: ShowStep
  /** @throws GatewayError conflict once a signal has come */
  readonly check: () => void
  readonly probe: (point: ImportPoint) => void
}

/** The batches of a step: before each one it looks for a signal and shows how far the step is. @throws as `Applying.check` */
export function* batchesOfStep<T>(
  { show, check }: Applying,
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
