// Rewriting of recorded calls in smaller form: some at a time, in the order of their ids, while the gateway serves.
//
// A row that only becomes smaller leaves a gap in its page that nothing can fill, since calls are added at the end. So the rows
// of a step are deleted and inserted again: their pages become free, and take what is written next.
import type { Database } from 'bun:sqlite'
import type { Call } from '../db/schema.ts'
import { prepareInsertCall } from './statements.ts'
import { storedPrices } from './stored-prices.ts'

/** `prices` moves those that an older version stored with each call into their table; `traces` empties those that are old. */
export type RewriteName = 'prices' | 'traces'

export interface RewriteStep {
  /** 0 if nothing is left to do. */
  looked_at: number
  rewritten: number
}

export interface Rewriter {
  /**
   * Looks at the next calls, in one transaction. A process that dies in it has done nothing; the next one goes on where the last
   * step ended.
   *
   * @param began_before_ms leaves younger calls as they are
   * @throws what SQLite throws; nothing was changed then
   */
  step(name: RewriteName, max_calls: number, began_before_ms: number): RewriteStep
}

interface Progress {
  done_id: number
  last_id: number | null
}

/** A rewriter over a connection of its own. */
export function createRewriter(db: Database): Rewriter {
  const progress = db.prepare<Progress, [RewriteName]>(
    'SELECT done_id, last_id FROM call_rewrites WHERE name = ?',
  )
  const advance = db.prepare<null, [number, RewriteName]>(
    'UPDATE call_rewrites SET done_id = ? WHERE name = ?',
  )
  const select = db.prepare<Call, [number, number, number]>(
    'SELECT * FROM calls WHERE id > ? AND id <= ? ORDER BY id LIMIT ?',
  )
  const remove = db.prepare<null, [number, number]>('DELETE FROM calls WHERE id BETWEEN ? AND ?')
  const insert = prepareInsertCall(db)
  const prices = storedPrices(db)

  const changes: Record<RewriteName, (call: Call) => boolean> = {
    prices(call) {
      // One that is not an object of JSON stays as it is, and keeps no other from its place.
      if (call.price === '' || !isJsonObject(call.price)) return false
      Object.assign(call, prices.store(call.price))
      return true
    },
    traces(call) {
      if (call.trace === '') return false
      call.trace = ''
      return true
    },
  }

  const rewrite = (name: RewriteName, max_calls: number, began_before_ms: number): RewriteStep => {
    const { done_id = 0, last_id = null } = progress.get(name) ?? {}
    const next = select.all(done_id, last_id ?? Number.MAX_SAFE_INTEGER, max_calls)
    // Calls begin in the order of their ids, but for milliseconds.
    const young = next.findIndex(({ started_at_ms }) => started_at_ms >= began_before_ms)
    const calls = young < 0 ? next : next.slice(0, young)
    const [first] = calls
    const last = calls.at(-1)
    if (!first || !last) return { looked_at: 0, rewritten: 0 }
    const rewritten = calls.filter(changes[name]).length
    if (rewritten > 0) {
      remove.run(first.id, last.id)
      // It is in the kept sums: no trigger adds it again.
      for (const call of calls) insert(Object.assign(call, { summed: 1 }))
    }
    advance.run(last.id, name)
    return { looked_at: calls.length, rewritten }
  }

  return {
    step(name, max_calls, began_before_ms) {
      try {
        return db.transaction(() => rewrite(name, max_calls, began_before_ms)).immediate()
      } catch (error) {
        prices.forget()
        throw error
      }
    },
  }
}

function isJsonObject(text: string): boolean {
  try {
    return JSON.parse(text) instanceof Object
  } catch {
    // Dropped: what is wrong with it, which whoever reads the call is told.
    return false
  }
}
