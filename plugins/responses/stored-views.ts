// The schemas of the routes for kept responses, in OpenAI's format.
import { Type } from '@sinclair/typebox'
import { WholeNumber } from '../../src/http/parameters.ts'
import { Closed, failures, Nullable, OneOf } from '../../src/http/schema.ts'
import { OpenAIError } from '../../src/protocols/openai/errors.ts'

const open = { additionalProperties: true }

const ResponseParams = Type.Object({
  id: Type.String({
    minLength: 1,
    description: 'The id of a kept response.',
    examples: ['resp_01k9z3x8v7t6s5r4q3p2n1m0'],
  }),
})

/** SDKs send `include` once or several times, with or without brackets. It is ignored, because answers include everything. */
const Names = Type.Optional(
  Type.Union([Type.String(), Type.Array(Type.String())], {
    description: "Accepted as OpenAI's clients send it: all that can be included is.",
  }),
)
const INCLUDE = { include: Names, 'include[]': Names }

/** A kept response is complete, so it cannot be streamed. */
const RetrieveQuery = Closed({
  ...INCLUDE,
  stream: Type.Optional(
    Type.Literal('false', {
      must: 'false: a finished response cannot be streamed',
      description: '`false`, or absent.',
      examples: ['false'],
    }),
  ),
  include_obfuscation: Type.Optional(
    Type.String({ description: "Accepted as OpenAI's clients send it. It means nothing here." }),
  ),
})

export const ItemsQuery = Closed({
  ...INCLUDE,
  after: Type.Optional(Type.String({ minLength: 1, must: 'the id of the last item of the page before' })),
  limit: Type.Optional({
    ...WholeNumber({ minimum: 1, maximum: 100 }, 'a whole number from 1 to 100'),
    description: 'How many items a page has at most; 20 by default.',
    examples: [5],
  }),
  order: Type.Optional(
    OneOf(['asc', 'desc'], {
      description: 'Newest first (`desc`, the default) or oldest first.',
      examples: ['asc'],
    }),
  ),
})

/** The response as it was returned, with any further fields. */
const ResponseView = Type.Object(
  { id: Type.String() },
  { ...open, title: 'Response', description: 'The response as it was answered.' },
)

/** An item with all fields that the caller or the model set. */
const ItemView = Type.Object(
  {
    id: Type.String({ description: 'The id of the item.' }),
    type: Type.String({
      description: 'Such as `message` or `function_call`; its other fields follow from it.',
    }),
  },
  open,
)

const ItemsView = Closed(
  {
    object: Type.Literal('list'),
    data: Type.Array(ItemView, { description: 'The items.' }),
    first_id: Nullable(Type.String({ description: 'The first item of the page.' })),
    last_id: Nullable(Type.String({ description: 'The last item of the page.' })),
    has_more: Type.Boolean({ description: 'There are more after this page.' }),
  },
  { description: 'A page of items.' },
)

const DeletedView = Closed(
  {
    id: Type.String({ description: 'The response.' }),
    object: Type.Literal('response'),
    deleted: Type.Literal(true),
  },
  { description: 'Deleted.' },
)

/** The body of a refused WebSocket handshake. */
export const UpgradeView = Closed({ error: Closed({ message: Type.String() }) })

const FAILURES = failures(OpenAIError, 400, 401, 403, 404, 429, 500, 503)
const tags = ['OpenAI API']

/** The schema of `GET /v1/responses/{id}`. */
export const READ = {
  params: ResponseParams,
  query: RetrieveQuery,
  response: { 200: ResponseView, ...FAILURES },
  detail: {
    tags,
    operationId: 'getResponse',
    summary: 'Read a kept response',
    description:
      'Responses are kept for 30 days unless the operator says otherwise. All keys of the account may read them.',
  },
}

/** The schema of `GET /v1/responses/{id}/input_items`. */
export const LIST = {
  params: ResponseParams,
  query: ItemsQuery,
  response: { 200: ItemsView, ...FAILURES },
  detail: {
    tags,
    operationId: 'listInputItems',
    summary: 'List what a response was made from',
    description: 'All items of its conversation, those of earlier responses included.',
  },
}

/** The schema of `DELETE /v1/responses/{id}`. */
export const REMOVE = {
  parse: 'none' as const,
  params: ResponseParams,
  response: { 200: DeletedView, ...FAILURES },
  detail: {
    tags,
    operationId: 'deleteResponse',
    summary: 'Delete a kept response',
    description: 'Responses that continue it keep working.',
  },
}

/** The schema of the cancel route, which always refuses and is not in the API reference. */
export const CANCEL = {
  parse: 'none',
  params: ResponseParams,
  response: FAILURES,
  detail: { hide: true },
} as const
