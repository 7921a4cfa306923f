// Whether a model can be called, in a word.
import { Status } from '../../parts/status.tsx'

export interface ModelStateProps {
  state: 'served' | 'retired' | 'unavailable'
  why: string | null
}

const TONES = { served: 'good', retired: 'idle', unavailable: 'warn' } as const

export const ModelState = ({ state, why }: ModelStateProps) => (
  <Status tone={TONES[state]} title={why ?? undefined}>
    {state}
  </Status>
)
