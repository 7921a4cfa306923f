// The registered hooks of custom plugins, and their counters.
import type { AfterSettle, BeforeCall } from '../../plugin-api.ts'

/** Counters of one plugin's hooks since the start. */
interface HookCounts {
  /** Calls that its before-call hooks saw, refused or changed, and calls at which a hook failed. */
  seen: number
  refused: number
  changed: number
  failed: number
  /** Records for its after-settle hooks: waiting, delivered, dropped because the queue was full, and failed. */
  waiting: number
  delivered: number
  dropped: number
  failed_after: number
}

export interface HooksOfPlugin {
  readonly name: string
  readonly before: readonly BeforeCall[]
  readonly after: readonly AfterSettle[]
  readonly counts: HookCounts
}

/** The hooks of all plugins, in the order in which they run. Filled once, when plugins are loaded at the start. */
export interface CallHooks {
  /** The plugins with before-call hooks. While it is empty, calls are not inspected. */
  readonly before: HooksOfPlugin[]
  /** The time limit of one hook. */
  before_limit_ms: number
}

const BEFORE_CALL_LIMIT_MS = 2_000

export const noHooks = (): CallHooks => ({ before: [], before_limit_ms: BEFORE_CALL_LIMIT_MS })

/** Counts a plugin's hooks of each kind, for lists of plugins. */
export const countHooks = ({ before, after }: Pick<HooksOfPlugin, 'before' | 'after'>) => ({
  before_call: before.length,
  after_settle: after.length,
})

export const noCounts = (): HookCounts => ({
  seen: 0,
  refused: 0,
  changed: 0,
  failed: 0,
  waiting: 0,
  delivered: 0,
  dropped: 0,
  failed_after: 0,
})
