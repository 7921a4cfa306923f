// Temporary folders of tests: one for each test of a file, or one for all of them.
import { afterAll, afterEach, beforeEach } from 'bun:test'
import { type TemporaryFolder, temporary } from './temporary.ts'

type TestFolder = Omit<TemporaryFolder, typeof Symbol.dispose>

/** A new folder for each test of the file, created before the file's own `beforeEach` runs. */
export function folderOfEachTest(): TestFolder {
  let own: TemporaryFolder
  beforeEach(() => {
    own = temporary()
  })
  afterEach(() => own[Symbol.dispose]())
  return {
    get path() {
      return own.path
    },
    at: (...names) => own.at(...names),
  }
}

/** A folder that all tests of the file, or of a `describe`, share. */
export function folderOfFile(): TestFolder {
  const own = temporary()
  afterAll(() => own[Symbol.dispose]())
  return own
}
