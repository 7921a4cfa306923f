// A temporary folder that is removed at the end of its block (`using`).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryFolder extends Disposable {
  path: string
  /** A path within the folder. */
  at(...names: string[]): string
}

/** Creates an empty temporary folder. */
export function temporary(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-test-'))
  return {
    path,
    at: (...names) => join(path, ...names),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
