// Health service of a running gateway: it records each call, and gives other plugins the current health.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Events } from '../../src/calls/life/events.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { CallRecord } from '../../src/money/ledger/operations.ts'
import { markOf } from '../../src/observe/key-mark.ts'
import { type Attempt, keyIds } from '../../src/upstream/routes.ts'
import { openRecentAnswers, type RecentAnswers } from './recent-answers.ts'
import { type HealthNow, healthNow } from './route-health.ts'
import { openRouteSums, type RouteSums } from './route-sums.ts'
import { triesOf } from './tries.ts'
import type { Trouble } from './troubles.ts'

interface OwnHealth {
  sums: RouteSums
  recent: RecentAnswers
  /** Records the end of a call. @param attempt the last attempt that was answered */
  add(call: CallRecord, attempt: Attempt | undefined): void
  /** Writes the remaining states before the database is closed. */
  close(): Promise<void>
}

/** The health services of the gateways in this process. */
const opened = new WeakMap<Events, OwnHealth>()

export function openHealth({ db, calls }: Pick<Gateway, 'db' | 'calls'>): OwnHealth {
  const sums = openRouteSums(db, calls)
  const recent = openRecentAnswers(db, calls)
  const markOfKey = (key_id: string) => markIn(calls.catalogue(), key_id)
  const own: OwnHealth = {
    sums,
    recent,
    add(call, attempt) {
      const tries = triesOf(call)
      sums.add(call, tries)
      recent.add(call, attempt?.key_id, markOfKey, tries)
    },
    async close() {
      await sums.close()
      await recent.close()
    },
  }
  opened.set(calls.events, own)
  return own
}

/** Returns the mark of a provider's key; undefined if the catalogue no longer has the key. */
function markIn({ providers }: Pick<Catalogue, 'providers'>, key_id: string): string | undefined {
  const provider = providers.get(key_id.slice(0, key_id.lastIndexOf('#')))
  const api_key = provider?.api_keys[keyIds(provider).indexOf(key_id)]
  return api_key === undefined ? undefined : markOf(api_key)
}

const NO_SUMS: Pick<RouteSums, 'ofDay'> = { ofDay: async () => [] }
const NO_ANSWERS: Pick<RecentAnswers, 'states'> = {
  states: async () => ({ routes: new Map(), keys: new Map() }),
}

/** Returns the health of models, providers and routes, for all gateways that share the database. */
export function routeHealth({ calls }: Pick<Gateway, 'calls'>): Promise<HealthNow> {
  const { sums, recent } = opened.get(calls.events) ?? { sums: NO_SUMS, recent: NO_ANSWERS }
  return healthNow({ sums, recent, catalogue: calls.catalogue(), now_ms: calls.now() })
}

export const currentTroubles = async (gateway: Pick<Gateway, 'calls'>): Promise<readonly Trouble[]> =>
  (await routeHealth(gateway)).troubles

/** Records that a route answered a test with a key of its provider; it counts as an answer, but not as a call. */
export function testAnswered(
  { calls }: Pick<Gateway, 'calls'>,
  { provider, upstream_model, key_id }: { provider: string; upstream_model: string; key_id: string },
): void {
  const mark = markIn(calls.catalogue(), key_id)
  if (mark === undefined) return
  const models = [...calls.catalogue().models.values()]
    .filter(({ routes }) =>
      routes.some((route) => route.provider === provider && route.model === upstream_model),
    )
    .map(({ id }) => id)
  opened.get(calls.events)?.recent.addTest(models, { provider, upstream_model }, { key_id, mark })
}
