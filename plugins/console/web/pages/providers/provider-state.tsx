// How a provider or a key of one is, in a word.
import { Status, type Tone } from '../../parts/status.tsx'

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
}

export const ProviderState = ({ state, why }: { state: string; why?: string | null }) => (
  <Status tone={TONES[state] ?? 'idle'} title={why ?? undefined}>
    {WORDS[state] ?? state}
  </Status>
)
