// Where a release's files are read from: a folder, or an address, which is the only one that an upgrade asks.
import { createReadStream, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type GatewayError, invalidRequest, notFound, unprocessable } from '../../src/domain/errors.ts'
import { messageOf } from '../../src/utilities/thrown.ts'

/** Sends a GET request, and follows no redirect. */
type Get = (url: string) => Promise<Response>

export interface Source {
  /** The archive's name, as `checksums.txt` has it. */
  readonly archive: string
  /** The bytes of a file beside the archive, or of the archive. @throws GatewayError where it is missing or cannot be read */
  read(name: string): AsyncIterable<Uint8Array>
}

const MAX_REDIRECTS = 5
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])$/

/**
 * The folder or the address that has the archive.
 * @param from the path or the URL of the archive
 * @throws GatewayError invalid_request for another scheme, not_found for a file that is not there
 */
export function sourceOf(from: string, get: Get): Source {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(from)) return addressOf(from, get)
  const path = resolve(from)
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw notFound(
      `${path}: file not found. Give --from the archive of a release, such as tollgate-0.5.0-linux-x64.tar.gz, or its URL.`,
    )
  return {
    archive: basename(path),
    read: (name) => readFileOf(join(dirname(path), name)),
  }
}

async function* readFileOf(path: string): AsyncGenerator<Uint8Array> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw notFound(`${path}: file not found. It must be beside the archive; download it from the release.`)
  for await (const bytes of createReadStream(path)) yield bytes as Uint8Array
}

function addressOf(from: string, get: Get): Source {
  if (!URL.canParse(from)) throw invalidRequest(`${from} is not a URL.`)
  const url = new URL(from)
  refusePlain(url)
  return {
    archive: basename(url.pathname),
    async *read(name) {
      const answer = await follow(new URL(encodeURIComponent(name), url), get)
      try {
        for await (const bytes of answer.body ?? []) yield bytes
      } catch (thrown) {
        throw unreachable(new URL(name, url), messageOf(thrown))
      }
    },
  }
}

/**
 * The same content, as far as it may go.
 * @param name for the refusal
 * @throws GatewayError unprocessable for more: nobody fills the disk or the memory before a checksum is known
 */
export async function* limited(
  content: AsyncIterable<Uint8Array>,
  max_bytes: number,
  name: string,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const part of content) {
    bytes += part.length
    if (bytes > max_bytes)
      throw unprocessable(`${name} is too large to belong to a release. Nothing was changed.`)
    yield part
  }
}

/** Over plain HTTP, anybody on the way could change an archive and its checksum. */
function refusePlain(url: URL): void {
  const { protocol, hostname } = url
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) return
  throw invalidRequest(
    `${publicPart(url)}: must begin with https://, because plain HTTP lets others on the way change the program. Download the archive with its checksums.txt yourself, and give --from the file.`,
  )
}

/** Hosts of releases send on to others. */
async function follow(url: URL, get: Get): Promise<Response> {
  let at = url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    refusePlain(at)
    const answer = await get(at.href).catch((thrown) => Promise.reject(unreachable(url, messageOf(thrown))))
    if (answer.ok) return answer
    await answer.body?.cancel()
    const location = answer.headers.get('location')
    if (answer.status < 300 || answer.status > 399 || location === null)
      throw unreachable(url, `the server says ${answer.status}`)
    if (!URL.canParse(location, at.href)) throw unreachable(url, 'it redirects without a URL')
    at = new URL(location, at.href)
  }
  throw unreachable(url, `it redirects more than ${MAX_REDIRECTS} times`)
}

/** Passwords and tokens are in the rest of an address. */
const publicPart = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`

const unreachable = (url: URL, why: string): GatewayError =>
  unprocessable(`${publicPart(url)} could not be downloaded: ${why}. Nothing was changed.`)
