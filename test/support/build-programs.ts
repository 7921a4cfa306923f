// The build of the executable of the tests' programs, which the environment variable TOLLGATE_TEST_PROGRAMS names.
import { dirname, join } from 'node:path'
import { buildBinary, embedded, GATEWAY } from '../../src/build/binary.ts'
import { newerProgram } from '../several/newer-program.ts'

const QUICK_BROTLI = 4
export const EXECUTABLE = join(dirname(GATEWAY.outfile), 'test-programs')

if (import.meta.main) {
  const [, ...threads] = GATEWAY.entrypoints
  const [, , outfile = EXECUTABLE] = process.argv
  await buildBinary({
    ...GATEWAY,
    entrypoints: [join(import.meta.dir, 'program-entry.ts'), ...threads],
    outfile,
    // Compressed quickly: every run waits for this build, and nobody for the downloads of tests.
    embed: [...embedded(QUICK_BROTLI, QUICK_BROTLI), async () => newerProgram],
  })
}
