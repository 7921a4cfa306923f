// The state of a model in one word: served, ending soon, or the health of its calls; and the link that tries it.
import { Play } from 'lucide-react'
import { ButtonLink } from '../../../console/web/parts/button.tsx'
import { endWords } from '../../../console/web/parts/end-words.ts'
import {
  type HealthAnswer,
  type HealthState,
  HealthStatus,
  healthSentence,
} from '../../../console/web/parts/health.tsx'
import { Status } from '../../../console/web/parts/status.tsx'

interface ModelStateProps {
  state: 'served' | 'retired' | 'unavailable'
  why: string | null
  health_state: HealthState
  health?: HealthAnswer | undefined
  end: { date: string; days: number; is_near: boolean } | null
}

const TONES = { retired: 'idle', unavailable: 'warn' } as const

export function ModelState({ state, why, end, health_state, health }: ModelStateProps) {
  if (state !== 'served')
    return (
      <Status tone={TONES[state]} title={why ?? undefined}>
        {state}
      </Status>
    )
  if (end?.is_near && health_state !== 'failing')
    return (
      <Status tone="warn" title={`Shutdown date: ${end.date}`}>
        {endWords(end)}
      </Status>
    )
  // Callers without health figures see only that the model is available.
  if (health_state === 'unknown' && !health) return <Status tone="idle">available</Status>
  return <HealthStatus state={health_state} title={health && healthSentence(health, 'calls')} />
}

type TryLinkProps = Record<'id' | 'kind' | 'state', string> & { small?: true }
/** Opens the playground, which has models for text and images. */
export const TryLink = ({ id, kind, state, small }: TryLinkProps) =>
  state === 'served' && (kind === 'text' || kind === 'image') ? (
    <ButtonLink
      small={small}
      icon={Play}
      right="call"
      aria-label={`Try ${id}`}
      href={`/playground?${kind === 'image' ? 'tab=images&' : ''}model=${encodeURIComponent(id)}`}
    >
      Try
    </ButtonLink>
  ) : null
