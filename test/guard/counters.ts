// Counters of a gateway's process: created objects, timers, listeners, SQL statements, messages to threads.
import { heapStats } from 'bun:jsc'
import { Database, type Statement } from 'bun:sqlite'

export type Counts = Record<string, number>

/** Wraps the counted functions for the rest of the process. Call it before the gateway's code is loaded. */
export function startCounting(): () => Counts {
  const calls: Counts = {}
  const countCalls = <T extends object, K extends keyof T & string>(
    owner: T,
    names: readonly K[],
    as: string,
  ): void => {
    for (const name of names) {
      const original = owner[name]
      if (typeof original !== 'function')
        throw new TypeError(`${name} is not a function: the runtime has changed`)
      calls[as] ??= 0
      const wrapped = function (this: unknown, ...args: unknown[]): unknown {
        calls[as] = (calls[as] ?? 0) + 1
        return Reflect.apply(original, this, args)
      }
      owner[name] = wrapped as T[K]
    }
  }
  countCalls(globalThis, ['setTimeout', 'setInterval'], 'timers')
  countCalls(globalThis, ['setImmediate'], 'setImmediate')
  countCalls(globalThis, ['queueMicrotask'], 'queueMicrotask')
  countCalls(process, ['nextTick'], 'nextTick')
  countCalls(EventTarget.prototype, ['addEventListener'], 'addEventListener')
  countCalls(Worker.prototype, ['postMessage'], 'messages to a thread')
  countCalls(Database.prototype, ['run', 'exec'], 'SQL statements')
  countStatements(countCalls)
  return () => ({ ...calls, ...objects() })
}

type Counting = <T extends object, K extends keyof T & string>(
  owner: T,
  names: readonly K[],
  as: string,
) => void

/** Each statement has methods of its own, made for its number of parameters, so it is wrapped when it is prepared. */
function countStatements(countCalls: Counting): void {
  const seen = new WeakSet<Statement>()
  for (const name of ['prepare', 'query'] as const) {
    const original = Database.prototype[name]
    Database.prototype[name] = function (this: Database, ...args: Parameters<typeof original>) {
      const statement: Statement = Reflect.apply(original, this, args)
      if (!seen.has(statement)) {
        seen.add(statement)
        countCalls(statement, ['run', 'get', 'all', 'values'], 'SQL statements')
      }
      return statement
    } as typeof original
  }
}

/** Objects created since the start, by class: nothing is collected meanwhile (`COUNTING`). */
const objects = (): Counts => ({ ...heapStats().objectTypeCounts })

/** The environment of a process that counts: without garbage collection, so that no created object is missed. */
export const COUNTING = { BUN_JSC_useGC: '0', BUN_GC_TIMER_DISABLE: '1', BUN_JSC_useDFGJIT: '0' }
