// What callers are shown of their files.
import { type Static, Type } from '@sinclair/typebox'
import { PAGE_FIELDS } from '../../src/http/paging.ts'
import { OneOf } from '../../src/http/schema.ts'
import type { StoredFile } from '../../src/library/files.ts'

const closed = { additionalProperties: false }

/** silent.md, Upload and files. `created_at` is ISO 8601 in UTC. */
export const FileView = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    size: Type.Integer({ description: 'bytes' }),
    mime: Type.String(),
    sha256: Type.String(),
    width: Type.Integer(),
    height: Type.Integer(),
    created_at: Type.String(),
  },
  closed,
)

/** A file in a list: `missing` while its bytes cannot be found. */
const ListedFileView = Type.Object({ ...FileView.properties, state: OneOf(['stored', 'missing']) }, closed)

export const UploadedView = Type.Object({ uploaded: Type.Array(FileView) }, closed)

export const FilesView = Type.Object(
  {
    files: Type.Array(ListedFileView),
    ...PAGE_FIELDS,
    quota: Type.Object({ used_bytes: Type.Integer(), limit_bytes: Type.Integer() }, closed),
  },
  closed,
)

export const DeletedView = Type.Object({ key: Type.String(), deleted: Type.Literal(true) }, closed)

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
