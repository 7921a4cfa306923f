// Owns the executable: one file with the gateway, its ledger's thread, its migrations and sharp in it.
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sharpPlugin } from './sharp.ts'

const ROOT = join(import.meta.dir, '../..')
const EXECUTABLE_MODE = 0o755

export interface BinaryOptions {
  /** The program first, then the files that it starts as workers, each named otherwise than all others. */
  readonly entrypoints: readonly string[]
  readonly outfile: string
}

/** What `bun run build` makes. */
export const GATEWAY: BinaryOptions = {
  entrypoints: [join(ROOT, 'src/main.ts'), join(ROOT, 'src/ledger/thread.ts')],
  outfile: join(ROOT, 'dist/tollgate'),
}

/**
 * Compiles a program for the platform that it is built on. A running executable of that name goes on undisturbed.
 * @returns its size in bytes
 * @throws AggregateError with the bundler's messages
 */
export async function buildBinary({ entrypoints, outfile }: BinaryOptions): Promise<number> {
  mkdirSync(dirname(outfile), { recursive: true })
  const workplace = mkdtempSync(`${outfile}-`)
  const built = join(workplace, basename(outfile))
  try {
    await Bun.build({
      entrypoints: [...entrypoints],
      plugins: [sharpPlugin],
      // Flat names make `new URL('./thread.ts', import.meta.url)` mean the same in the executable as in the source.
      naming: { entry: '[name].[ext]' },
      // What starts the program is bytecode: a third of the time to listen. The map keeps stack traces readable.
      format: 'esm',
      bytecode: true,
      sourcemap: 'inline',
      // A bunfig.toml in the folder that the executable is started from could preload code.
      compile: { outfile: built, autoloadBunfig: false },
    })
    chmodSync(built, EXECUTABLE_MODE)
    renameSync(built, outfile)
  } finally {
    rmSync(workplace, { recursive: true, force: true })
  }
  return Bun.file(outfile).size
}

if (import.meta.main) {
  const size_bytes = await buildBinary(GATEWAY)
  process.stdout.write(`${GATEWAY.outfile} (${Math.round(size_bytes / 1e6)} MB)\n`)
}
