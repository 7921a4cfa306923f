// Timeline of a call: one line for each step, with its time, and its duration as a bar.

import type { ReactNode } from 'react'
import { count, countNoun, duration } from '../../../console/web/parts/amounts.ts'
import { failureClassWord } from '../../../console/web/parts/health.tsx'
import { Money } from '../../../console/web/parts/money.tsx'
import { outcomeWord } from '../../../console/web/parts/outcome.tsx'
import type { Call } from './call-answer.ts'

type Tone = 'plain' | 'wait' | 'answer' | 'bad'

interface Step {
  key: string
  title: string
  detail?: ReactNode
  /** Since the gateway accepted the call. */
  from_ms: number
  /** Absent for a step without a duration. */
  to_ms?: number
  tone: Tone
}

export function Course({ call }: { call: Call }) {
  const total_ms = Math.max(call.timings.settled_ms, 1)
  return (
    <ol className="course">
      {stepsOf(call).map(({ key, ...step }) => (
        <CourseStep key={key} {...step} total_ms={total_ms} />
      ))}
    </ol>
  )
}

function CourseStep({
  title,
  detail,
  from_ms,
  to_ms,
  tone,
  total_ms,
}: Omit<Step, 'key'> & { total_ms: number }) {
  const left = Math.min(from_ms / total_ms, 1) * 100
  const width = (Math.max((to_ms ?? from_ms) - from_ms, 0) / total_ms) * 100
  return (
    <li>
      <div className="course-when">{duration(from_ms)}</div>
      <div className="course-what">
        <div className="spread">
          <strong>{title}</strong>
          {to_ms !== undefined && <span className="soft no-wrap">{duration(to_ms - from_ms)}</span>}
        </div>
        {detail && <div className="soft">{detail}</div>}
        <div className="course-track" aria-hidden>
          <div
            className={`course-bar course-${tone}`}
            style={{ left: `min(${left}%, 100% - 2px)`, width: `${Math.min(width, 100 - left)}%` }}
          />
        </div>
      </div>
    </li>
  )
}

/** Returns the steps in the order of their start. */
function stepsOf(call: Call): Step[] {
  const { timings, tried, more_tried } = call
  const { held_ms } = timings
  const steps: Step[] = [
    {
      key: 'read',
      title: 'Request read',
      detail: 'Key and limits checked.',
      from_ms: 0,
      to_ms: held_ms ?? undefined,
      tone: 'plain',
    },
    { key: 'held', title: 'Held', detail: <HeldWords call={call} />, from_ms: held_ms ?? 0, tone: 'plain' },
    ...(tried ?? []).map((one) => ({
      key: `try ${one.at_ms} ${one.provider} ${one.provider_key}`,
      title: `Tried ${one.provider}`,
      detail: <TryWords {...one} />,
      from_ms: one.at_ms,
      to_ms: one.at_ms + one.took_ms,
      tone: 'bad' as const,
    })),
    ...(more_tried > 0
      ? [
          {
            key: 'more',
            title: countNoun(more_tried, 'more failed try', 'more failed tries'),
            detail: 'Their errors were too long to keep.',
            from_ms: tried?.at(-1)?.at_ms ?? held_ms ?? 0,
            tone: 'bad' as const,
          },
        ]
      : []),
    ...answerSteps(call),
  ]
  return [...steps.toSorted((one, other) => one.from_ms - other.from_ms), settledStep(call)]
}

function answerSteps({ timings, provider, upstream_model, streamed, outcome }: Call): Step[] {
  const { sent_ms, head_ms, first_byte_ms, left_ms, settled_ms } = timings
  const steps: Step[] = []
  const answered_ms = first_byte_ms ?? head_ms
  if (sent_ms !== null)
    steps.push({
      key: 'sent',
      title: provider === null ? 'Sent to a provider' : `Sent to ${provider}`,
      detail:
        upstream_model === null ? undefined : (
          <>
            as <code>{upstream_model}</code>
          </>
        ),
      from_ms: sent_ms,
      to_ms: head_ms ?? undefined,
      tone: 'wait',
    })
  if (head_ms !== null && answered_ms !== null && answered_ms > head_ms)
    steps.push({
      key: 'head',
      title: 'Headers received',
      detail: streamed ? 'Time to first token' : 'Reading the answer',
      from_ms: head_ms,
      to_ms: answered_ms,
      tone: 'wait',
    })
  if (answered_ms !== null)
    steps.push({
      key: 'answer',
      title: streamed ? 'First byte' : 'Answer',
      detail: outcome === 'broken' ? 'Interrupted' : undefined,
      from_ms: answered_ms,
      to_ms: settled_ms,
      tone: outcome === 'broken' ? 'bad' : 'answer',
    })
  if (left_ms !== null)
    steps.push({ key: 'left', title: 'Caller disconnected', from_ms: left_ms, tone: 'bad' })
  return steps
}

const settledStep = (call: Call): Step => ({
  key: 'settled',
  title: `Settled: ${outcomeWord(call.outcome)}`,
  detail: (
    <>
      <Money nanos={call.cost_nanos} exact /> charged. The rest of the hold was released.
    </>
  ),
  from_ms: call.timings.settled_ms,
  tone: 'plain',
})

const HeldWords = ({ call }: { call: Call }) => (
  <>
    <Money nanos={call.hold_nanos} />
    {call.ceiling_nanos === null ? (
      ', the maximum cost of the call'
    ) : (
      <>
        {' '}
        of a maximum cost of <Money nanos={call.ceiling_nanos} />, because less was available
      </>
    )}
    {call.output_limit !== null && <>; the output was limited to {count(call.output_limit)} tokens</>}.
  </>
)

const TryWords = ({
  upstream_model,
  provider_key,
  failure_class,
  status,
  words,
}: NonNullable<Call['tried']>[number]) => (
  <>
    {failureClassWord(failure_class)}
    {status !== null && ` (${status})`}, as <code>{upstream_model}</code> with key {provider_key}
    {words !== '' && <q className="course-words">{words}</q>}
  </>
)
