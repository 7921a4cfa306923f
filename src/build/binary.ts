// The build of the executable: one file with the gateway, the ledger's thread, the migrations, the console's pages, the reference's page, sharp and the notices of others' work.
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { BunPlugin } from 'bun'
import { atEnd } from '../utilities/at-end.ts'
import { embedConsole, embedNotices, embedReference } from './embed.ts'
import { sharpPlugin } from './sharp.ts'

const ROOT = join(import.meta.dir, '../..')
const EXECUTABLE_MODE = 0o755

export interface BinaryOptions {
  /** The program first, then the files that it starts as workers. No two have the same file name. */
  readonly entrypoints: readonly string[]
  readonly outfile: string
  /** Made for it first, in a folder that lasts as long as the build. `root` has the packages of its platform. */
  readonly embed?: readonly ((folder: string, root: string) => Promise<BunPlugin>)[]
  /** For another platform than that which builds: Bun fetches its runtime, `root` is a folder with its packages. */
  readonly platform?: { readonly target: Bun.Build.CompileTarget; readonly root: string }
}

/** The embedded files of the executable: the console's pages and the reference's file in these qualities of Brotli (0 to 11), and the notices. */
export const embedded = (pages: number, reference: number): NonNullable<BinaryOptions['embed']> => [
  (folder) => embedConsole({ brotli_quality: pages }, folder),
  (folder) => embedReference(reference, folder),
  embedNotices,
]

/** The build of `bun run build`. */
export const GATEWAY: BinaryOptions = {
  entrypoints: ['src/main.ts', 'src/calls/parsing/parser-thread.ts'].map((file) => join(ROOT, file)),
  outfile: join(ROOT, 'dist/tollgate'),
  // Of the reference's 4.3 MB, a quality of 11 makes 0.93 MB in 36 s, this one 0.98 in 2.
  embed: embedded(11, 9),
}

/** Compiles a program. A running executable of the same name is not disturbed. */
export async function buildBinary({
  entrypoints,
  outfile,
  embed = [],
  platform,
}: BinaryOptions): Promise<number> {
  mkdirSync(dirname(outfile), { recursive: true })
  const work_folder = mkdtempSync(`${outfile}-`)
  using _removing = atEnd(() => rmSync(work_folder, { recursive: true, force: true }))
  const root = platform?.root ?? ROOT
  const built = join(work_folder, basename(outfile))
  const embedded = await Promise.all(embed.map((make) => make(work_folder, root)))
  await Bun.build({
    entrypoints: [...entrypoints],
    plugins: [sharpPlugin(root), ...embedded],
    // Flat names, so that `new URL('./thread.ts', import.meta.url)` means the same in the executable.
    naming: { entry: '[name].[ext]' },
    // Bytecode cuts the time to listen to a third; split, what is loaded at first use is not read before (a fifth of the
    // rest, and 4 MB of idle memory). The source map keeps stack traces readable.
    format: 'esm',
    bytecode: true,
    splitting: true,
    sourcemap: 'inline',
    // Otherwise a bunfig.toml in the working directory could preload code, and a .env set variables.
    compile: {
      outfile: built,
      autoloadBunfig: false,
      autoloadDotenv: false,
      ...(platform ? { target: platform.target } : {}),
    },
  })
  chmodSync(built, EXECUTABLE_MODE)
  renameSync(built, outfile)
  return Bun.file(outfile).size
}

if (import.meta.main) {
  const size_bytes = await buildBinary(GATEWAY)
  process.stdout.write(`${GATEWAY.outfile} (${Math.round(size_bytes / 1e6)} MB)\n`)
}
