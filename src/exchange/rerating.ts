// Re-ratings under way and done: recorded calls at other prices, reckoned in a thread beside the calls, one at a time.
import type { Logger } from '../observe/log.ts'
import type { FromRerating, RerateOrder, RerateResult } from './rerating-thread.ts'

export type Rerating =
  | { state: 'running'; done: number; total: number }
  | { state: 'done'; result: RerateResult }
  | { state: 'failed'; message: string }

export interface Reratings {
  /** Begins one; the one before ends, done or not. @returns its id */
  begin(order: RerateOrder): string
  /** Undefined where another one has begun since, it was cancelled, or never was. */
  find(id: string): Rerating | undefined
  cancel(id: string): void
}

interface Current {
  id: string
  state: Rerating
  worker: Worker | undefined
}

/** There is no thread while nothing is re-rated. */
export function createReratings(log: Logger): Reratings {
  let current: Current | undefined

  const end = (): void => {
    current?.worker?.terminate()
    current = undefined
  }

  return {
    begin(order) {
      end()
      const own: Current = {
        id: Bun.randomUUIDv7('base64url'),
        state: { state: 'running', done: 0, total: 0 },
        worker: undefined,
      }
      current = own
      own.worker = start(order, (state) => {
        own.state = state
        if (state.state === 'running') return
        own.worker?.terminate()
        own.worker = undefined
        if (state.state === 'failed') log.warn({ cause: state.message }, 'a re-rating failed')
      })
      return own.id
    },
    find: (id) => (current?.id === id ? current.state : undefined),
    cancel(id) {
      if (current?.id === id) end()
    },
  }
}

function start(order: RerateOrder, tell: (state: Rerating) => void): Worker {
  // In a compiled binary entry points lose their folders; see ledger/executors.ts.
  const worker = new Worker(new URL('./rerating-thread.ts', import.meta.url).href, { smol: true })
  worker.unref()
  worker.onmessage = ({ data }: MessageEvent<FromRerating>) => {
    if (data.kind === 'progress') tell({ state: 'running', done: data.done, total: data.total })
    else if (data.kind === 'result') tell({ state: 'done', result: data.result })
    else tell({ state: 'failed', message: data.message })
  }
  worker.onerror = ({ message }) => tell({ state: 'failed', message })
  worker.postMessage(order)
  return worker
}
