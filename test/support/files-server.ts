// A file server for tests that can interrupt a download or redirect to another address.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface FilesServer extends Disposable {
  url: string
  /** The paths of the requests, in order. */
  readonly seen: string[]
}

/** The answer at a path: a file, a file's first bytes with the length of more, or a redirect. */
export type ServedFile = Uint8Array | string | { first: Uint8Array } | { location: string }

/** @param files by path, such as `/checksums.txt`; others are 404 */
export async function serveFiles(files: Readonly<Record<string, ServedFile>>): Promise<FilesServer> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    seen.push(path)
    const file = files[path]
    if (file === undefined) response.writeHead(404).end('No such file.')
    else if (typeof file === 'string' || file instanceof Uint8Array) response.end(file)
    else if ('location' in file) response.writeHead(302, { location: file.location }).end()
    else {
      response.writeHead(200, { 'content-length': file.first.length + 1 })
      response.write(file.first, () => response.socket?.end())
    }
  })
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', () => listening.resolve())
  await listening.promise
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
