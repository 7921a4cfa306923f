// The source of a release's files: a folder or a URL. An upgrade requests no other URL, except redirects of this one.
import { createReadStream, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type GatewayError, invalidRequest, notFound, unprocessable } from '../../src/domain/errors.ts'
import { messageOf } from '../../src/utilities/thrown.ts'

/** Sends a GET request without following redirects. */
type Get = (url: string) => Promise<Response>

export interface Source {
  /** The archive's name in `checksums.txt`. */
  readonly archive: string
  /** Reads the archive or a file beside it. @throws GatewayError if it is missing or unreadable */
  read(name: string): AsyncIterable<Uint8Array>
}

const MAX_REDIRECTS = 5
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])$/

/**
 * Opens the folder or URL of the archive.
 * @param from the path or URL of the archive
 * @throws GatewayError invalid_request for another scheme, not_found for a missing file
 */
export function sourceOf(from: string, get: Get): Source {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(from)) return urlSource(from, get)
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

function urlSource(from: string, get: Get): Source {
  if (!URL.canParse(from)) throw invalidRequest(`${from} is not a URL.`)
  const url = new URL(from)
  refusePlainHttp(url)
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
 * Passes content through up to a limit, so that a download cannot fill the disk or memory before its checksum is known.
 * @param name for the message
 * @throws GatewayError unprocessable above the limit
 */
export async function* limitBytes(
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

/** Refuses plain HTTP, over which an attacker could change both the archive and its checksum. */
function refusePlainHttp(url: URL): void {
  const { protocol, hostname } = url
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) return
  throw invalidRequest(
    `${publicPart(url)}: must begin with https://, because plain HTTP lets others on the way change the program. Download the archive with its checksums.txt yourself, and give --from the file.`,
  )
}

/** Follows redirects: release hosts redirect to storage hosts. */
async function follow(url: URL, get: Get): Promise<Response> {
  let at = url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    refusePlainHttp(at)
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

/** Omits parts of a URL that may contain passwords or tokens. */
const publicPart = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`

const unreachable = (url: URL, why: string): GatewayError =>
  unprocessable(`${publicPart(url)} could not be downloaded: ${why}. Nothing was changed.`)
