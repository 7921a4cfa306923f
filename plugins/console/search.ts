// Search over all that the viewer may see: accounts, keys, models, providers, and calls and refusals by their request id.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ACCOUNT_STATUSES, listAccountPage } from '../../src/access/account-listing.ts'
import { listKeyPage } from '../../src/access/key-listing.ts'
import { KEY_STATUSES, keyStatus } from '../../src/access/key-status.ts'
import { compileModelPatterns } from '../../src/access/model-patterns.ts'
import { keyQueries } from '../../src/access/queries.ts'
import { isKeyText, PREFIX_LENGTH } from '../../src/access/secret.ts'
import { accountOf, onlyKeysOf, type Viewer } from '../../src/access/viewer.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { isServed, type Model } from '../../src/domain/catalogue.ts'
import { Closed, OneOf } from '../../src/http/schema.ts'
import { TimeFields, time } from '../../src/http/views.ts'
import { callsBeginningWith } from '../calls/index.ts'
import { refusalsBeginningWith } from '../refusals/index.ts'

const MAX_RESULTS_PER_KIND = 6

const SearchQuery = Closed({
  q: Type.String({ minLength: 1, maxLength: 100, must: 'the text to search for: 1 to 100 characters' }),
})

const FoundAccount = Closed({
  id: Type.Integer(),
  name: Type.String(),
  display_name: Type.String(),
  status: OneOf(ACCOUNT_STATUSES),
})
const FoundKey = Closed({
  id: Type.Integer(),
  name: Type.String(),
  prefix: Type.String(),
  account: Type.String(),
  status: OneOf(KEY_STATUSES),
})
const FoundModel = Closed({ id: Type.String(), name: Type.String(), kind: Type.String() })
const FoundCall = Closed({ request_id: Type.String(), model: Type.String(), ...TimeFields('started') })
const FoundRefusal = Closed({ request_id: Type.String(), code: Type.String(), ...TimeFields('refused') })
const FoundProvider = Closed({ name: Type.String() })
const FoundView = Closed({
  accounts: Type.Array(FoundAccount),
  keys: Type.Array(FoundKey),
  models: Type.Array(FoundModel),
  providers: Type.Array(FoundProvider),
  calls: Type.Array(FoundCall),
  refusals: Type.Array(FoundRefusal),
})

/** `GET /console/api/search?q=`: the first results of each kind. */
export function searchRoutes(gateway: ConsoleParts) {
  return new Elysia({ name: 'console-search' })
    .use(viewerCalls(gateway))
    .get('/console/api/search', ({ viewer, query }) => searchAll(gateway, viewer, query.q.trim()), {
      query: SearchQuery,
      response: { 200: FoundView, ...FAILURES },
    })
}

async function searchAll(
  gateway: Pick<Gateway, 'calls' | 'db'>,
  viewer: Viewer,
  words: string,
): Promise<Static<typeof FoundView>> {
  const { db } = gateway
  const owner = { account_id: accountOf(viewer), key_ids: onlyKeysOf(viewer) }
  const calls = await callsBeginningWith(db, words, owner, MAX_RESULTS_PER_KIND)
  const refusals = await refusalsBeginningWith(db, words, owner, MAX_RESULTS_PER_KIND)
  return {
    accounts: viewer.side === 'operator' ? await findAccounts(gateway, words) : [],
    keys: await findKeys(gateway, viewer, words),
    models: await findModels(gateway, viewer, words),
    providers: viewer.side === 'operator' ? findProviders(gateway, words) : [],
    calls: calls.map(({ started_at_ms, ...call }) => ({
      ...call,
      ...time('started', started_at_ms),
    })),
    refusals: refusals.map(({ at_ms, ...refusal }) => ({
      ...refusal,
      ...time('refused', at_ms),
    })),
  }
}

async function findAccounts(
  { db }: Pick<Gateway, 'db'>,
  search: string,
): Promise<Static<typeof FoundAccount>[]> {
  const page = await listAccountPage(db, { search }, { limit: MAX_RESULTS_PER_KIND })
  return (page?.rows ?? []).map(({ id, name, display_name, status }) => ({ id, name, display_name, status }))
}

function findProviders({ calls }: Pick<Gateway, 'calls'>, search: string): Static<typeof FoundProvider>[] {
  return [...calls.catalogue().providers.keys()]
    .filter((name) => name.toLowerCase().includes(search.toLowerCase()))
    .slice(0, MAX_RESULTS_PER_KIND)
    .map((name) => ({ name }))
}

/** If the search text is a whole key, only its prefix is searched for. */
async function findKeys(
  { db, calls: { now } }: Pick<Gateway, 'calls' | 'db'>,
  viewer: Viewer,
  words: string,
): Promise<Static<typeof FoundKey>[]> {
  const owner = { account_id: accountOf(viewer), key_ids: onlyKeysOf(viewer) }
  const search = isKeyText(words) ? words.slice(0, PREFIX_LENGTH) : words
  const now_ms = now()
  const { rows } = await listKeyPage(db, { ...owner, search }, { limit: MAX_RESULTS_PER_KIND }, now_ms)
  return rows.map((key) => ({
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    account: key.account_name,
    status: keyStatus(key, now_ms),
  }))
}

async function findModels(
  gateway: Pick<Gateway, 'calls' | 'db'>,
  viewer: Viewer,
  words: string,
): Promise<Static<typeof FoundModel>[]> {
  const search = words.toLowerCase()
  const isVisible = await modelFilter(gateway, viewer)
  return [...gateway.calls.catalogue().models.values()]
    .filter(({ id, display_name }) => `${id}\n${display_name}`.toLowerCase().includes(search))
    .filter(isVisible)
    .slice(0, MAX_RESULTS_PER_KIND)
    .map(({ id, display_name, kind }) => ({ id, name: display_name, kind }))
}

/** Accounts see the models that are served; a key sees those that it may call. */
async function modelFilter({ db }: Pick<Gateway, 'db'>, viewer: Viewer): Promise<(model: Model) => boolean> {
  if (viewer.side === 'operator') return () => true
  const [key] = viewer.side === 'key' ? await keyQueries(db).keysById.all({ id: viewer.key_id }) : []
  const mayCall = compileModelPatterns(key?.models ?? null)
  return (model) => isServed(model) && mayCall(model.id)
}
