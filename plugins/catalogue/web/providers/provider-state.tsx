// The state of a provider, or of one of its keys, in a word.
import { type HealthAnswer, HealthStatus, healthSentence } from '../../../console/web/parts/health.tsx'
import { Status, type Tone } from '../../../console/web/parts/status.tsx'

const TONES: Readonly<Record<string, Tone>> = {
  ready: 'good',
  'partly cooling': 'warn',
  cooling: 'bad',
  disabled: 'idle',
  unset: 'warn',
}

const WORDS: Readonly<Record<string, string>> = {
  cooling: 'in cooldown',
  'partly cooling': 'some keys in cooldown',
  unset: 'not set',
  unused: 'not used yet',
}

/** A provider's own state, which its calls decide where nothing else keeps them from it. */
export function ProviderCondition({ provider }: { provider: Condition }) {
  const { state, why, health } = provider
  const is_health = state === 'ready' || (state === 'partly cooling' && health.state === 'failing')
  return is_health ? (
    <HealthStatus state={health.state} title={healthSentence(health, 'requests')} />
  ) : (
    <ProviderState state={state} why={why} />
  )
}

interface Condition {
  state: string
  why: string | null
  health: HealthAnswer
}

export const ProviderState = ({ state, why }: { state: string; why?: string | null }) => (
  <Status tone={TONES[state] ?? 'idle'} title={why ?? undefined}>
    {WORDS[state] ?? state}
  </Status>
)
