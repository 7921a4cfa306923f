// The cost of an answer: an estimate while it streams, then the recorded charge.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ApiError, api, ask, ConnectionLost, part } from '../../console/web/app/client.ts'
import { count, duration, roundedUsd } from '../../console/web/parts/amounts.ts'
import { Money } from '../../console/web/parts/money.tsx'
import type { Answer } from './draft.ts'
import { estimatedCost, estimatedTokens } from './estimate.ts'
import type { TextModel } from './models.ts'

export interface AnswerCostProps {
  answer: Answer
  model: TextModel
}

export function AnswerCost({ answer, model }: AnswerCostProps) {
  if (answer.state === 'streaming') return <Estimate answer={answer} model={model} />
  if (answer.request_id === undefined)
    return (
      <span className="small soft">{answer.state === 'stopped' ? 'Stopped.' : 'Nothing was charged.'}</span>
    )
  return <Charged request_id={answer.request_id} is_stopped={answer.state === 'stopped'} />
}

function Estimate({ answer, model }: Pick<AnswerCostProps, 'answer' | 'model'>) {
  const written = estimatedTokens(answer.text) + estimatedTokens(answer.thinking)
  const cost = estimatedCost(model, answer.prompt_tokens, written)
  return (
    <span className="small soft">
      about {count(answer.prompt_tokens)} tokens in, {count(written)} out · about {roundedUsd(cost)} USD so
      far
    </span>
  )
}

/** A stopped stream is charged a moment later. */
const MAX_TRIES = 8

const isNotSettled = (failure: Error): boolean =>
  failure instanceof ConnectionLost ||
  (failure instanceof ApiError && (failure.status === 404 || failure.status === 409))

interface ChargedProps {
  request_id: string
  is_stopped: boolean
}

function Charged({ request_id, is_stopped }: ChargedProps) {
  const { data, error } = useQuery({
    queryKey: ['charge', request_id],
    queryFn: () => ask(api.calls({ request_id: part(request_id) }).get()),
    staleTime: Number.POSITIVE_INFINITY,
    retry: (tries, failure) => isNotSettled(failure) && tries < MAX_TRIES,
    retryDelay: 400,
  })
  const link = <Link href={`/calls/${encodeURIComponent(request_id)}`}>the call</Link>
  if (error) return <span className="small soft">What it cost stands in {link}.</span>
  if (!data) return <span className="small soft">{is_stopped ? 'Stopped. ' : ''}Charging…</span>
  const { input_tokens, output_tokens, cost_nanos, duration_ms, first_byte_ms, estimated } = data
  return (
    <span className="small soft">
      {is_stopped && 'Stopped. '}
      {count(input_tokens)} tokens in, {count(output_tokens)} out{estimated && ' by estimate'} ·{' '}
      <Money nanos={cost_nanos} /> ·{' '}
      {first_byte_ms !== null && `first token after ${duration(first_byte_ms)}, `}
      {duration(duration_ms)} in all · {link}
    </span>
  )
}
