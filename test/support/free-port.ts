// A free port, for programs that cannot use port 0, and for addresses without a server.

/** A port that is free at this moment. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  listener.stop(true)
  return listener.port
}
