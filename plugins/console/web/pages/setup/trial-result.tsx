// What came of a trial: the provider's answer, or its refusal and what to do about it.
import { duration } from '../../parts/amounts.ts'
import { Notice } from '../../parts/notice.tsx'
import type { Trial } from './choices.ts'

export function TrialResult({ trial: { ok, words, status, latency_ms, address, advice } }: { trial: Trial }) {
  const said = words.trim()
  if (ok)
    return (
      <Notice tone="good" alert>
        It works: {said === '' ? 'an answer' : <q>{said}</q>} after {duration(latency_ms)}.
      </Notice>
    )
  return (
    <Notice tone="bad" alert>
      <p>{advice}</p>
      <p className="small soft">
        {status === null ? 'No answer' : `Status ${status}`}
        {address !== null && ` from ${address}`}
        {said !== '' && `: ${said}`}
      </p>
    </Notice>
  )
}
