// The image requests of this visit: running, done or failed.
import { useCallback, useRef, useState } from 'react'
import { messageOf } from '../../console/web/parts/thrown.ts'
import { type ImageRequest, generate as send } from './generation.ts'

export interface Generation {
  id: number
  request: ImageRequest
  state: 'running' | 'done' | 'failed'
  /** Of the generated images. */
  ids: readonly string[]
  cost?: string
  request_id?: string | null
  /** In the server's words. */
  failure?: string
  started_ms: number
}

/** @param onEnd called when one has ended or failed */
export function useGenerations(onEnd: () => void) {
  const [generations, setGenerations] = useState<readonly Generation[]>([])
  const next_id = useRef(1)

  const generate = useCallback(
    (request: ImageRequest): void => {
      const id = next_id.current++
      setGenerations((all) => [{ id, request, state: 'running', ids: [], started_ms: Date.now() }, ...all])
      const end = (some: Partial<Generation>): void => {
        setGenerations((all) => all.map((each) => (each.id === id ? { ...each, ...some } : each)))
        onEnd()
      }
      send(request).then(
        ({ ids, cost, request_id }) => end({ state: 'done', ids, cost, request_id }),
        (thrown: unknown) => end({ state: 'failed', failure: messageOf(thrown) }),
      )
    },
    [onEnd],
  )
  return { generations, generate }
}
