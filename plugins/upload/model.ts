// Owns what can be asked of an account's files.
import { Type } from '@sinclair/typebox'

/** Without a limit of the caller's, a page holds this many files. */
export const DEFAULT_LIMIT = 50
const MAX_FILES = 1_000

export const FilesQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_FILES, must: `a whole number from 1 to ${MAX_FILES}` }),
    ),
    cursor: Type.Optional(Type.Integer({ minimum: 1, must: 'the next_cursor of the page before' })),
  },
  { additionalProperties: false },
)
