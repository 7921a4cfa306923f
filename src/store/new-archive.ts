// A new archive file: written under another name beside its final one, synced, and then renamed.
import { rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { atEnd } from '../utilities/at-end.ts'
import { explainFullDisk } from './disk-room.ts'
import { flush } from './engines/sqlite/copy.ts'
import { nameNew, refuseTarget as refuseNew } from './engines/sqlite/new-file.ts'
import { createForOwner } from './folder.ts'
import { type NoteUnfinished, unfinishedName } from './work-folder.ts'

/** @throws GatewayError not_found, conflict; Error: the obstacle to a new archive there */
export const refuseTarget = (path: string): void => refuseNew(path, EXAMPLE)

const EXAMPLE = 'tollgate.tar.zst'

interface ArchiveOptions {
  /** About the number of bytes to come. */
  expected_bytes?: number | undefined
  /** Called with the unfinished file. */
  goesWith?: NoteUnfinished | undefined
}

/** Writes a new file that only its owner can read; it gets its name when it is complete and synced. @returns its bytes */
export async function writeArchive(
  path: string,
  content: AsyncIterable<Uint8Array>,
  { expected_bytes, goesWith }: ArchiveOptions = {},
): Promise<number> {
  refuseTarget(path)
  const unfinished = unfinishedName(path)
  goesWith?.(unfinished)
  using _removing = atEnd(() => rmSync(unfinished, { force: true }))
  let bytes = 0
  try {
    createForOwner(unfinished)
    {
      await using handle = await open(unfinished, 'r+')
      for await (const block of content) {
        await handle.writeFile(block)
        bytes += block.byteLength
      }
      await handle.sync()
    }
    nameNew(unfinished, path, EXAMPLE)
    flush(dirname(path))
    return bytes
  } catch (failure) {
    throw explainFullDisk(failure, dirname(path), expected_bytes)
  }
}
