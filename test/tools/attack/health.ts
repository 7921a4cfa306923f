// The time that `GET /healthz` takes while a gateway is attacked.

const EVERY_MS = 10

/** Requests it repeatedly. @returns `stop`, which ends this and resolves with the longest time of an answer in milliseconds */
export function watchHealth(url: URL): { stop(): Promise<number> } {
  let watching = true
  const watch = async (): Promise<number> => {
    let longest_ms = 0
    while (watching) {
      const sent_ms = performance.now()
      await (await fetch(new URL('/healthz', url))).arrayBuffer()
      longest_ms = Math.max(longest_ms, performance.now() - sent_ms)
      await Bun.sleep(EVERY_MS)
    }
    return longest_ms
  }
  const watched = watch()
  // An aborted attack does not wait for it; `stop` reports the failure.
  watched.catch(() => undefined)
  return {
    stop() {
      watching = false
      return watched
    },
  }
}
