// The state of a key, in a word.
import type { ShownKeyRow } from '../../../api/keys-views.ts'
import { Status, type Tone } from '../../parts/status.tsx'
import { exactTime } from '../../parts/time.tsx'

const TONES: Record<ShownKeyRow['status'], Tone> = { active: 'good', retiring: 'warn', expired: 'idle', revoked: 'idle' }

export function KeyStatus({ of: key }: { of: ShownKeyRow }) {
  const { status, left_nanos, revoked_at_ms } = key
  if (status === 'active' && left_nanos === 0)
    return (
      <Status tone="warn" title="Its calls have cost what it may spend: raise its spend limit.">
        spent
      </Status>
    )
  const title = status === 'retiring' && revoked_at_ms !== null ? `Works until ${exactTime(revoked_at_ms)}` : undefined
  return (
    <Status tone={TONES[status]} {...(title === undefined ? {} : { title })}>
      {status}
    </Status>
  )
}
