// A file that is stored as it is, or as compressed copies, and sent in the coding that its reader takes.
import { acceptedCoding } from '../../src/http/codings.ts'

/** Paths by the coding of what is there: the file itself, or a copy in Brotli and one in gzip. */
export type Stored = { readonly identity: string } | { readonly br: string; readonly gzip: string }

/** The path of content that is another one for every version of the file. */
export const versionOf = (stored: Stored): string => ('identity' in stored ? stored.identity : stored.gzip)

/** The content of a file in a coding that the request takes, with the headers that say so. */
export function contentOf(
  stored: Stored,
  { headers }: Request,
): { body: Blob | ReadableStream; headers: Record<string, string> } {
  if ('identity' in stored) return { body: Bun.file(stored.identity), headers: {} }
  const coding = acceptedCoding(headers.get('accept-encoding'), ['br', 'gzip'])
  if (coding !== 'identity') return { body: Bun.file(stored[coding]), headers: codingHeaders(coding) }
  // Hardly anybody takes neither: the copies save the room of the file itself.
  const body = Bun.file(stored.gzip).stream().pipeThrough(new DecompressionStream('gzip'))
  return { body, headers: codingHeaders(coding) }
}

/** @param coding what the content was written in, of several that were on offer */
export const codingHeaders = (coding: string): Record<string, string> => ({
  vary: 'Accept-Encoding',
  ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
})
