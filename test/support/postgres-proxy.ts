// A proxy before PostgreSQL that cuts a connection at its COMMIT: before it, half way, or before its answer.

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** The point at which a COMMIT is cut. `silent`: it arrives, but its answer does not, and both connections stay open. */
export type Cut = 'before' | 'half' | 'after' | 'silent'

export interface Proxy extends AsyncDisposable {
  /** The address of the database through the proxy. */
  url: string
  /** Cuts the next COMMIT; later ones pass. */
  cutNext(cut: Cut): void
  /** Sets whether new connections are refused from the next cut on; until then all pass. */
  refuseAfterCut(refuse: boolean): void
  /** The number of cut COMMITs. */
  readonly cuts: number
  /** Cuts all connections, like a restart of the server. */
  cutAll(): void
  /** Stops passing bytes on over existing connections, and keeps them open. */
  silence(): void
  /** Passes new connections to another server, like a host name after a failover. */
  redirect(url: string): void
}

/** The answer to a COMMIT (CommandComplete). */
const ENDED = ['COMMIT\0', 'ROLLBACK\0'].map((text) => Buffer.from(text))

/** @param rewrite changes bytes of the client, such as a session's settings */
export async function startProxy(
  url: string,
  rewrite: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Promise<Proxy> {
  let target = new URL(url)
  const pairs = new Set<readonly [Socket, Socket]>()
  let next: Cut | undefined
  let cuts = 0
  let refuses = false
  let is_closed = false

  const server = createServer((client) => {
    if (is_closed) return void client.destroy()
    const there = connect(Number(target.port || 5432), target.hostname)
    const pair = [client, there] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      for (const socket of pair) socket.destroy()
    }
    let cut: Cut | undefined
    const isCommit = commitWatch()
    client.on('data', (bytes) => {
      if (!isCommit(bytes) || !next) return void there.write(rewrite(bytes))
      cut = next
      next = undefined
      cuts += 1
      is_closed = refuses
      if (cut === 'before') return end()
      if (cut !== 'half') return void there.write(bytes)
      there.write(bytes.subarray(0, bytes.length / 2), end)
    })
    there.on('data', (bytes) => {
      if (cut === undefined) return void client.write(bytes)
      // Answers to statements that were sent with it come first.
      if (cut === 'after' && ENDED.some((answer) => bytes.includes(answer))) end()
    })
    for (const socket of pair) socket.on('close', end).on('error', end)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const own = new URL(url)
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const cutAll = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  return {
    url: own.href,
    cutNext: (cut) => {
      next = cut
    },
    refuseAfterCut: (refuse) => {
      refuses = refuse
      is_closed = false
    },
    get cuts() {
      return cuts
    },
    cutAll,
    silence() {
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    redirect: (to) => {
      target = new URL(to)
    },
    async [Symbol.asyncDispose]() {
      cutAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * Creates a watch over all bytes of a client: whether they contain a COMMIT, as a text (Query), or as a statement prepared from one (Parse,
 * later Bind): https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
function commitWatch(): (bytes: Buffer) => boolean {
  const prepared = new Set<string>()
  let rest = Buffer.alloc(0)
  // The first message has no type.
  let header = 0

  const isCommit = (type: string, [first, second]: string[]): boolean => {
    if (type === 'P' && second === 'COMMIT') prepared.add(first ?? '')
    return type === 'Q' ? first === 'COMMIT' : type === 'B' && prepared.has(second ?? '')
  }

  return (bytes) => {
    let has_commit = false
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= header + 4 && rest.length >= header + rest.readUInt32BE(header)) {
      const end = header + rest.readUInt32BE(header)
      const texts = rest.toString('latin1', header + 4, end).split('\0', 2)
      if (header > 0 && isCommit(rest.toString('latin1', 0, 1), texts)) has_commit = true
      rest = rest.subarray(end)
      header = 1
    }
    return has_commit
  }
}
