// The parts of an import under way that its steps share.
import type { ShowStep } from '../../../src/app/commands/progress.ts'
import type { ActionContext } from '../../../src/domain/actions.ts'
import type { Plan } from '../plan/plan.ts'

/** Named points at which a test ends the process. */
export type ImportPoint = 'env file' | 'accounts' | 'money' | 'history' | 'catalogue' | 'links file' | 'links'

export interface Applying {
  readonly plan: Plan
  readonly now_ms: number
  readonly by: ActionContext | undefined
  readonly show: ShowStep
  /** @throws GatewayError conflict once a signal has come */
  readonly check: () => void
  readonly probe: (point: ImportPoint) => void
}
