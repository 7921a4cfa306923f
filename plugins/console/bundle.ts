// Browser build of the console's pages: each file with its hash and compressed copies.
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { BuildArtifact } from 'bun'

/** The folder of index.html and the frame of the pages. */
export const WEB_FOLDER = join(import.meta.dir, 'web')
const PLUGINS_FOLDER = join(import.meta.dir, '..')
const SOURCES = new Bun.Glob('{*/web/**/*,pages.ts}')
/** Files other than the page are below `assets/`, with a hash in the name, and use relative references. The page uses absolute ones. */
const ASSETS = 'assets/'
const HASHED = `${ASSETS}[name]-[hash].[ext]`
const PUBLIC_PATH = '/console/'

/** The content codings in which each file is kept. */
export const CODINGS = ['identity', 'br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** A file of the build. */
export interface BundledFile {
  /** The path below /console/: `index.html`, `assets/index-1a2b3c4d.js`. */
  name: string
  type: string
  /** The first 16 hex digits of the SHA-256 of its content. */
  hash: string
  bytes: Record<Coding, Uint8Array>
}

export interface BundleOptions {
  /** From 0 to 11: high in the executable's build, low at a start from source, which must be quick. */
  brotli_quality: number
}

/**
 * Bundles the pages for production.
 *
 * @throws AggregateError with the bundler's messages, which name the file and the line
 */
export async function bundlePages({ brotli_quality }: BundleOptions): Promise<BundledFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [join(WEB_FOLDER, 'index.html')],
    target: 'browser',
    splitting: true,
    // Each file is a request, so small ones that pages share become parts of larger files that these pages load.
    minChunkSize: 16_384,
    minify: true,
    // Without it, React's development build is bundled, which is twice as large.
    define: { 'process.env.NODE_ENV': '"production"' },
    naming: { entry: '[name].[ext]', chunk: HASHED, asset: HASHED },
  })
  return await Promise.all(outputs.map((output) => compressFile(output, brotli_quality)))
}

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/** The page is served at many addresses, so its relative references to files become absolute. */
async function contentOf(output: BuildArtifact): Promise<Uint8Array> {
  if (!output.path.endsWith('.html')) return new Uint8Array(await output.arrayBuffer())
  const page = await output.text()
  return new TextEncoder().encode(page.replaceAll(`"./${ASSETS}`, `"${PUBLIC_PATH}${ASSETS}`))
}

async function compressFile(output: BuildArtifact, quality: number): Promise<BundledFile> {
  const identity = await contentOf(output)
  const [br, gzipped] = await Promise.all([
    compressors.br(identity, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
      },
    }),
    compressors.gzip(identity),
  ])
  return {
    name: output.path.replace(/^\.?\//, ''),
    type: output.type,
    hash: new Bun.CryptoHasher('sha256').update(identity).digest('hex').slice(0, 16),
    bytes: { identity, br, gzip: gzipped },
  }
}

/** Returns the time of the last change to a source of the pages, in ms since 1970. */
export async function sourcesChangedAt(): Promise<number> {
  const files = await Array.fromAsync(SOURCES.scan({ cwd: PLUGINS_FOLDER, absolute: true }))
  const times = await Promise.all(files.map((file) => Bun.file(file).stat()))
  return Math.max(...times.map(({ mtimeMs }) => mtimeMs))
}
