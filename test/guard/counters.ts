// Counters of what a gateway's process does: objects made, timers, listeners, statements of SQL, messages to threads.
import { heapStats } from 'bun:jsc'
import { Database, type Statement } from 'bun:sqlite'

/** How often each thing was done, by its name. */
export type Counts = Record<string, number>

/** Wraps what is counted, for the rest of the process. To be called before the gateway's code is loaded. */
export function startCounting(): () => Counts {
  const calls: Counts = {}
  const counted = <T extends object, K extends keyof T & string>(
    owner: T,
    names: readonly K[],
    as: string,
  ): void => {
    for (const name of names) {
      const original = owner[name]
      if (typeof original !== 'function')
        throw new TypeError(`${name} is no function: the runtime has changed`)
      calls[as] ??= 0
      const wrapped = function (this: unknown, ...given: unknown[]): unknown {
        calls[as] = (calls[as] ?? 0) + 1
        return Reflect.apply(original, this, given)
      }
      owner[name] = wrapped as T[K]
    }
  }
  counted(globalThis, ['setTimeout', 'setInterval'], 'timers')
  counted(globalThis, ['setImmediate'], 'setImmediate')
  counted(globalThis, ['queueMicrotask'], 'queueMicrotask')
  counted(process, ['nextTick'], 'nextTick')
  counted(EventTarget.prototype, ['addEventListener'], 'addEventListener')
  counted(Worker.prototype, ['postMessage'], 'messages to a thread')
  counted(Database.prototype, ['run', 'exec'], 'SQL statements')
  countStatements(counted)
  return () => ({ ...calls, ...objects() })
}

type Counting = <T extends object, K extends keyof T & string>(
  owner: T,
  names: readonly K[],
  as: string,
) => void

/** A statement has methods of its own, made for its number of parameters: each is wrapped where it is prepared. */
function countStatements(counted: Counting): void {
  const seen = new WeakSet<Statement>()
  for (const name of ['prepare', 'query'] as const) {
    const original = Database.prototype[name]
    Database.prototype[name] = function (this: Database, ...given: Parameters<typeof original>) {
      const statement: Statement = Reflect.apply(original, this, given)
      if (!seen.has(statement)) {
        seen.add(statement)
        counted(statement, ['run', 'get', 'all', 'values'], 'SQL statements')
      }
      return statement
    } as typeof original
  }
}

/** Objects made since the start, by class: nothing is collected meanwhile (`COUNTING`). */
const objects = (): Counts => ({ ...heapStats().objectTypeCounts })

/** The environment of a process that counts: without garbage collection, so that no object that was made is missed. */
export const COUNTING = { BUN_JSC_useGC: '0', BUN_GC_TIMER_DISABLE: '1', BUN_JSC_useDFGJIT: '0' }
