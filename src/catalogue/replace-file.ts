// The replacement of a file as a whole: readers see the old text or the new one, and never a part.
import { chmod, chown, type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '../utilities/thrown.ts'

const PERMISSION_BITS = 0o7777

/**
 * Replaces the text of an existing file, whose owner and mode stay. Of a link, the file that it leads to is replaced. A file
 * that cannot be replaced, such as one that is mounted alone into a container, is written in place.
 *
 * @throws the file system's error; the file is then as it was, unless it had to be written in place
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const file = await realpath(path)
  const { mode, uid, gid } = await stat(file)
  const beside = join(dirname(file), `.${crypto.randomUUID()}.tmp`)
  try {
    await writeSynced(await open(beside, 'wx', 0o600), text)
    await chmod(beside, mode & PERMISSION_BITS)
    const made = await stat(beside)
    if (made.uid !== uid || made.gid !== gid) await chown(beside, uid, gid)
    await rename(beside, file)
  } catch (thrown) {
    await rm(beside, { force: true })
    if (!isBound(thrown)) throw thrown
    await writeSynced(await open(file, 'w'), text)
  }
}

/** EBUSY and EXDEV: a mount of its own (rename(2)); EPERM: another user's file, which this one may write but not give away. */
const isBound = (thrown: unknown): boolean => ['EBUSY', 'EXDEV', 'EPERM'].includes(codeOf(thrown))

async function writeSynced(opened: FileHandle, text: string): Promise<void> {
  await using handle = opened
  await handle.writeFile(text)
  await handle.sync()
}
