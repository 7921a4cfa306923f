// Work that is done every so often, by a clock that may be set.

/** Reports whether it is due: also where the clock was set back since it was done, which would put it off by as much. */
export const isDueAgain = (now_ms: number, due_at_ms: number, every_ms: number): boolean =>
  now_ms >= due_at_ms || now_ms < due_at_ms - every_ms
