// Whether a model can be called, in a word.
import { endWords } from '../../parts/end-words.ts'
import { Status } from '../../parts/status.tsx'

export interface ModelStateProps {
  state: 'served' | 'retired' | 'unavailable'
  why: string | null
  end: { date: string; days: number; is_near: boolean } | null
}

const TONES = { served: 'good', retired: 'idle', unavailable: 'warn' } as const

export const ModelState = ({ state, why, end }: ModelStateProps) =>
  state === 'served' && end?.is_near ? (
    <Status tone="warn" title={`Its shutdown: ${end.date}`}>
      {endWords(end)}
    </Status>
  ) : (
    <Status tone={TONES[state]} title={why ?? undefined}>
      {state}
    </Status>
  )
