// The hooks that custom plugins have registered, and the counts of their calls.
import type { AfterSettle, BeforeCall } from '../../plugin-api.ts'

/** Counts of a plugin's hooks since the start. */
interface HookCounts {
  /** Calls that its hooks before a call saw, refused and changed, and at which one of them failed. */
  seen: number
  refused: number
  changed: number
  failed: number
  /** Records for its hooks after settle: waiting, delivered, dropped because too many waited, and failed. */
  waiting: number
  delivered: number
  dropped: number
  failed_after: number
}

/** The hooks of one plugin. */
export interface HooksOfPlugin {
  readonly name: string
  readonly before: readonly BeforeCall[]
  readonly after: readonly AfterSettle[]
  readonly counts: HookCounts
}

/** The hooks of all plugins, in the order in which they run. Plugins are loaded once, at the start: then it is filled. */
export interface CallHooks {
  /** The plugins that have hooks before a call. While it is empty, no call is looked at. */
  readonly before: HooksOfPlugin[]
  /** A hook may take this long. */
  before_limit_ms: number
}

const BEFORE_CALL_LIMIT_MS = 2_000

export const noHooks = (): CallHooks => ({ before: [], before_limit_ms: BEFORE_CALL_LIMIT_MS })

/** How many hooks of each kind a plugin has, as lists of plugins show it. */
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
