// The build of the executable: the gateway, the parser's thread, the migrations, the console's and reference's pages, sharp and third-party notices.
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BunPlugin } from 'bun'
import { atEnd } from '../utilities/at-end.ts'
import { embedConsole, embedNotices, embedReference } from './embed.ts'
import { sharpPlugin } from './sharp.ts'
import { joinSourceMaps } from './source-map.ts'

const ROOT = join(import.meta.dir, '../..')
export const EXECUTABLE_MODE = 0o755
/** The functions used by a start and a first call of each kind, as recorded by `bun test/tools/start-order.ts`. */
export const START_ORDER = join(import.meta.dir, 'start.order')
/** The folder of modules inside an executable, as source text. */
const IN_EXECUTABLE = JSON.stringify('/$bunfs/root')

interface BinaryOptions {
  /** The program first, then the files that it starts as workers, with unique file names. */
  readonly entrypoints: readonly string[]
  readonly outfile: string
  /** Creates plugins before the build, in a folder that exists during it. `root` has the packages of the target platform. */
  readonly embed?: readonly ((folder: string, root: string) => Promise<BunPlugin>)[]
  /** The path of a separate source map, which makes stack traces readable; if absent, the map is inside the executable. */
  readonly source_map?: string
  /** For another platform than this one: Bun fetches its runtime, and `root` is a folder with its packages. */
  readonly platform?: { readonly target: Bun.Build.CompileTarget; readonly root: string }
}

/** The embedded files: the console's pages and the reference's file, each with its Brotli quality (0 to 11), and the notices. */
export const embedded = (pages: number, reference: number): NonNullable<BinaryOptions['embed']> => [
  (folder) => embedConsole({ brotli_quality: pages }, folder),
  (folder) => embedReference(reference, folder),
  embedNotices,
]

/** The build of `bun run build`. */
export const GATEWAY: BinaryOptions = {
  entrypoints: ['src/main.ts', 'src/calls/parsing/parser-thread.ts'].map((file) => join(ROOT, file)),
  outfile: join(ROOT, 'dist/tollgate'),
  // Quality 11 compresses the reference from 4.3 to 0.93 MB in 36 s, quality 9 to 0.98 MB in 2 s.
  embed: embedded(11, 9),
}

/** Compiles a program. It does not affect a running executable of the same name. @returns the size in bytes */
export async function buildBinary(options: BinaryOptions): Promise<number> {
  const { outfile, embed = [], platform, source_map } = options
  // A fixed name, since the program contains it, and every build of a commit must have the same bytes.
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
    // A build with external maps would also embed them, so this second build is only for the maps.
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
    // Otherwise CommonJS packages would contain the path of this checkout, and two checkouts of a commit would give different bytes.
    define: { __dirname: IN_EXECUTABLE, __filename: IN_EXECUTABLE },
    // Bytecode cuts the time to listen to a third. With splitting, code for later is not read at the start, which saves a fifth of the
    // rest, and 4 MB of idle memory. The bytecode is the same on every platform.
    format: 'esm',
    bytecode: true,
    splitting: true,
    sourcemap,
    compile: {
      outfile,
      // Places the functions of a start together, so that fewer pages of the file are read: 7 MiB less idle memory.
      bytecodeOrder: START_ORDER,
      // Until `setJITPolicy(1)`, code runs eight times as often before it is compiled: a quarter less CPU at the start, and 7 MiB less.
      jitPolicy: 8,
      // Otherwise a bunfig.toml in the working directory could preload code, and a .env could set variables.
      autoloadBunfig: false,
      autoloadDotenv: false,
      ...(platform ? { target: platform.target } : {}),
    },
  })

if (import.meta.main) {
  const size_bytes = await buildBinary(GATEWAY)
  process.stdout.write(`${GATEWAY.outfile} (${Math.round(size_bytes / 1e6)} MB)\n`)
}
