// The build of the executable: one file with the gateway, the ledger's thread, the migrations, the console's pages, the reference's page, sharp and the notices of others' work.
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BunPlugin } from 'bun'
import { atEnd } from '../utilities/at-end.ts'
import { embedConsole, embedNotices, embedReference } from './embed.ts'
import { sharpPlugin } from './sharp.ts'
import { joinSourceMaps } from './source-map.ts'

const ROOT = join(import.meta.dir, '../..')
export const EXECUTABLE_MODE = 0o755
/** The functions that a start and a first call of each kind use, as `bun test/tools/start-order.ts` records them. */
export const START_ORDER = join(import.meta.dir, 'start.order')
/** Where an executable has its modules, as source. */
const IN_EXECUTABLE = JSON.stringify('/$bunfs/root')

interface BinaryOptions {
  /** The program first, then the files that it starts as workers. No two have the same file name. */
  readonly entrypoints: readonly string[]
  readonly outfile: string
  /** Made for it first, in a folder that lasts as long as the build. `root` has the packages of its platform. */
  readonly embed?: readonly ((folder: string, root: string) => Promise<BunPlugin>)[]
  /** Where the source map is written, without which stack traces name places in the bundle; inside the executable if absent. */
  readonly source_map?: string
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

/** Compiles a program. A running executable of the same name is not disturbed. @returns its size in bytes */
export async function buildBinary(options: BinaryOptions): Promise<number> {
  const { outfile, embed = [], platform, source_map } = options
  // Its name is in the program, which is the same from each build of a commit.
  const work_folder = `${outfile}.build`
  rmSync(work_folder, { recursive: true, force: true })
  mkdirSync(work_folder, { recursive: true })
  using _removing = atEnd(() => rmSync(work_folder, { recursive: true, force: true }))
  const root = platform?.root ?? ROOT
  const made = await Promise.all(embed.map((make) => make(work_folder, root)))
  const plugins = [sharpPlugin(root), ...made]
  const built = join(work_folder, basename(outfile))
  await compile(options, plugins, built, source_map === undefined ? 'inline' : 'none')
  if (source_map !== undefined) {
    // A build with maps has them inside, too: this one is only for them.
    const mapped = join(work_folder, 'mapped', basename(outfile))
    const { outputs } = await compile(options, plugins, mapped, 'external')
    const maps = outputs.filter(({ kind }) => kind === 'sourcemap').map(({ path }) => path)
    writeFileSync(source_map, joinSourceMaps(maps, ROOT))
  }
  chmodSync(built, EXECUTABLE_MODE)
  renameSync(built, outfile)
  return Bun.file(outfile).size
}

const compile = (
  { entrypoints, platform }: BinaryOptions,
  plugins: BunPlugin[],
  outfile: string,
  sourcemap: 'inline' | 'external' | 'none',
): Promise<Bun.BuildOutput> =>
  Bun.build({
    entrypoints: [...entrypoints],
    plugins,
    // Flat names, so that `new URL('./thread.ts', import.meta.url)` means the same in the executable.
    naming: { entry: '[name].[ext]' },
    // Otherwise packages in CommonJS have the folder of this checkout in them, and two checkouts of a commit other bytes.
    define: { __dirname: IN_EXECUTABLE, __filename: IN_EXECUTABLE },
    // Bytecode cuts the time to listen to a third; split, what is loaded at first use is not read before (a fifth of the
    // rest, and 4 MB of idle memory). It is the same on every platform.
    format: 'esm',
    bytecode: true,
    splitting: true,
    sourcemap,
    compile: {
      outfile,
      // What a start uses stands together, so that fewer pages of the file are read: 7 MiB less of idle memory.
      bytecodeOrder: START_ORDER,
      // Until `setJITPolicy(1)` code runs eight times as often before it is compiled: a quarter less CPU of a start, 7 MiB less.
      jitPolicy: 8,
      // Otherwise a bunfig.toml in the working directory could preload code, and a .env set variables.
      autoloadBunfig: false,
      autoloadDotenv: false,
      ...(platform ? { target: platform.target } : {}),
    },
  })

if (import.meta.main) {
  const size_bytes = await buildBinary(GATEWAY)
  process.stdout.write(`${GATEWAY.outfile} (${Math.round(size_bytes / 1e6)} MB)\n`)
}
