// The programs that tests start in processes of their own: from source, or, in a whole run, from one executable (build-programs.ts).
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

/** The beginning of an argument that selects a program of the executable; without it, the executable is the gateway. */
export const PROGRAM_MARK = 'test-program:'

/** The programs' files, below the root. */
const SOURCES = {
  gateway: 'test/support/program-entry.ts',
  'as-user': 'test/support/as-user.ts',
  'crash-server': 'test/crash/server.ts',
  'crash-library': 'test/library/crash-process.ts',
  'crash-responses': 'test/kept-responses/crash-process.ts',
  'fill-responses': 'test/kept-responses/fill.ts',
  'killed-import': 'test/import/killed-process.ts',
  'killed-payment': 'test/payments/killed-process.ts',
  'several-gateway': 'test/several/process.ts',
} as const
export type ProgramName = keyof typeof SOURCES

/** The executable of this run, if it has one: test/suite.ts builds it, since a program from source costs eight times the CPU to start. */
export const { TOLLGATE_TEST_PROGRAMS: executable } = process.env

/** The command that starts a program, to be followed by its arguments. */
export function commandOf(name: ProgramName): string[] {
  if (!executable) return [process.execPath, join(ROOT, SOURCES[name])]
  return name === 'gateway' ? [executable] : [executable, PROGRAM_MARK + name]
}
