// Health of a model, a provider or a route: a word with its tone, a sentence that says why, and a table of routes.
import { Fragment } from 'react'
import { Link } from 'wouter'
import { part } from '../app/client.ts'
import { count, counted, duration } from './amounts.ts'
import { Status, type Tone } from './status.tsx'
import { atEnd, type Column, column } from './table.tsx'
import { Time } from './time.tsx'

/** Failure classes of providers, in words. */
const CLASS_WORDS: Readonly<Record<string, string>> = {
  bad_request: 'request rejected',
  rate_limited: 'rate limited',
  overloaded: 'overloaded',
  bad_key: 'key rejected',
  timed_out: 'timed out',
  upstream_error: 'provider error',
  broke_off: 'interrupted',
}

export const failureClassWord = (failure_class: string): string =>
  CLASS_WORDS[failure_class] ?? failure_class.replaceAll('_', ' ')

export type HealthState = 'unknown' | 'working' | 'impaired' | 'failing'

interface Counts {
  answered: number
  failed: number
  refused: number
}

interface Sums {
  tries: Counts
  calls: Counts
  classes: Record<string, number>
  first_byte_ms: number | null
}

export interface HealthAnswer {
  state: HealthState
  judged_by: 'hour' | 'day'
  outage: { sentence: string } | null
  hour: Sums
  day: Sums
}

export interface LastFailure {
  failure_class: string
  words: string
  request_id: string
  failed_at_ms: number
}

const STATE_WORDS: Readonly<Record<HealthState, string>> = {
  unknown: 'no recent calls',
  working: 'working',
  impaired: 'partly failing',
  failing: 'failing',
}

const TONES: Readonly<Record<HealthState, Tone>> = {
  unknown: 'idle',
  working: 'good',
  impaired: 'warn',
  failing: 'bad',
}

/** @param title why, on hover */
export const HealthStatus = ({ state, title }: { state: HealthState; title?: string | undefined }) => (
  <Status tone={TONES[state]} title={title}>
    {STATE_WORDS[state]}
  </Status>
)

/** Calls of models end; providers and routes are sent requests, of which a call may take several. */
export type Counted = 'calls' | 'requests'

const totalOf = ({ answered, failed, refused }: Counts): number => answered + failed + refused
const countsOf = (sums: Sums, what: Counted): Counts => (what === 'calls' ? sums.calls : sums.tries)

/** "All 12 calls in the last hour failed." */
export function healthSentence(health: Omit<HealthAnswer, 'state'>, what: Counted): string {
  if (health.outage) return health.outage.sentence
  const range = health.judged_by === 'hour' ? 'in the last hour' : 'in the last 24 hours'
  const counts = countsOf(health[health.judged_by], what)
  const total = totalOf(counts)
  const noun = what.slice(0, -1)
  if (total === 0) return `No ${what} ${range}.`
  if (counts.answered === 0)
    return total === 1 ? `The only ${noun} ${range} failed.` : `All ${count(total)} ${what} ${range} failed.`
  const failed = counts.failed + counts.refused
  if (failed === 0) return `${counted(total, noun)} ${range}, none failed.`
  return `${count(failed)} of ${counted(total, noun)} ${range} failed.`
}

/** "overloaded (3), key rejected" */
export const ClassWords = ({ classes }: { classes: Record<string, number> }) =>
  Object.entries(classes)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, times], at) => (
      <Fragment key={name}>
        {at > 0 && ', '}
        <span className="no-wrap">{`${failureClassWord(name)}${times > 1 ? ` (${count(times)})` : ''}`}</span>
      </Fragment>
    ))

const sentence = (words: string): string => (/[.!?…]$/.test(words) ? words : `${words}.`)

/** The provider's words of the last failure, and the call where it shows. */
export const LastFailureWords = ({
  of: { words, failed_at_ms, request_id, failure_class },
}: {
  of: LastFailure
}) => (
  <>
    Last failure <Time at_ms={failed_at_ms} />:{' '}
    {sentence(words === '' ? failureClassWord(failure_class) : words)}{' '}
    <Link href={`/calls/${part(request_id)}`}>See the call</Link>
  </>
)

interface RouteRow {
  /** The provider's name for the model. */
  model: string
  health: HealthAnswer
}

/** "11 of 12": answered, of what was sent. */
const answered = ({ tries }: Sums): string =>
  totalOf(tries) === 0 ? '–' : `${count(tries.answered)} of ${count(totalOf(tries))}`

/** How many requests were answered in the last hour and day. */
export const answeredColumns = <Row extends { health: HealthAnswer }>(): Column<Row>[] => [
  atEnd('hour', 'Success, last hour', 'none', ({ health }) => answered(health.hour)),
  atEnd('day', 'Last 24 hours', 'second-end', ({ health }) => answered(health.day)),
]

/** Of each route: its requests of the last hour and day. */
export const healthColumns = <Row extends RouteRow>(): Column<Row>[] => [
  column('model', 'Upstream model', 'second', ({ model }) => <code>{model}</code>),
  column('state', 'State', 'first-end', ({ health }) => (
    <HealthStatus state={health.state} title={healthSentence(health, 'requests')} />
  )),
  ...answeredColumns<Row>(),
  atEnd('first_byte', 'Time to first byte', 'none', ({ health: { hour, day } }) => {
    const mean_ms = hour.first_byte_ms ?? day.first_byte_ms
    return mean_ms === null ? '–' : duration(mean_ms)
  }),
  column('why', 'Errors', 'none', ({ health }) => (
    <span className="soft">
      {Object.keys(health.day.classes).length === 0 ? '–' : <ClassWords classes={health.day.classes} />}
    </span>
  )),
]
