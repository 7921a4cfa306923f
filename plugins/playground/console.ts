// Console routes of the playground: its account and models, and paid calls, which the surfaces' own routes serve.

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { renewConsoleKey } from '../../src/access/console-key.ts'
import {
  type ConsoleParts,
  changed,
  countCall,
  FAILURES,
  viewerCalls,
} from '../../src/app/surface/console/calls.ts'
import {
  ensurePayingKey,
  findPayingKey,
  issuingOf,
  payerOf,
} from '../../src/app/surface/console/paying-key.ts'
import {
  ACCOUNT_PARAMETER,
  chosenAccount,
  requireChosenAccount,
} from '../../src/app/surface/console/references.ts'
import { permissionDenied } from '../../src/domain/errors.ts'
import { modelsFor } from '../../src/domain/price-groups.ts'
import { Closed } from '../../src/http/schema.ts'
import { QuoteFields, QuoteView, quoteView } from './quote.ts'
import { keyView, PlayView, playView, RenewedView } from './views.ts'

const AccountQuery = Closed(ACCOUNT_PARAMETER)

/** The playground's routes, and the surfaces' routes to which they pass requests. */
const PAID = {
  '/console/api/play/chat': '/v1/chat/completions',
  '/console/api/play/images': '/v1/images/generations',
  '/console/api/play/edits': '/v1/images/edits',
  '/console/api/play/compose': '/v1/images/compose',
} as const

/** Higher than 1, because each renewal leaves a revoked key behind. */
const RENEWAL_COUNTS_AS = 10

/** The response schema of passed-on routes: the surface answers, and validates its answer. */
const OfSurface = Type.Unsafe<unknown>(Type.Any({ description: 'as the surface answers it' }))

/** `/console/api/play`: free routes below it, and paid ones, for which a viewer's key or the account's key "console" pays. */
export const playgroundRoutes = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-playground' }).use(freeRoutes(gateway)).use(paidRoutes(gateway))

function freeRoutes(gateway: ConsoleParts) {
  const { db } = gateway
  const { now } = gateway.calls
  return new Elysia({ name: 'console-playground: free' })
    .use(viewerCalls(gateway, { changes: 'call' }))
    .get(
      '/console/api/play',
      async ({ viewer, query }) => {
        const account = await chosenAccount(db, viewer, query.account)
        const key = account && (await findPayingKey(gateway, viewer, account))
        const { protocols } = gateway.calls
        return playView({ account, key, catalogue: gateway.calls.catalogue(), protocols, now_ms: now() })
      },
      { query: AccountQuery, response: { 200: PlayView, ...FAILURES } },
    )
    .post(
      '/console/api/play/quote',
      async ({ viewer, query, body }) => {
        const account = await chosenAccount(db, viewer, query.account)
        const key = account && (await findPayingKey(gateway, viewer, account))
        const models = modelsFor(gateway.calls.catalogue(), account?.price_group ?? null)
        return quoteView(models, key, body)
      },
      { query: AccountQuery, body: QuoteFields, response: { 200: QuoteView, ...FAILURES } },
    )
    .post(
      '/console/api/play/key',
      async ({ viewer, origin, query }) => {
        if (viewer.side === 'key') throw paysItself()
        countCall(gateway, viewer, RENEWAL_COUNTS_AS)
        const account = await requireChosenAccount(db, viewer, query.account)
        const key = await changed(gateway, { viewer, origin }, (tx) =>
          renewConsoleKey(tx, payerOf(viewer, account), issuingOf(gateway)),
        )
        return { key: keyView(key, now()) }
      },
      { query: AccountQuery, response: { 200: RenewedView, ...FAILURES } },
    )
}

/** The surface reads the body, and its answer is passed on unchanged. */
function paidRoutes(gateway: ConsoleParts) {
  const routes = new Elysia({ name: 'console-playground: paid' }).use(
    viewerCalls(gateway, { bodies: 'own', changes: 'call' }),
  )
  for (const [own, path] of Object.entries(PAID))
    routes.post(
      own,
      async ({ viewer, origin, query, request }) => {
        const { id: key_id } = await ensurePayingKey(gateway, { viewer, origin }, query.account)
        return gateway.people.callInside({ arrived: request, path, key_id })
      },
      { parse: 'none', query: AccountQuery, response: { 200: OfSurface, ...FAILURES } },
    )
  return routes
}

const paysItself = () =>
  permissionDenied('You are signed in with a key, which pays for its own calls and makes no others.')
