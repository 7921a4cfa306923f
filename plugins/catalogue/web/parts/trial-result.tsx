// The result of a trial: a word, the time, the provider's own words, and advice.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type AnswerOf, api, send } from '../../../console/web/app/client.ts'
import { duration } from '../../../console/web/parts/amounts.ts'
import { Status } from '../../../console/web/parts/status.tsx'
import { Words } from '../../../console/web/parts/words.tsx'

const MAX_WORDS_CHARS = 240

interface TrialResultProps {
  outcome: TrialOutcome | null | undefined
  failure?: Error | null
}

export function TrialResult({ outcome, failure }: TrialResultProps) {
  return (
    <div className="trial-result" aria-live="polite">
      {failure && <p className="field-error">{failure.message}</p>}
      {outcome && (
        <>
          <Status tone={outcome.ok ? 'good' : 'bad'}>
            {`${outcome.ok ? 'It answered in' : `${capital(whatFailed(outcome))} after`} ${duration(outcome.latency_ms)}`}
          </Status>
          {outcome.advice !== null && (
            <p>
              <Words>{capital(withoutWhat(outcome.advice))}</Words>
            </p>
          )}
          {outcome.words !== '' && (
            <p className="trial-words small soft">
              {saidBy(outcome)}
              {shortened(outcome.words)}
            </p>
          )}
        </>
      )}
    </div>
  )
}

/** An advice begins with what is wrong, which says more than the result: the clock may be what makes a server unreachable. */
const WHAT = /^[^:]+(?=: )/
const whatFailed = ({ advice, result }: TrialOutcome): string => WHAT.exec(advice ?? '')?.[0] ?? result
const withoutWhat = (advice: string): string => advice.replace(WHAT, '').replace(/^: /, '')

/** The status, and of a refusal the address that gave it. */
const saidBy = ({ ok, status, address }: TrialOutcome): string => {
  if (status === null) return ''
  return ok || address === null ? `${status}: ` : `${status} from ${address}: `
}

const shortened = (words: string): string =>
  words.length > MAX_WORDS_CHARS ? `${words.slice(0, MAX_WORDS_CHARS)}…` : words

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

type TrialOrder = Parameters<typeof api.providers.try.post>[0]
export type TrialOutcome = AnswerOf<typeof api.providers.try.post>

export function useTrial() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (order: TrialOrder) => send(api.providers.try.post(order)),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['providers'] }),
  })
}
