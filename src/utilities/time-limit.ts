// A time limit on work that cannot be ended: it is no longer waited for.

/** @throws Error if it takes longer, in words that follow what was at work; what `work` throws */
export async function withinTime<T>(limit_ms: number, work: () => T | Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`it took longer than ${limit_ms / 1_000} s`)),
    limit_ms,
  )
  try {
    return await Promise.race([(async () => work())(), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
