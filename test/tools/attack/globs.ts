// Keys with model patterns that are made to take long, added by an account and loaded by a start.
import { createKey } from '../../../src/access/keys.ts'
import { openDb } from '../../../src/store/engines/sqlite/sqlite.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { signedIn } from '../../support/console-session.ts'
import { prepareDataFolder } from '../../support/data-folder.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import type { Attack } from './attack.ts'
import { watchHealth } from './health.ts'

const MAX_HEALTH_MS = 250
/** A request without an answer by then counts as unanswered. */
const PATIENCE_MS = 10_000
const ACCOUNT = 'account-1'

/** @throws Error if the answer does not come in time */
async function within<T>(answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('the gateway no longer answers')), PATIENCE_MS)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Patterns of the maximum length. */
const PATTERNS = [
  `${'*'.repeat(120)}Z`,
  `${'*a'.repeat(60)}*Z`,
  `${'*-'.repeat(60)}*Z`,
  `*${'a'.repeat(120)}*Z`,
  `${'*e*l'.repeat(30)}*Z`,
]
const LONG_LIST = Array.from({ length: 200 }, (_, at) => `${'*a*l'.repeat(28)}*${at}Z`)
const LISTS = [...PATTERNS.map((pattern) => [pattern]), LONG_LIST]

/** A data folder with an evil key, so that the first start loads its list. */
async function folderWithEvilKey() {
  const folder = await prepareDataFolder(catalogueOf({ upstream_url: 'simulator' }))
  const store = openDb(folder.database_path)
  const settings = { models: LONG_LIST, spend_limit_nanos: null, addresses: null, expires_at_ms: null }
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  const { text } = await createKey(
    store,
    ACCOUNT,
    { name: 'stored', ...settings },
    { randomBytes, now_ms: Date.now() },
  )
  return { folder, store, stored_key: text }
}

export const globs: Attack = {
  name: 'globs',
  description: 'an account’s keys with patterns such as ***…*Z and *a*a*…',
  async run({ rounds }) {
    const { folder, store, stored_key } = await folderWithEvilKey()
    await using gateway = await startGatewayProcess('', folder)
    const account = await signedIn({ store, url: gateway.url }, { account: ACCOUNT })
    const health = watchHealth(gateway.url)
    const modelsOf = async (key: string) => {
      const headers = { authorization: `Bearer ${key}` }
      const response = await fetch(new URL('/v1/models', gateway.url), { headers })
      return ((await response.json()) as { data: unknown[] }).data.length
    }
    let requests = 0
    let answered = 0
    const ask = async (request: Promise<unknown>) => {
      requests++
      await within(request)
      answered++
    }
    await ask(modelsOf(stored_key))
    for (let round = 0; round < rounds; round++)
      for (const models of LISTS) {
        const { text, key } = await within(account.json('POST', '/keys', { name: `k${requests}`, models }))
        await ask(modelsOf(text))
        await ask(account.json('GET', '/keys'))
        await ask(account.json('POST', `/keys/${key.id}/revoke`))
      }
    const health_ms = await within(health.stop())
    await store.close()
    return {
      tried: `${LISTS.length * rounds} keys, and one that a start meets`,
      held: answered === requests && health_ms <= MAX_HEALTH_MS,
      figures: `${answered} of ${requests} requests answered, healthz at most ${Math.round(health_ms)} ms`,
    }
  },
}
