// Atomic replacement of a file with secrets in the data folder, readable by its owner only.
import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createForOwner } from '../../../src/store/folder.ts'
import { unfinishedName } from '../../../src/store/work-folder.ts'
import { atEnd } from '../../../src/utilities/at-end.ts'

/** @throws the file system's error */
export function replaceForOwner(path: string, text: string): void {
  const unfinished = unfinishedName(path)
  using _removing = atEnd(() => rmSync(unfinished, { force: true }))
  createForOwner(unfinished)
  const file = openSync(unfinished, 'r+')
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  chmodSync(unfinished, 0o600)
  renameSync(unfinished, path)
}
