// How long `GET /healthz` takes while a gateway is attacked.

const EVERY_MS = 10

/** Asks again and again until it is stopped. @returns `stop`: the longest time that an answer took, in milliseconds */
export function watchHealth(url: URL): { stop(): Promise<number> } {
  let watching = true
  const watch = async (): Promise<number> => {
    let longest_ms = 0
    while (watching) {
      const asked_ms = performance.now()
      await (await fetch(new URL('/healthz', url))).arrayBuffer()
      longest_ms = Math.max(longest_ms, performance.now() - asked_ms)
      await Bun.sleep(EVERY_MS)
    }
    return longest_ms
  }
  const watched = watch()
  // Who gives an attack up does not wait for it; who waits is told.
  watched.catch(() => undefined)
  return {
    stop() {
      watching = false
      return watched
    },
  }
}
