// Missing images between two starts, as after a failed mount or an incomplete restore.
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Files that were taken out of the data folder; `back` puts them back. */
export interface Away {
  back(): Promise<void>
}

/** Takes a folder away, as if its mount were missing, and leaves nothing or an empty folder in its place. */
export async function takeFolder(
  data_folder: string,
  name: 'images' | 'files',
  leaves: 'nothing' | 'empty folder',
): Promise<Away> {
  const [path, kept] = [join(data_folder, name), join(data_folder, `${name}.elsewhere`)]
  await rename(path, kept)
  if (leaves === 'empty folder') await mkdir(path)
  return {
    async back() {
      await rm(path, { recursive: true, force: true })
      await rename(kept, path)
    },
  }
}

/** Takes single files away, by their paths in the data folder. */
export async function takeFiles(data_folder: string, paths: readonly string[]): Promise<Away> {
  const kept = (path: string) => join(data_folder, 'elsewhere', path)
  for (const path of paths) {
    await mkdir(dirname(kept(path)), { recursive: true })
    await rename(join(data_folder, path), kept(path))
  }
  return {
    async back() {
      for (const path of paths) await rename(kept(path), join(data_folder, path))
    },
  }
}

/** The paths of all images in the data folder, except quarantined ones. */
export async function pathsIn(data_folder: string): Promise<string[]> {
  const found = await Promise.all(
    ['images', 'files'].map(async (name) =>
      (await readdir(join(data_folder, name), { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(data_folder.length + 1)),
    ),
  )
  return found.flat().filter((path) => !path.split('/').some((part) => part.startsWith('.')))
}
