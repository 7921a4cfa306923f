// Periodic work by a clock that may be set.

/** Whether the work is due: also if the clock was set back since the last time, which would otherwise delay it by that much. */
export const isDueAgain = (now_ms: number, due_at_ms: number, every_ms: number): boolean =>
  now_ms >= due_at_ms || now_ms < due_at_ms - every_ms
