// Outcome of a call or refused request as a state, and names of a call's metered quantities.
import { capital } from './capital.ts'
import { Status, type Tone } from './status.tsx'

export type CallOutcome = 'completed' | 'cancelled' | 'broken' | 'failed'
/** Lists also have refused requests, which are not calls. */
export type ListedOutcome = CallOutcome | 'refused'

const OUTCOMES: Readonly<Record<ListedOutcome, { tone: Tone; word: string }>> = {
  completed: { tone: 'good', word: 'completed' },
  cancelled: { tone: 'warn', word: 'client disconnected' },
  broken: { tone: 'bad', word: 'interrupted' },
  failed: { tone: 'bad', word: 'failed' },
  refused: { tone: 'warn', word: 'refused' },
}

export const outcomeWord = (outcome: ListedOutcome): string => OUTCOMES[outcome].word

export const FAILED_HINT = 'No answer, or interrupted'

/** The text of a filter: `call` excludes refused requests, `failed` includes interrupted calls, `answered` is what a provider's figures count. */
export const outcomeFilterWord = (outcome: ListedOutcome | 'call' | 'answered'): string =>
  capital(outcome === 'answered' ? outcome : outcome === 'call' ? 'calls only' : outcomeWord(outcome))

/** The cause of a failure: `key_rejected` is "key rejected". */
export const causeWord = (cause: string): string => cause.replaceAll('_', ' ')

/** @param status the HTTP status, shown for failed and refused requests */
export function Outcome({ outcome, status }: { outcome: ListedOutcome; status?: number }) {
  const { tone, word } = OUTCOMES[outcome]
  const shows_status = status !== undefined && (outcome === 'failed' || outcome === 'refused')
  return <Status tone={tone}>{shows_status ? `${word}, ${status}` : word}</Status>
}

const QUANTITY_WORDS: Readonly<Record<string, string>> = {
  input_tokens: 'input tokens',
  input_audio_tokens: 'audio input tokens',
  input_image_tokens: 'image input tokens',
  cache_read_image_tokens: 'image tokens read from cache',
  cache_read_tokens: 'tokens read from cache',
  cache_write_5m_tokens: 'tokens written to cache, 5 min',
  cache_write_1h_tokens: 'tokens written to cache, 1 h',
  output_tokens: 'output tokens',
  thinking_tokens: 'thinking tokens',
  output_image_tokens: 'image tokens',
  audio_ms: 'milliseconds of audio',
  partial_images: 'partial images',
  high_fidelity: 'high input fidelity',
  rounding: 'rounded up',
  interrupted: 'not charged: interrupted',
  plan: 'paid by the plan',
}

/** The name of a metered quantity: `input_tokens` is "Input tokens". */
export const quantityWord = (what: string): string =>
  capital(QUANTITY_WORDS[what] ?? what.replaceAll('_', ' '))
