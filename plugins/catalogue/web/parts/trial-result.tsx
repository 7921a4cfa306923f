// The result of a trial: one word, the time, the provider's message, and advice.
import { FlaskConical } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useMay } from '../../../console/web/app/session.tsx'
import { duration } from '../../../console/web/parts/amounts.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { capital } from '../../../console/web/parts/capital.ts'
import { ConfirmDialog } from '../../../console/web/parts/dialog.tsx'
import { type HealthAnswer, healthColumns } from '../../../console/web/parts/health.tsx'
import { Section } from '../../../console/web/parts/page.tsx'
import { Status } from '../../../console/web/parts/status.tsx'
import { type Column, column, endColumn, Table } from '../../../console/web/parts/table.tsx'
import { type TrialOutcome, useTrial } from '../../../console/web/parts/trial.ts'
import { Words } from '../../../console/web/parts/words.tsx'

interface Route {
  provider: string
  /** The provider's name for the model. */
  model: string
  health: HealthAnswer
  order: number
  weight: number
  shutdown_date?: string | undefined
}

interface RouteTrialsProps {
  kind: string
  routes: readonly Route[]
}

const COLUMNS: Column<Route>[] = [
  column('provider', 'Provider', 'first', ({ provider }) => (
    <Link className="no-wrap" href={`/providers/${encodeURIComponent(provider)}`}>
      {provider}
    </Link>
  )),
  // On a phone, the test button takes the place of the number of answered requests.
  ...healthColumns<Route>().map((each) =>
    each.key === 'answered' ? { ...each, phone: 'none' as const } : each,
  ),
]

const ORDER: readonly Column<Route>[] = [
  endColumn('order', 'Order', 'none', ({ order }) => order),
  endColumn('weight', 'Weight', 'none', ({ weight }) => weight),
]

const ENDS: Column<Route> = column('ends', 'Ends', 'none', ({ shutdown_date }) => shutdown_date ?? '–')

export function RouteTrials({ kind, routes }: RouteTrialsProps) {
  const operates = useMay('operate')
  const columns: Column<Route>[] = [
    ...COLUMNS,
    ...(routes.length > 1 ? ORDER : []),
    ...(routes.some(({ shutdown_date }) => shutdown_date) ? [ENDS] : []),
    ...(operates
      ? [column<Route>('test', 'Test', 'second-end', (route) => <TestButton route={route} kind={kind} />)]
      : []),
  ]
  return (
    <Section title="Routes">
      <Table
        label="Routes, in order of preference"
        columns={columns}
        rows={routes}
        keyOf={({ provider, model }) => `${provider} ${model}`}
      />
    </Section>
  )
}

function TestButton({ route: { provider, model }, kind }: { route: Route; kind: string }) {
  const trial = useTrial()
  const [is_confirming, setConfirming] = useState(false)
  const is_image = kind === 'image'
  const order = { provider, model, image: is_image }
  return (
    <div className="trial">
      <Button
        small
        icon={FlaskConical}
        aria-label={`Test ${model}`}
        busy={trial.isPending}
        onClick={() => (is_image ? setConfirming(true) : trial.mutate(order))}
      >
        Test
      </Button>
      <TrialResult outcome={trial.data} failure={trial.error} />
      <ConfirmDialog
        open={is_confirming}
        onClose={() => setConfirming(false)}
        title={`Ask ${provider} for an image?`}
        consequence="The provider bills you for one image. No account is charged."
        verb="Ask for an image"
        // Ignored here: `TrialResult` shows the failure beside the button.
        confirm={() => trial.mutateAsync(order).catch(() => undefined)}
      />
    </div>
  )
}

const MAX_WORDS_CHARS = 240

interface TrialResultProps {
  outcome: TrialOutcome | null | undefined
  failure?: Error | null
}

export function TrialResult({ outcome, failure }: TrialResultProps) {
  const result_element = useRef<HTMLDivElement>(null)
  // The result may be below the visible part of the page.
  useEffect(() => {
    if (outcome || failure) result_element.current?.scrollIntoView({ block: 'nearest' })
  }, [outcome, failure])
  return (
    <div className="trial-result" aria-live="polite" ref={result_element}>
      {failure && <p className="field-error">{failure.message}</p>}
      {outcome && (
        <>
          <Status tone={outcome.ok ? 'good' : 'bad'}>
            {`${outcome.ok ? 'It answered in' : `${capital(causeOf(outcome))} after`} ${duration(outcome.latency_ms)}`}
          </Status>
          {outcome.advice !== null && (
            <p>
              <Words>{capital(withoutCause(outcome.advice))}</Words>
            </p>
          )}
          {outcome.words !== '' && (
            <p className="trial-words small soft">
              {originOf(outcome)}
              {shortened(outcome.words)}
            </p>
          )}
        </>
      )}
    </div>
  )
}

/** Advice begins with the cause, which is more precise than the result: a wrong clock, for example, makes a server unreachable. */
const CAUSE = /^[^:]+(?=: )/
const causeOf = ({ advice, result }: TrialOutcome): string => CAUSE.exec(advice ?? '')?.[0] ?? result
const withoutCause = (advice: string): string =>
  advice.replace(CAUSE, '').replace(/^: /, '').replace(FILE_NAMES, '')
/** Field names in advice are for the command line; on the page, fields have labels. */
const FILE_NAMES = / \((?:base_url|api_keys)\)/g

/** Returns the status, and for a refusal the address. */
const originOf = ({ ok, status, address }: TrialOutcome): string => {
  if (status === null) return ''
  return ok || address === null ? `${status}: ` : `${status} from ${address}: `
}

const shortened = (words: string): string =>
  words.length > MAX_WORDS_CHARS ? `${words.slice(0, MAX_WORDS_CHARS)}…` : words
