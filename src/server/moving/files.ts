// The move of stored files to another place: a file never changes once it is there, so what is there with its size is left out.
import type { FileStore } from '../../media/store.ts'

export interface MovedFiles {
  readonly copied: number
  readonly copied_bytes: number
  /** Were there already. */
  readonly there: number
}

/** Copies the files that a store lacks; those that the other one has deleted since stay. @param onFile told after each, with its bytes */
export async function moveFiles(
  from: FileStore,
  to: FileStore,
  onFile: (bytes: number) => void = () => {},
): Promise<MovedFiles> {
  const known = new Map<string, number>()
  for await (const { key, bytes } of to.list()) known.set(key, bytes)
  let [copied, copied_bytes, there] = [0, 0, 0]
  for await (const { key, bytes } of from.list()) {
    if (known.get(key) === bytes) there += 1
    else if (await copyFile(from, to, key)) {
      copied += 1
      copied_bytes += bytes
    }
    onFile(bytes)
  }
  return { copied, copied_bytes, there }
}

/** @returns false where it was deleted meanwhile */
export async function copyFile(from: FileStore, to: FileStore, key: string): Promise<boolean> {
  const content = await from.open(key)
  if (!content) return false
  await to.put(key, content.stream())
  return true
}
