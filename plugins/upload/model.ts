// What can be sent as files, and asked of them.
import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { PAGE_PARAMETERS } from '../../src/http/paging.ts'

export const FilesQuery = Type.Object(PAGE_PARAMETERS, { additionalProperties: false })

/** A file's key, whose slashes are written as they are or encoded. */
export const KeyParams = Type.Object({ '*': Type.String() })

/** spec.md, POST /api/v1/upload. For clients' types only: receive.ts reads the form as it comes, and Elysia none of it. */
export const UploadForm = t.Object({ files: t.Files() })
