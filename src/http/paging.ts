// Paging of lists, the newest entry first: the request's parameters, and the cursor of the next page.
import { Type } from '@sinclair/typebox'
import { WholeNumber } from './parameters.ts'
import { Nullable } from './schema.ts'

export const MAX_LIMIT = 1_000
const DEFAULT_LIMIT = 50

export const Limit = WholeNumber({ minimum: 1, maximum: MAX_LIMIT }, `a whole number from 1 to ${MAX_LIMIT}`)

export const PAGE_PARAMETERS = {
  limit: Type.Optional({
    ...Limit,
    description: `The maximum number of items on a page; ${DEFAULT_LIMIT} by default.`,
    examples: [10],
  }),
  cursor: Type.Optional(WholeNumber({ minimum: 1 }, 'the next_cursor of the page before')),
}

export const PAGE_FIELDS = {
  next_cursor: Nullable(Type.Integer({ description: 'The `cursor` of the next page; null on the last.' })),
}

/** Returns the requested page. */
export const pageOf = ({ limit = DEFAULT_LIMIT, cursor }: { limit?: number; cursor?: number }) => ({
  limit,
  cursor,
})

/** Returns the cursor field of an answer; null on the last page. */
export const pageFields = ({ next_cursor = null }: { next_cursor: number | undefined | null }) => ({
  next_cursor,
})
