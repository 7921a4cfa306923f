// Last answers of each route and key from all gateways of a database: collected in memory, and merged into rows every ten seconds.
import type { CallRecord } from '../../src/money/ledger/operations.ts'
import type { Logger } from '../../src/observe/log.ts'
import type { Db } from '../../src/store/db.ts'
import { CALLS, Gathered, type KeyName, type RouteName } from './gathered.ts'
import { type KeyState, mergeKeys, mergeRoutes, type RouteState } from './outage.ts'
import { readAll, storeAll } from './stored-states.ts'
import { KEY_REJECTED, REFUSED, type Try, triesOf } from './tries.ts'

export interface RecentStates {
  routes: ReadonlyMap<string, RouteState>
  keys: ReadonlyMap<string, KeyState>
}

type MarkOf = (key_id: string) => string | undefined

export interface RecentAnswers {
  /**
   * Records the end of a call in memory, which takes less than a microsecond.
   *
   * @param answered_by the key of its last answer; undefined if none exists
   * @param markOf returns the mark of a provider's key; undefined if the catalogue no longer has the key
   * @param tries the call's attempts
   */
  add(call: CallRecord, answered_by: string | undefined, markOf: MarkOf, tries?: readonly Try[]): void
  /** Records that a route answered a test. @param models the models that have the route */
  addTest(models: readonly string[], route: Omit<RouteName, 'model'>, key: KeyName): void
  /** Returns the current states, including answers that are not written yet. */
  states(): Promise<RecentStates>
  write(): Promise<void>
  close(): Promise<void>
}

/** A crash loses the answers of this time at most; other gateways see answers after this time at most. */
const WRITE_EVERY_MS = 10_000

/** Opens the recent answers of a gateway. They are written without waiting for the disk, because no money depends on them. */
export function openRecentAnswers(
  db: Db,
  { now, log }: { now: () => number; log: Pick<Logger, 'warn'> },
): RecentAnswers {
  let gathered = new Gathered()
  /** The names of keys with a rejection. Successes are recorded for these only; for all keys until the first write has read the stored ones. */
  let rejected: Set<string> | undefined
  let writing: Promise<void> = Promise.resolve()
  let started_writes = 0
  /** Whether the last write failed, so that the warning is logged once. */
  let is_failing = false

  function addKey(name: KeyName, at_ms: number, is_rejected: boolean): void {
    if (is_rejected) rejected?.add(name.key_id)
    gathered.addToKey(name, { at_ms, is_rejected })
  }

  async function write(): Promise<void> {
    if (gathered.is_empty) return
    started_writes += 1
    const taken = gathered.states()
    gathered = new Gathered()
    try {
      rejected = await storeAll(db, taken, now())
      is_failing = false
    } catch (cause) {
      if (!is_failing) log.warn({ cause }, 'the last answers of routes could not be written')
      is_failing = true
    }
  }

  /** Runs writes one after the other. */
  const writeNext = (): Promise<void> => (writing = writing.then(write))

  const timer = setInterval(() => void writeNext(), WRITE_EVERY_MS)
  timer.unref()
  return {
    add(call, answered_by, markOf, tries = triesOf(call)) {
      const at_ms = call.started_at_ms + call.duration_ms
      for (const one of answersIn(tries)) gathered.add(call.model, one, { at_ms, failure: one.cause })
      const end = tries.findLast(isLast)
      if (end && end.result !== REFUSED) gathered.add(call.model, CALLS, { at_ms, failure: end.cause })
      if (call.failed_tries) for (const key of rejectedIn(tries, markOf)) addKey(key, at_ms, true)
      if (answered_by === undefined || rejected?.has(answered_by) === false) return
      const mark = markOf(answered_by)
      if (mark !== undefined) addKey({ key_id: answered_by, mark }, at_ms, false)
    },
    addTest(models, route, key) {
      const answer = { at_ms: now(), failure: null }
      for (const model of models) for (const of of [route, CALLS]) gathered.add(model, of, answer)
      addKey(key, now(), false)
    },
    async states() {
      for (;;) {
        await writing
        const started_before = started_writes
        const { routes, keys } = structuredClone(gathered.states())
        const stored = await readAll(db)
        // Read again if a write began meanwhile: its answers may be in the rows already.
        if (started_writes !== started_before) continue
        return merged(stored, { routes, keys }, now())
      }
    },
    write: writeNext,
    close() {
      clearInterval(timer)
      return writeNext()
    },
  }
}

/** Returns the keys that a provider rejected in a call, without keys that the catalogue no longer has. */
function rejectedIn(tries: readonly Try[], markOf: MarkOf): KeyName[] {
  const found = tries.flatMap(({ result, key_id }) =>
    result === KEY_REJECTED && key_id !== undefined ? [key_id] : [],
  )
  return [...new Set(found)].flatMap((key_id) => {
    const mark = markOf(key_id)
    return mark === undefined ? [] : [{ key_id, mark }]
  })
}

const isLast = ({ is_last }: Try): boolean => is_last

const isAnswer = ({ provider, result }: Try): boolean =>
  provider !== '' && result !== REFUSED && result !== KEY_REJECTED

/**
 * Returns one answer for each route of a call, the last one, even if it tried several keys. Refusals of invalid requests and rejections of
 * keys are not answers of the route.
 */
function answersIn(all: readonly Try[]): Try[] {
  const tries = all.filter(isAnswer)
  if (tries.length < 2) return tries
  return tries.filter(({ provider, upstream_model }, at) =>
    tries
      .slice(at + 1)
      .every((later) => later.provider !== provider || later.upstream_model !== upstream_model),
  )
}

const merged = (stored: RecentStates, added: RecentStates, now_ms: number): RecentStates => ({
  routes: mergeAll(stored.routes, added.routes, (one, other) => mergeRoutes(one, other, now_ms)),
  keys: mergeAll(stored.keys, added.keys, mergeKeys),
})

function mergeAll<State>(
  known: ReadonlyMap<string, State>,
  added: ReadonlyMap<string, State>,
  merge: (known: State, added: State) => State,
): Map<string, State> {
  const merged = new Map(known)
  for (const [subject, state] of added) {
    const other = merged.get(subject)
    merged.set(subject, other ? merge(other, state) : state)
  }
  return merged
}
