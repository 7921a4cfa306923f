// What can be asked of an account's files.
import { Type } from '@sinclair/typebox'
import { PAGE_PARAMETERS } from '../../src/http/parameters.ts'

export const FilesQuery = Type.Object(PAGE_PARAMETERS, { additionalProperties: false })

/** A file's key, whose slashes are written as they are or encoded. */
export const KeyParams = Type.Object({ '*': Type.String() })
