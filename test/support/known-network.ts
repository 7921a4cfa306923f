// A simulated network for a gateway process: known servers under their real names, played by one script on this machine.
//
// Environment variables give the process a proxy and a certificate, as on machines behind a proxy. So its catalogue has the entries of a
// real one, and it resolves, trusts and calls the servers' real addresses.
import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type Script, startUpstream, type UpstreamRequest } from './upstream.ts'

const TLS = join(import.meta.dir, '../fixtures/tls')
const PEM = join(TLS, 'known-servers.pem')

interface KnownNetwork extends AsyncDisposable {
  /** The environment variables of the process for this network. */
  environment: Readonly<Record<string, string>>
  /** All requests, the oldest first. */
  seen: UpstreamRequest[]
  /** Sets the answer to later requests. */
  answer(script: Script): void
}

/** The complete URL of a request. */
export const addressOf = ({ path, headers }: Pick<UpstreamRequest, 'path' | 'headers'>): string =>
  path.startsWith('/') ? `https://${headers.host}${path}` : path

export async function startKnownNetwork(script: Script): Promise<KnownNetwork> {
  let current = script
  const seen: UpstreamRequest[] = []
  const record: Script = (request, index) => {
    seen.push(request)
    return typeof current === 'function' ? current(request, index) : current
  }
  const pair = { cert: readFileSync(PEM), key: readFileSync(join(TLS, 'known-servers.key')) }
  const [encrypted, plain] = await Promise.all([startUpstream(record, pair), startUpstream(record)])
  const proxy = await startProxy((head) => {
    // Requests to servers without TLS have the whole address.
    if (!head.startsWith('CONNECT ')) return plain.url
    return /^CONNECT \S+:443 /.test(head) ? encrypted.url : undefined
  })
  return {
    environment: { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, NO_PROXY: '', NODE_EXTRA_CA_CERTS: PEM },
    seen,
    answer: (next) => {
      current = next
    },
    async [Symbol.asyncDispose]() {
      proxy.close()
      await Promise.all([encrypted[Symbol.asyncDispose](), plain[Symbol.asyncDispose]()])
    },
  }
}

/** @param routeOf the target of a connection with this beginning; undefined ends it */
async function startProxy(routeOf: (head: string) => string | undefined) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('data', (first) => {
      const head = first.toString('latin1')
      const to = routeOf(head)
      if (to === undefined) return void socket.destroy()
      const onward = connect(Number(new URL(to).port), '127.0.0.1', () => {
        if (head.startsWith('CONNECT ')) socket.write('HTTP/1.1 200 Connected\r\n\r\n')
        else onward.write(first)
        socket.pipe(onward).pipe(socket)
      })
      sockets.add(onward)
      onward.on('error', () => socket.destroy())
      socket.on('error', () => onward.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
