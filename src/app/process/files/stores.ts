// The stores of a gateway's files: folders of the data folder, or the same names in the bucket of [storage].
import { join } from 'node:path'
import type { StorageSettings } from '../../../domain/catalogue.ts'
import { type BucketFiles, type BucketFilesOptions, openBucketFiles } from '../../../media/bucket-store.ts'
import { createFileStore, type FileStore } from '../../../media/store.ts'
import { RESPONSES_FOLDER } from '../../../responses/store.ts'

/** Generated images, uploaded files, and the large bodies of kept answers and responses. */
export const FILE_FOLDERS = ['images', 'files', 'answers', RESPONSES_FOLDER] as const

export type FileFolder = (typeof FILE_FOLDERS)[number]

export interface FileStores extends Readonly<Record<FileFolder, FileStore>>, Disposable {
  /** The location for display: the data folder, or `s3://bucket/prefix`. */
  readonly address: string
  /** Undefined if the files are in folders. */
  readonly bucket: BucketFiles | undefined
}

/** @param data_folder the parent of the folders, unless the settings name a bucket */
export function fileStoresOf(
  { files }: Pick<StorageSettings, 'files'>,
  data_folder: string,
  options?: BucketFilesOptions,
): FileStores {
  const bucket = files && openBucketFiles(files, options)
  const store = (name: FileFolder) => bucket?.store(name) ?? createFileStore(join(data_folder, name))
  return {
    images: store('images'),
    files: store('files'),
    answers: store('answers'),
    responses: store(RESPONSES_FOLDER),
    address: bucket?.connection.where ?? data_folder,
    bucket,
    [Symbol.dispose]: () => bucket?.stop(),
  }
}

/** Splits the path of a file, such as `images/1/a.png`, into its store and its key. */
export function storedAt(stores: FileStores, path: string): { store: FileStore; key: string } {
  const end = path.indexOf('/')
  const folder = FILE_FOLDERS.find((each) => each === path.slice(0, end))
  if (!folder) throw new RangeError(`${path} is in no folder of files`)
  return { store: stores[folder], key: path.slice(end + 1) }
}
