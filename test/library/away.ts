// What happens to the folders of images between two starts: a mount that is missing, a restore that is not complete.
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Files of the data folder that are away, and how they come back. */
export interface Away {
  back(): Promise<void>
}

/** The mount is not there: the folder is gone, or an empty one is in its place. */
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

/** Single files, by their paths in the data folder. */
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

/** The paths of all images in the data folder, those that are set aside left out. */
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
