// Owns what can be asked of an account's files.
import { Type } from '@sinclair/typebox'

/** Without a limit of the caller's, a page holds this many files. */
export const USUAL_LIMIT = 50
const MOST_FILES = 1_000

export const FilesQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MOST_FILES, must: `a whole number from 1 to ${MOST_FILES}` }),
    ),
    cursor: Type.Optional(Type.Integer({ minimum: 1, must: 'the next_cursor of the page before' })),
  },
  { additionalProperties: false },
)
