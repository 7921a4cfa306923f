// The build of the executable of the tests' programs, which `TOLLGATE_TEST_PROGRAMS=dist/test-programs` names.
import { dirname, join } from 'node:path'
import { buildBinary, GATEWAY } from '../../src/build/binary.ts'

const [, ...threads] = GATEWAY.entrypoints
await buildBinary({
  ...GATEWAY,
  entrypoints: [join(import.meta.dir, 'program-entry.ts'), ...threads],
  outfile: join(dirname(GATEWAY.outfile), 'test-programs'),
})
