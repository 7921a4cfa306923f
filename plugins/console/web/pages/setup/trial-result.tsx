// What came of a trial: the provider's answer, or its refusal and what to do about it.
import { Notice } from '../../parts/notice.tsx'
import type { Trial } from './choices.ts'

const ADVICE: Readonly<Record<string, string>> = {
  'bad key': 'Check the key, and what its account may do and has left at the provider.',
  'not found': 'Check the model’s name in the provider’s own list, and the version in the address.',
  'rate limited': 'The key is at its limit. Wait, or raise the limit at the provider.',
  refused: 'The provider does not take this request for this model.',
  failed: 'The provider had an error, or the address is not an API of this protocol.',
  unreachable: 'Check the address, whether the server runs, and the way to it.',
  'too slow': 'Nothing came in time. Try again, and see that the server is not overloaded.',
}

export function TrialResult({ trial: { ok, result, words, status, latency_ms, address } }: { trial: Trial }) {
  if (ok)
    return (
      <Notice tone="good" alert>
        It works: {words.trim() === '' ? 'an answer' : <q>{words.trim()}</q>} after {latency_ms} ms.
      </Notice>
    )
  return (
    <Notice tone="bad" alert>
      <p>
        <b>{sentence(result)}.</b> {ADVICE[result]}
      </p>
      <p className="small soft">
        {status === null ? 'No answer' : `Status ${status}`}
        {address && <> from {address}</>}
        {words && <>: {words}</>}
      </p>
    </Notice>
  )
}

const sentence = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
