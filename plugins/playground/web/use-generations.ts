// The drawings of this visit: begun, made, or failed.
import { useCallback, useRef, useState } from 'react'
import { messageOf } from '../../console/web/parts/thrown.ts'
import { draw as ask, type DrawingAsked } from './generation.ts'

export interface Drawing {
  id: number
  asked: DrawingAsked
  state: 'drawing' | 'done' | 'failed'
  /** Of the images that came. */
  ids: readonly string[]
  cost?: string
  request_id?: string | null
  /** In the server's words. */
  failure?: string
  started_ms: number
}

/** @param onEnd called when one has ended, whatever came of it */
export function useDrawings(onEnd: () => void) {
  const [drawings, setDrawings] = useState<readonly Drawing[]>([])
  const next_id = useRef(1)

  const draw = useCallback(
    (asked: DrawingAsked): void => {
      const id = next_id.current++
      setDrawings((all) => [{ id, asked, state: 'drawing', ids: [], started_ms: Date.now() }, ...all])
      const end = (some: Partial<Drawing>): void => {
        setDrawings((all) => all.map((each) => (each.id === id ? { ...each, ...some } : each)))
        onEnd()
      }
      ask(asked).then(
        ({ ids, cost, request_id }) => end({ state: 'done', ids, cost, request_id }),
        (thrown: unknown) => end({ state: 'failed', failure: messageOf(thrown) }),
      )
    },
    [onEnd],
  )
  return { drawings, draw }
}
