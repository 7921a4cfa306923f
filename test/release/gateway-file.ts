// The executable that stands in for that of a release: the one of this run of tests, or one that is built now.
import { buildBinary, GATEWAY } from '../../src/build/binary.ts'
import { executable } from '../support/programs.ts'

/** @param path where it is built, without one @returns its path */
export async function gatewayFile(path: string): Promise<string> {
  if (executable) return executable
  await buildBinary({ ...GATEWAY, outfile: path })
  return path
}
