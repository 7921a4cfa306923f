// The account, its models and the gateway's health in the document.
import { eventsOf, type Parameter, type Written } from '../operation.ts'
import { count, object, text } from '../schema.ts'

const account = { tag: 'Account', dialect: 'plain' } as const
const models = { tag: 'Models', dialect: 'any' } as const
const health = { tag: 'Health', dialect: 'open' } as const

const PAGE = {
  limit: { description: 'How many a page has at most.', example: 10 },
  cursor: { description: 'The `next_cursor` of the page before.' },
} as const
const PERIOD = {
  since: {
    description: 'From here on: a day in UTC, or a time with its zone, such as `2026-12-31T18:00:00Z`.',
    example: '2026-01-01',
  },
  until: { description: 'Up to here, in the same way; a day counts whole.', example: '2099-12-31' },
} as const

const MODEL: Parameter = {
  name: 'model',
  in: 'path',
  required: true,
  description: 'The name of a model.',
  schema: { type: 'string' },
  example: 'sim-flash',
}

/** As plugins/billing/events.ts sends them. */
const feedEvent = object(
  {
    type: text('`held`, `first_byte`, `settled` or `ping`.'),
    request_id: text('The request.'),
    key: text('The prefix of the key that made it.'),
    surface: text('The surface that it came by.'),
    model: text('The model.'),
    streamed: { type: 'boolean', description: 'It is answered as a stream.' },
    at: text('When, ISO 8601 in UTC.'),
    held_nanos: count('Of `held`: nano-dollars that are held for it.'),
    held_usd: text('The same in USD.'),
    after_ms: count('Of `first_byte`: since the call was let in.'),
    outcome: text('Of `settled`: `completed`, `cancelled`, `broken` or `failed`.'),
    status: count('Of `settled`: the HTTP status.'),
    duration_ms: count('Of `settled`: how long it took.'),
    cost_nanos: count('Of `settled`: nano-dollars that were charged.'),
    cost_usd: text('The same in USD.'),
  },
  { required: ['type'] },
)

export const billing: Readonly<Record<string, readonly Written[]>> = {
  'GET /api/v1/account': [
    {
      ...account,
      id: 'getAccount',
      summary: 'Read the account',
      description: 'Its money, its limits with what counts against them now, and the key that asks.',
      answers: { 200: { description: 'The account.' } },
    },
  ],
  'GET /api/v1/usage': [
    {
      ...account,
      id: 'listUsage',
      summary: 'List calls, or their daily sums',
      description:
        'The calls of all keys of the account, newest first; with `sums=day` their sums by day, model and key. A page has at most 500 calls, or 250 sums.',
      about: {
        ...PERIOD,
        ...PAGE,
        key: { description: 'Of the key with this prefix, its first 10 characters.' },
        model: { description: 'Of this model only.', example: 'sim-flash' },
        outcome: { description: 'Ended in this way only.', example: 'completed' },
        sums: { description: 'Sums by day in place of calls.', example: 'day' },
      },
      answers: { 200: { description: 'A page.' } },
    },
  ],
  'GET /api/v1/entries': [
    {
      ...account,
      id: 'listEntries',
      summary: 'List movements of the balance',
      description: 'Signed, newest first: their sum is the balance.',
      about: { ...PERIOD, ...PAGE, kind: { description: 'Of this kind only.', example: 'top_up' } },
      answers: { 200: { description: 'A page of entries.' } },
    },
  ],
  'GET /api/v1/events': [
    {
      ...account,
      id: 'watchCalls',
      summary: 'Watch calls as they happen',
      description:
        'Server-sent events for as long as the connection stays. A key may have four open. Nothing is sent again.',
      answers: {
        200: { description: 'The feed.', content: { 'text/event-stream': eventsOf(feedEvent) } },
      },
    },
  ],
}

export const catalogue: Readonly<Record<string, readonly Written[]>> = {
  'GET /v1/models': [
    {
      ...models,
      id: 'listModels',
      summary: 'List models',
      description: 'Those that the key may call, in one body for the clients of every API.',
      about: {
        limit: { description: 'How many a page has at most; all by default.', example: 2 },
        before_id: { description: 'Those before this model.', example: 'sim-pro' },
        after_id: { description: 'Those after this model.', example: 'sim-flash' },
      },
      answers: { 200: { description: 'The models.' } },
    },
  ],
  'GET /v1/models/*': [
    {
      ...models,
      path: '/v1/models/{model}',
      id: 'getModel',
      summary: 'Read one model',
      parameters: [MODEL],
      answers: { 200: { description: 'The model.' } },
    },
  ],
}

export const healthChecks: Readonly<Record<string, readonly Written[]>> = {
  'GET /healthz': [
    {
      ...health,
      id: 'getHealth',
      summary: 'Does the process answer?',
      answers: { 200: { description: 'It does.' } },
    },
  ],
  'GET /readyz': [
    {
      ...health,
      id: 'getReadiness',
      summary: 'Does the gateway take calls?',
      description: 'For a load balancer: it checks the disk, the database and the catalogue.',
      answers: {
        200: { description: 'It does.' },
        503: {
          description: 'It does not.',
          content: {
            'application/json': {
              schema: object(
                { status: text('`not ready`'), reason: text('Which check failed.') },
                { required: ['status', 'reason'] },
              ),
            },
          },
        },
      },
    },
  ],
}
