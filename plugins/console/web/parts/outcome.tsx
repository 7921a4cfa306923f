// How a call ended, or that a request was refused, as a state; and the words for what is counted of a call.
import { Status, type Tone } from './status.tsx'

export type CallOutcome = 'completed' | 'cancelled' | 'broken' | 'failed'
/** As lists have it: a refused request is no call, and stands beside them. */
export type ListedOutcome = CallOutcome | 'refused'

const OUTCOMES: Readonly<Record<ListedOutcome, { tone: Tone; word: string }>> = {
  completed: { tone: 'good', word: 'completed' },
  cancelled: { tone: 'warn', word: 'client disconnected' },
  broken: { tone: 'bad', word: 'interrupted' },
  failed: { tone: 'bad', word: 'failed' },
  refused: { tone: 'warn', word: 'refused' },
}

export const outcomeWord = (outcome: ListedOutcome): string => OUTCOMES[outcome].word

/** What counts as failed, on hover. */
export const FAILED_HINT = 'No answer, or interrupted'

/** As a filter: "failed" has interrupted calls, too; `call`: whatever was not refused; `answered`: what a provider's figures count. */
export const outcomeFilterWord = (outcome: ListedOutcome | 'call' | 'answered'): string =>
  outcome === 'answered' ? outcome : outcome === 'call' ? 'calls only' : outcomeWord(outcome)

/** Why a call failed: `key_rejected` is "key rejected". */
export const causeWord = (cause: string): string => cause.replaceAll('_', ' ')

/** @param status the HTTP status, in view where it says more than the word */
export function Outcome({ outcome, status }: { outcome: ListedOutcome; status?: number }) {
  const { tone, word } = OUTCOMES[outcome]
  const shows_status = status !== undefined && (outcome === 'failed' || outcome === 'refused')
  return <Status tone={tone}>{shows_status ? `${word}, ${status}` : word}</Status>
}

const COUNTED: Readonly<Record<string, string>> = {
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

/** What is counted, in words: `input_tokens` is "input tokens". */
export const countedWord = (what: string): string => COUNTED[what] ?? what.replaceAll('_', ' ')
