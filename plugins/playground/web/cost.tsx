// The cost of a request: an estimate or a quote before it, an estimate while an answer streams, then the recorded charge.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ApiError, api, ConnectionLost, pathPart, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { count, countNoun, duration, exactUsd, roundedUsd } from '../../console/web/parts/amounts.ts'
import { classNames } from '../../console/web/parts/class-names.ts'
import { useDebounced } from '../../console/web/parts/debounced.ts'
import { Money } from '../../console/web/parts/money.tsx'
import {
  type Answer,
  type Draft,
  type Message,
  messagesOf,
  type Question,
  type TextModel,
} from './request.ts'

const encoder = new TextEncoder()

/** Estimates the tokens of a text: one for four characters in English, one for each character in Chinese or Japanese. */
const estimatedTokens = (text: string): number =>
  Math.ceil((3 * encoder.encode(text).length - text.length) / 8)

const TOKENS_PER_MESSAGE = 4
/** The tokens of a large picture; providers count them by its size. */
const TOKENS_PER_PICTURE = 1_600

const estimatedPrompt = (messages: readonly Message[]): number =>
  messages.reduce(
    (sum, { content, pictures = [] }) =>
      sum + TOKENS_PER_MESSAGE + estimatedTokens(content) + pictures.length * TOKENS_PER_PICTURE,
    0,
  )

type Priced = Pick<TextModel, 'input_nanos' | 'output_nanos'>

/** In nano-dollars. */
const estimatedCost = ({ input_nanos, output_nanos }: Priced, input: number, output: number): number =>
  Math.round((input * input_nanos + output * output_nanos) / 1_000_000)

/** The estimated cost of the typed message, without its answer. */
export function QuestionCost({
  draft,
  models,
}: {
  draft: Draft
  models: readonly (TextModel | undefined)[]
}) {
  if (draft.question.trim() === '') return null
  const costs = models.map((model, side) =>
    model ? estimatedCost(model, estimatedPrompt(messagesOf(draft, side, draft)), 0) : 0,
  )
  const sum = costs.reduce((sum, cost) => sum + cost, 0)
  return <span className="small soft">About {roundedUsd(sum)} USD, and the answer</span>
}

export interface AnswerCostProps {
  answer: Answer
  model: TextModel
  messages: () => readonly Message[]
}

export function AnswerCost({ answer, model, messages }: AnswerCostProps) {
  const { state, request_id, text, thinking } = answer
  if (state === 'running') {
    const [read, written] = [estimatedPrompt(messages()), estimatedTokens(text) + estimatedTokens(thinking)]
    return (
      <span className="small soft">
        about {count(read)} tokens in, {count(written)} out · about{' '}
        {roundedUsd(estimatedCost(model, read, written))} USD so far
      </span>
    )
  }
  if (request_id === undefined)
    return <span className="small soft">{state === 'stopped' ? 'Stopped.' : 'Nothing was charged.'}</span>
  return <Charged request_id={request_id} is_stopped={state === 'stopped'} />
}

/** A stopped stream is charged a moment later. */
const MAX_TRIES = 8

const isNotSettled = (failure: Error): boolean =>
  failure instanceof ConnectionLost ||
  (failure instanceof ApiError && (failure.status === 404 || failure.status === 409))

function Charged({ request_id, is_stopped }: { request_id: string; is_stopped: boolean }) {
  const { data, error } = useQuery({
    queryKey: ['charge', request_id],
    queryFn: () => send(api.calls({ request_id: pathPart(request_id) }).get()),
    staleTime: Number.POSITIVE_INFINITY,
    retry: (tries, failure) => isNotSettled(failure) && tries < MAX_TRIES,
    retryDelay: 400,
  })
  const link = <Link href={`/calls/${encodeURIComponent(request_id)}`}>the call</Link>
  if (error) return <span className="small soft">See {link} for its cost.</span>
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

interface ImageQuoteProps extends Question {
  account: string | undefined
  model: string
  fields: { n: number; size?: string; quality?: string }
}

/** An incomplete size has no price. */
const WHOLE_SIZE = /^(|auto|[1-9]\d*x[1-9]\d*)$/

/** The price of images before they are generated: the server's quote for the request. */
export function ImageQuote({ account, model, question, pictures, fields }: ImageQuoteProps) {
  const prompt = useDebounced(question.trim())
  const order = { model, prompt, ...fields, references: pictures.length }
  const is_whole = WHOLE_SIZE.test(fields.size ?? '')
  const { data, isPlaceholderData } = useApi(
    ['play', 'quote', account, order],
    () => api.play.quote.post(order, { query: { account } }),
    { enabled: is_whole },
  )
  if (!data || !is_whole) return null
  return (
    <span className={classNames('small soft', isPlaceholderData && 'stale')}>
      {countNoun(fields.n, 'image')}: {data.is_most && 'at most '}
      {exactUsd(data.held_nanos)} USD
    </span>
  )
}
