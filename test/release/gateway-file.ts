// The executable for tests of releases: the one of this run of tests, or one that is built now.
import { join } from 'node:path'
import { executable } from '../support/programs.ts'

const BUILD = join(import.meta.dir, '../support/build-programs.ts')

/** @param path the place for a new build @returns the executable's path @throws Error with the output of a failed build */
export async function gatewayFile(path: string): Promise<string> {
  if (executable) return executable
  const build = Bun.spawn([process.execPath, BUILD, path], { stderr: 'pipe' })
  const errors = await build.stderr.text()
  if ((await build.exited) !== 0) throw new Error(errors)
  return path
}
