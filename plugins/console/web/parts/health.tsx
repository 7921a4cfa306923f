// Health of a model, a provider or a route: its state, a sentence with the reason, and columns for lists of routes.
import { Link } from 'wouter'
import { pathPart } from '../app/client.ts'
import { count, countNoun, duration } from './amounts.ts'
import { Status, type Tone } from './status.tsx'
import { type Column, column, endColumn } from './table.tsx'
import { Time } from './time.tsx'
import { CommaList } from './words.tsx'

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

/** The server's answer: the state by the last answers, and figures of the last 24 hours. */
export interface HealthAnswer {
  state: HealthState
  /** The reason for failing or partly failing. */
  sentence: string | null
  tries: Counts
  calls: Counts
  classes: Record<string, number>
  first_byte_ms: number | null
}

interface LastFailure {
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

export const HealthStatus = ({ state, title }: { state: HealthState; title?: string | undefined }) => (
  <Status tone={TONES[state]} title={title}>
    {STATE_WORDS[state]}
  </Status>
)

const totalOf = ({ answered, failed, refused }: Counts): number => answered + failed + refused

/**
 * Returns the reason for failures, or "12 calls in the last 24 hours, none failed."
 *
 * @param what `calls` for models; `requests` for providers and routes, because one call may send several requests
 */
export function healthSentence(health: Omit<HealthAnswer, 'state'>, what: 'calls' | 'requests'): string {
  if (health.sentence !== null) return health.sentence
  const counts = what === 'calls' ? health.calls : health.tries
  const [total, failed] = [totalOf(counts), counts.failed + counts.refused]
  if (total === 0) return `No ${what} in the last 24 hours.`
  const all = `${countNoun(total, what.slice(0, -1))} in the last 24 hours`
  return failed === 0 ? `${all}, none failed.` : `${count(failed)} of ${all} failed.`
}

const ClassWords = ({ classes }: { classes: Record<string, number> }) =>
  Object.keys(classes).length === 0 ? (
    '–'
  ) : (
    <CommaList
      words={Object.entries(classes)
        .toSorted(([, one], [, other]) => other - one)
        .map(([name, times]) => `${failureClassWord(name)}${times > 1 ? ` (${count(times)})` : ''}`)}
    />
  )

const sentence = (words: string): string => (/[.!?…]$/.test(words) ? words : `${words}.`)

/** The provider's message of the last failure, and a link to the call. */
export const LastFailureWords = ({
  of: { words, failed_at_ms, request_id, failure_class },
}: {
  of: LastFailure
}) => (
  <>
    Last failure <Time at_ms={failed_at_ms} />:{' '}
    {sentence(words === '' ? failureClassWord(failure_class) : words)}{' '}
    <Link href={`/calls/${pathPart(request_id)}`}>See the call</Link>
  </>
)

interface RouteRow {
  model: string
  health: HealthAnswer
}

/** A column with the answered requests of the last 24 hours: "11 of 12". */
export const answeredColumn = <Row extends { health: HealthAnswer }>(): Column<Row> =>
  endColumn('answered', 'Success, 24 hours', 'second-end', ({ health: { tries } }) =>
    totalOf(tries) === 0 ? '–' : `${count(tries.answered)} of ${count(totalOf(tries))}`,
  )

/** Columns of a route: its state, and its requests of the last 24 hours. */
export const healthColumns = <Row extends RouteRow>(): Column<Row>[] => [
  column('model', 'Upstream model', 'second', ({ model }) => <code>{model}</code>),
  column('state', 'State', 'first-end', ({ health }) => (
    <HealthStatus state={health.state} title={healthSentence(health, 'requests')} />
  )),
  answeredColumn(),
  endColumn('first_byte', 'Time to first byte', 'none', ({ health: { first_byte_ms } }) =>
    first_byte_ms === null ? '–' : duration(first_byte_ms),
  ),
  column('why', 'Errors', 'none', ({ health: { classes } }) => (
    <span className="soft">
      <ClassWords classes={classes} />
    </span>
  )),
]
