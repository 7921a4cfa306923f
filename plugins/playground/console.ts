// The playground: GET /console/api/play, and its paid calls, which the surfaces serve at their own routes.

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { consoleKeyOf, payingKey, renewConsoleKey } from '../../src/access/console-key.ts'
import { unknownKey } from '../../src/access/gate.ts'
import type { Issuing } from '../../src/access/keys.ts'
import { findKeyById } from '../../src/access/lookup.ts'
import type { Viewer } from '../../src/access/viewer.ts'
import type { Awaitable, Db } from '../../src/db/db.ts'
import type { Account, Key } from '../../src/db/schema.ts'
import { permissionDenied } from '../../src/domain/errors.ts'
import { Closed } from '../../src/http/schema.ts'
import {
  type Asking,
  type ConsoleParts,
  changed,
  countCall,
  FAILURES,
  viewerCalls,
} from '../../src/surface/console/calls.ts'
import { accountFor, accountNeeded, WHOSE } from '../../src/surface/console/chosen-account.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { QuoteFields, QuoteView, quoteView } from './quote.ts'
import { keyView, PlayView, playView, RenewedView } from './views.ts'

const WhoseQuery = Closed(WHOSE)

/** Where the playground's calls go: the surfaces' own routes. */
const PAID = {
  '/console/api/play/chat': '/v1/chat/completions',
  '/console/api/play/images': '/v1/images/generations',
  '/console/api/play/edits': '/v1/images/edits',
  '/console/api/play/compose': '/v1/images/compose',
} as const

/** Making a key anew leaves the one before. */
const KEY_COUNTS_AS = 10

/** In a route's schema: what is answered is the surface's, streamed or whole, and is checked there. */
const OfSurface = Type.Unsafe<unknown>(Type.Any({ description: 'as the surface answers it' }))

/**
 * Who signed in with a key pays with it; all others with the key "console" of the account, which is made at the first call.
 * The operator names an account.
 */
export const play = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-play' }).use(asked(gateway)).use(paid(gateway))

/** What the playground shows besides answers. */
function asked(gateway: ConsoleParts) {
  const { db } = gateway
  const { now } = gateway.exchange
  return new Elysia({ name: 'console-play: asked' })
    .use(viewerCalls(gateway))
    .get(
      '/console/api/play',
      async ({ viewer, query }) => {
        const account = await accountFor(db, viewer, query.account)
        const key = account && (await knownKey(gateway, viewer, account))
        const { protocols } = gateway.exchange
        return playView({ account, key, catalogue: gateway.exchange.catalogue(), protocols, now_ms: now() })
      },
      { query: WhoseQuery, response: { 200: PlayView, ...FAILURES } },
    )
    .post(
      '/console/api/play/quote',
      async ({ viewer, query, body }) => {
        const account = await accountFor(db, viewer, query.account)
        const key = account && (await knownKey(gateway, viewer, account))
        return quoteView(gateway.exchange.catalogue(), key, body)
      },
      { query: WhoseQuery, body: QuoteFields, response: { 200: QuoteView, ...FAILURES } },
    )
    .post(
      '/console/api/play/key',
      async ({ viewer, origin, query }) => {
        if (viewer.role === 'key') throw paysItself()
        countCall(gateway, viewer, KEY_COUNTS_AS)
        const account = await accountNeeded(db, viewer, query.account)
        const key = await changed(gateway, { viewer, origin }, (tx) =>
          renewConsoleKey(tx, account, issuing(gateway)),
        )
        return { key: keyView(key, now()) }
      },
      { query: WhoseQuery, response: { 200: RenewedView, ...FAILURES } },
    )
}

/** The body is read by the surface, and its answer passes as it is. */
function paid(gateway: ConsoleParts) {
  const routes = new Elysia({ name: 'console-play: paid' }).use(viewerCalls(gateway, { bodies: 'own' }))
  for (const [own, path] of Object.entries(PAID))
    routes.post(
      own,
      async ({ viewer, origin, query, request }) => {
        const { id: key_id } = await payerOf(gateway, { viewer, origin }, query.account)
        return gateway.people.callInside({ arrived: request, path, key_id })
      },
      { parse: 'none', query: WhoseQuery, response: { 200: OfSurface, ...FAILURES } },
    )
  return routes
}

/** The key that pays for a viewer's calls; made where it is the console's own and not made yet. */
export async function payerOf(
  gateway: Pick<Gateway, 'exchange' | 'people' | 'db'>,
  { viewer, origin }: Asking,
  name: string | undefined,
): Promise<Key> {
  const { db } = gateway
  const account = await accountNeeded(db, viewer, name)
  if (viewer.role === 'key') return ownKey(gateway, viewer.key_id)
  const pay = (db: Db) => payingKey(db, account, issuing(gateway))
  // Only the first call writes, and waits for the write lock.
  const is_made = (await consoleKeyOf(db, account.id)) !== undefined
  return is_made ? await pay(db) : await changed(gateway, { viewer, origin }, pay)
}

/** The same as far as it is there, in whatever state. */
const knownKey = (
  gateway: Pick<Gateway, 'db'>,
  viewer: Viewer,
  account: Account,
): Awaitable<Key | undefined> =>
  viewer.role === 'key' ? ownKey(gateway, viewer.key_id) : consoleKeyOf(gateway.db, account.id)

async function ownKey({ db }: Pick<Gateway, 'db'>, key_id: number): Promise<Key> {
  const found = await findKeyById(db, key_id)
  if (!found) throw unknownKey()
  return found.key
}

const issuing = ({
  people: { randomBytes },
  exchange: { now },
}: Pick<Gateway, 'exchange' | 'people'>): Issuing => ({
  randomBytes,
  now_ms: now(),
})

const paysItself = () =>
  permissionDenied('You are signed in with a key, which pays for its own calls and makes no others.')
