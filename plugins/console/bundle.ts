// The bundle of the console's pages: one build for browsers, each file with its hash and its compressed copies.
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { BuildArtifact } from 'bun'

/** Where the page and its frame are. */
export const WEB_FOLDER = join(import.meta.dir, 'web')
/** Each capability has its pages in its own folder. */
const PLUGINS_FOLDER = join(import.meta.dir, '..')
const SOURCES = new Bun.Glob('{*/web/**/*,pages.ts}')
/** Everything but the page lies below `assets/`, with its hash in its name. Files name each other by relative paths, the page by these of the root. */
const ASSETS = 'assets/'
const PUBLIC_PATH = '/console/'

/** The copies of a file that may be sent, by content coding. */
export const CODINGS = ['identity', 'br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** A finished file. */
export interface BundledFile {
  /** Below /console/: `index.html`, `assets/index-1a2b3c4d.js`. */
  name: string
  type: string
  /** Of its content. */
  hash: string
  bytes: Record<Coding, Uint8Array>
}

export interface BundleOptions {
  /** Of 0 to 11: the executable's build takes its time, a start from source does not. */
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
    minify: true,
    // Otherwise React is its development build, which is twice as large.
    define: { 'process.env.NODE_ENV': '"production"' },
    naming: {
      entry: '[name].[ext]',
      chunk: `${ASSETS}[name]-[hash].[ext]`,
      asset: `${ASSETS}[name]-[hash].[ext]`,
    },
  })
  return await Promise.all(outputs.map((output) => finished(output, brotli_quality)))
}

const compressed = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/** The page is at many addresses, of which the files are not in the same place. */
async function contentOf(output: BuildArtifact): Promise<Uint8Array> {
  if (!output.path.endsWith('.html')) return new Uint8Array(await output.arrayBuffer())
  const page = await output.text()
  return new TextEncoder().encode(page.replaceAll(`"./${ASSETS}`, `"${PUBLIC_PATH}${ASSETS}`))
}

async function finished(output: BuildArtifact, quality: number): Promise<BundledFile> {
  const identity = await contentOf(output)
  const [br, gzipped] = await Promise.all([
    compressed.br(identity, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
      },
    }),
    compressed.gzip(identity),
  ])
  return {
    name: output.path.replace(/^\.?\//, ''),
    type: output.type,
    hash: new Bun.CryptoHasher('sha256').update(identity).digest('hex').slice(0, 16),
    bytes: { identity, br, gzip: gzipped },
  }
}

/** The time of the last change to a source of the pages, in ms since 1970. */
export async function sourcesChangedAt(): Promise<number> {
  const files = await Array.fromAsync(SOURCES.scan({ cwd: PLUGINS_FOLDER, absolute: true }))
  const times = await Promise.all(files.map((file) => Bun.file(file).stat()))
  return Math.max(...times.map(({ mtimeMs }) => mtimeMs))
}
