// A time limit on work that cannot be cancelled: the caller stops waiting for it.

/** @throws Error if it takes longer, with a message that continues a sentence about the work; the error of `work` */
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
