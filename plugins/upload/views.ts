// JSON views of uploaded files for callers.
import { type Static, Type } from '@sinclair/typebox'
import { PAGE_FIELDS } from '../../src/http/paging.ts'
import { Closed, OneOf } from '../../src/http/schema.ts'
import type { StoredFile } from '../../src/library/files.ts'

/** silent.md, Upload and files. `created_at` is ISO 8601 in UTC. */
const FileView = Closed({
  key: Type.String({ description: 'The key of the file in later calls.' }),
  name: Type.String({ description: 'The file name, without characters that need quoting.' }),
  size: Type.Integer({ description: 'Its size in bytes.' }),
  mime: Type.String({ description: 'Its media type, detected from the content.' }),
  sha256: Type.String({ description: 'Its SHA-256.' }),
  width: Type.Integer({ description: 'In pixels.' }),
  height: Type.Integer({ description: 'In pixels.' }),
  created_at: Type.String({ description: 'When it was uploaded, as ISO 8601 in UTC.' }),
})

const state = OneOf(['stored', 'missing'], { description: '`missing` if the content cannot be found.' })
const ListedFileView = Closed({ ...FileView.properties, state })

export const UploadedView = Closed(
  { uploaded: Type.Array(FileView, { description: 'In the order of the form.' }) },
  { description: 'The files.' },
)

export const FilesView = Closed(
  {
    files: Type.Array(ListedFileView, { description: 'Newest first.' }),
    ...PAGE_FIELDS,
    quota: Closed(
      {
        used_bytes: Type.Integer({ description: 'The size of all files together.' }),
        limit_bytes: Type.Integer({ description: 'The most that all files together may have.' }),
      },
      { description: 'The storage quota.' },
    ),
  },
  { description: 'A page of files.' },
)

export const DeletedView = Closed(
  { key: Type.String({ description: 'The file.' }), deleted: Type.Literal(true) },
  { description: 'Deleted.' },
)

export const fileView = ({
  key,
  name,
  bytes,
  mime,
  sha256,
  width,
  height,
  created_at_ms,
}: StoredFile): Static<typeof FileView> => ({
  key,
  name,
  size: bytes,
  mime,
  sha256,
  width,
  height,
  created_at: new Date(created_at_ms).toISOString(),
})

export const listedFileView = (file: StoredFile): Static<typeof ListedFileView> => ({
  ...fileView(file),
  state: file.missing_since_ms === null ? 'stored' : 'missing',
})
