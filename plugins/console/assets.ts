// Built files of the pages, when the gateway runs from source: bundled at first use, and again after a source has changed.
// In the executable, src/build/embed.ts replaces this module with one that contains the files.
import type { Coding } from './bundle.ts'

/** A built file with its compressed copies. */
export interface PageFile {
  type: string
  hash: string
  copies: Record<Coding, Blob | Uint8Array>
}

/** Files by their names below /console/. */
type PageFiles = ReadonlyMap<string, PageFile>

/** A fast level, because the same process serves paid calls meanwhile. */
const BROTLI_QUALITY = 5

let last_build: { files: Promise<PageFiles>; changed_at_ms: number } | undefined

/**
 * Returns the files of the pages, and bundles them if needed.
 *
 * @param kind a request for the page also checks whether the sources have changed
 * @throws AggregateError with the bundler's messages
 */
export async function pageFiles(kind: 'page' | 'asset'): Promise<PageFiles> {
  if (last_build && kind === 'asset') return await last_build.files
  const { sourcesChangedAt } = await import('./bundle.ts')
  const changed_at_ms = await sourcesChangedAt()
  if (last_build?.changed_at_ms !== changed_at_ms) last_build = { files: bundleFiles(), changed_at_ms }
  return await last_build.files
}

async function bundleFiles(): Promise<PageFiles> {
  const { bundlePages } = await import('./bundle.ts')
  const files = await bundlePages({ brotli_quality: BROTLI_QUALITY })
  return new Map(files.map(({ name, type, hash, bytes }) => [name, { type, hash, copies: bytes }]))
}
