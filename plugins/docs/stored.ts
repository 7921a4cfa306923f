// A file that is stored as it is, or as compressed copies, and sent in the encoding that its reader takes.

/** Paths by the encoding of what is there: the file itself, or a copy in Brotli and one in gzip. */
export type Stored = { readonly identity: string } | { readonly br: string; readonly gzip: string }

type Encoding = 'br' | 'gzip'

/** The path of content that is another one for every version of the file. */
export const versionOf = (stored: Stored): string => ('identity' in stored ? stored.identity : stored.gzip)

/** The content of a file in an encoding that the request takes, with the headers that say so. */
export function contentOf(
  stored: Stored,
  request: Request,
): { body: Blob | ReadableStream; headers: Record<string, string> } {
  if ('identity' in stored) return { body: Bun.file(stored.identity), headers: {} }
  const encoding = encodingFor(request, ['br', 'gzip'])
  const headers = encodingHeaders(encoding)
  if (encoding) return { body: Bun.file(stored[encoding]), headers }
  // Hardly anybody takes neither: the copies save the room of the file itself.
  return { body: Bun.file(stored.gzip).stream().pipeThrough(new DecompressionStream('gzip')), headers }
}

export const encodingHeaders = (encoding: Encoding | undefined): Record<string, string> => ({
  vary: 'Accept-Encoding',
  ...(encoding ? { 'content-encoding': encoding } : {}),
})

/**
 * The first of the offered encodings that a request takes; undefined for none. RFC 9110, 12.5.3: a weight of 0 refuses one.
 *
 * @param offered the best one first
 */
export function encodingFor<E extends Encoding>({ headers }: Request, offered: readonly E[]): E | undefined {
  const weights = new Map(
    (headers.get('accept-encoding') ?? '').split(',').map((part): [string, number] => {
      const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return [name, weight === undefined ? 1 : Number(weight.slice(2))]
    }),
  )
  return offered.find((encoding) => (weights.get(encoding) ?? weights.get('*') ?? 0) > 0)
}
