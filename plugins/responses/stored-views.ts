// What can be asked of kept responses, and what is shown of them: OpenAI's shapes.
import { Type } from '@sinclair/typebox'
import { WholeNumber } from '../../src/http/parameters.ts'
import { Nullable, OneOf } from '../../src/http/schema.ts'

const closed = { additionalProperties: false }
const open = { additionalProperties: true }

export const ResponseParams = Type.Object({ id: Type.String({ minLength: 1 }) })

/** What SDKs send as a list: once or several times, with or without brackets. All that can be included is. */
const Names = Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())]))
const INCLUDE = { include: Names, 'include[]': Names }

/** A kept response is complete: nothing of it is left to be streamed. */
export const RetrieveQuery = Type.Object(
  {
    ...INCLUDE,
    stream: Type.Optional(
      Type.Literal('false', {
        must: 'false: only responses that are made in the background, which there are none of, can be streamed again',
      }),
    ),
    include_obfuscation: Type.Optional(Type.String()),
  },
  closed,
)

export const ItemsQuery = Type.Object(
  {
    ...INCLUDE,
    after: Type.Optional(Type.String({ minLength: 1, must: 'the id of the last item of the page before' })),
    limit: Type.Optional(WholeNumber({ minimum: 1, maximum: 100 }, 'a whole number from 1 to 100')),
    order: Type.Optional(OneOf(['asc', 'desc'])),
  },
  closed,
)

/** As it was answered, whatever fields it has. */
export const ResponseView = Type.Object({ id: Type.String() }, open)

/** An item with all that its caller or the model said of it. */
export const ItemView = Type.Object({ id: Type.String(), type: Type.String() }, open)

export const ItemsView = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(ItemView),
    first_id: Nullable(Type.String()),
    last_id: Nullable(Type.String()),
    has_more: Type.Boolean(),
  },
  closed,
)

export const DeletedView = Type.Object(
  { id: Type.String(), object: Type.Literal('response'), deleted: Type.Literal(true) },
  closed,
)

export const OpenAIError = Type.Object({
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    param: Nullable(Type.String()),
    code: Nullable(Type.String()),
  }),
})

/** The answer to who asks for a WebSocket. */
export const UpgradeView = Type.Object({ error: Type.Object({ message: Type.String() }, closed) }, closed)
