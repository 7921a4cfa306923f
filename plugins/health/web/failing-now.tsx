// Current failures at the top of the Overview: for the operator with actions, for an account its models only.
import { FlaskConical } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type AnswerOf, api, pathPart } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { count, duration } from '../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import { type TrialOutcome, useTrial } from '../../console/web/parts/trial.ts'

type Health = AnswerOf<typeof api.health.get>
type Trouble = Health['troubles'][number]

const EVERY_MS = 10_000
/** Further failures are shown as a number; the pages Models and Providers have all of them. */
const MAX_SHOWN = 5

/** The page waits for this query, because the notice is above other content and would shift it. */
export const useHealthNow = () => useApi(['health'], () => api.health.get(), { every_ms: EVERY_MS })

export function FailingNow() {
  const { side } = useViewer()
  const { data } = useHealthNow()
  if (!data) return null
  return side === 'operator' ? (
    <FirstNotices
      of={data.troubles.map((trouble) => (
        <TroubleNotice key={`${trouble.kind} ${trouble.subject}`} trouble={trouble} />
      ))}
    />
  ) : (
    <FailingModels models={data.failing_models} />
  )
}

/** One notice for all models, because an account can only wait or use another model. */
function FailingModels({ models }: { models: Health['failing_models'] }) {
  if (models.length === 0) return null
  return (
    <Notice tone="bad" alert>
      {models.slice(0, MAX_SHOWN).map(({ model, since_at_ms }) => (
        <p key={model}>
          <strong>{model}</strong> has been failing since <ClockTime at_ms={since_at_ms} />.
        </p>
      ))}
      <p>
        Try another model, or try again later. <Link href="/models">Models</Link> shows which ones work.
      </p>
    </Notice>
  )
}

function FirstNotices({ of: notices }: { of: readonly ReactNode[] }) {
  const rest = notices.length - MAX_SHOWN
  return (
    <>
      {notices.slice(0, MAX_SHOWN)}
      {rest > 0 && (
        <Notice tone="bad">
          {count(rest)} more {rest === 1 ? 'is' : 'are'} failing.{' '}
          <ButtonLink small href="/models">
            Models
          </ButtonLink>
        </Notice>
      )}
    </>
  )
}

function TroubleNotice({ trouble }: { trouble: Trouble }) {
  const { kind, name, verb, detail, since_at_ms, provider, test } = trouble
  const trial = useTrial()
  return (
    <Notice tone="bad" alert>
      <div className="stack">
        <div>
          <strong>{name}</strong> {kind === 'key' ? verb : 'has been failing'} since{' '}
          <ClockTime at_ms={since_at_ms} />. {detail}
        </div>
        <div className="row">
          {kind === 'key' && provider !== null && (
            <ButtonLink
              small
              right="operate"
              look="primary"
              href={`/providers/${pathPart(provider)}/edit`}
              aria-label={`Replace key of ${provider}`}
            >
              Replace key
            </ButtonLink>
          )}
          {test && (
            <Button
              small
              icon={FlaskConical}
              right="operate"
              busy={trial.isPending}
              onClick={() => trial.mutate(test)}
            >
              Test
            </Button>
          )}
          {kind !== 'key' && (
            <ButtonLink
              small
              href={hrefOfTrouble(trouble)}
              aria-label={`Open ${kind === 'provider' ? 'provider' : 'model'}: ${name}`}
            >
              Open {kind === 'provider' ? 'provider' : 'model'}
            </ButtonLink>
          )}
          <ButtonLink small href={callsHrefOf(trouble)} aria-label={`Calls of ${name}`}>
            Calls
          </ButtonLink>
          <TestResult result={trial.data} failure={trial.error} />
        </div>
      </div>
    </Notice>
  )
}

const TestResult = ({ result, failure }: { result: TrialOutcome | undefined; failure: Error | null }) => (
  <div aria-live="polite">
    {failure && <p className="field-error">{failure.message}</p>}
    {result && (
      <Status tone={result.ok ? 'good' : 'bad'}>
        {result.ok
          ? `answered in ${duration(result.latency_ms)}`
          : [result.result, result.status, result.words].filter(Boolean).join(', ')}
      </Status>
    )}
  </div>
)

const hrefOfTrouble = ({ kind, provider, model }: Trouble): string =>
  kind === 'provider' ? `/providers/${pathPart(provider ?? '')}` : `/models/${pathPart(model ?? '')}`

const callsHrefOf = ({ kind, provider, model }: Trouble): string => {
  const [filter, value] = kind === 'model' || kind === 'route' ? ['model', model] : ['provider', provider]
  return `/calls?outcome=failed&${filter}=${encodeURIComponent(value ?? '')}`
}
