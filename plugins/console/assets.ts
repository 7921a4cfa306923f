// The finished files of the pages, from source: bundled at first use, and again once a source has changed. The executable
// has this module replaced by one that carries the files (src/build/embed.ts).
import type { Coding } from './bundle.ts'

/** A file as it is answered. */
export interface PageFile {
  type: string
  hash: string
  copies: Record<Coding, Blob | Uint8Array>
}

/** By their names below /console/. */
type PageFiles = ReadonlyMap<string, PageFile>

/** Fast: paid calls are served beside it. */
const BROTLI_QUALITY = 5

let made: { files: Promise<PageFiles>; changed_at_ms: number } | undefined

/**
 * The files of the pages.
 *
 * @param kind a request of the page itself also looks whether the sources have changed
 * @throws AggregateError with the bundler's messages
 */
export async function pageFiles(kind: 'page' | 'asset'): Promise<PageFiles> {
  if (made && kind === 'asset') return await made.files
  const { sourcesChangedAt } = await import('./bundle.ts')
  const changed_at_ms = await sourcesChangedAt()
  if (made?.changed_at_ms !== changed_at_ms) made = { files: bundled(), changed_at_ms }
  return await made.files
}

async function bundled(): Promise<PageFiles> {
  const { bundlePages } = await import('./bundle.ts')
  const files = await bundlePages({ brotli_quality: BROTLI_QUALITY })
  return new Map(files.map(({ name, type, hash, bytes }) => [name, { type, hash, copies: bytes }]))
}
