// Page of one call: its timeline, its usage, and its charge line by line.
import { Hourglass, SearchX } from 'lucide-react'
import { useEffect } from 'react'
import { brand } from '../../../console/web/app/brand.ts'
import { ApiError, api, pathPart } from '../../../console/web/app/client.ts'
import type { PageProps } from '../../../console/web/app/page-entry.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useBaseUrl, useMay, useViewer } from '../../../console/web/app/session.tsx'
import { RowAccount } from '../../../console/web/parts/account-name.tsx'
import { duration } from '../../../console/web/parts/amounts.ts'
import { ButtonLink } from '../../../console/web/parts/button.tsx'
import { Copy } from '../../../console/web/parts/copy.tsx'
import { Figure, Figures } from '../../../console/web/parts/figure.tsx'
import { Money } from '../../../console/web/parts/money.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Outcome } from '../../../console/web/parts/outcome.tsx'
import { Page, Section } from '../../../console/web/parts/page.tsx'
import { EmptyState, Loaded, Skeleton } from '../../../console/web/parts/states.tsx'
import { Time } from '../../../console/web/parts/time.tsx'
import { RefusedRequest } from '../../../refusals/web/refused-request.tsx'
import { RefundCall } from '../refunds/refund-call.tsx'
import type { Call } from './call-answer.ts'
import { CallFacts } from './call-facts.tsx'
import { ChargeLines } from './charge.tsx'
import { Course } from './course.tsx'
import { curlOf } from './curl.ts'
import { UsageTable } from './usage.tsx'

export default function CallPage({ params }: PageProps) {
  const request_id = params.request_id ?? ''
  const call = useApi(['calls', 'one', request_id], () =>
    api.calls({ request_id: pathPart(request_id) }).get(),
  )
  const { data, error, refetch } = call
  const code = data === undefined && error instanceof ApiError ? error.code : ''
  const title = data ? `Call of ${data.model}` : code === 'request_refused' ? 'Refused request' : 'Call'
  return (
    <Page
      title={title}
      width="text"
      lead={data && <Lead call={data} />}
      actions={data && <Actions call={data} />}
    >
      {code === 'call_under_way' ? (
        <RunningCall refetch={() => void refetch()} />
      ) : code === 'request_refused' ? (
        <RefusedRequest request_id={request_id} />
      ) : code === 'not_found' ? (
        <NoSuchCall words={error?.message ?? ''} />
      ) : (
        <Loaded query={call} loading={<Skeleton rows={12} />}>
          {(loaded) => <CallDetails call={loaded} />}
        </Loaded>
      )}
    </Page>
  )
}

function Actions({ call }: { call: Call }) {
  const may_refund = useMay('credit')
  const curl = curlOf(call, useBaseUrl(), brand.key_variable)
  return (
    <>
      {may_refund && <RefundCall call={call} />}
      {curl && <Copy text={curl} what="curl command" label="Copy as curl" look="plain" />}
    </>
  )
}

function Lead({ call }: { call: Call }) {
  const { side } = useViewer()
  return (
    <>
      {side === 'operator' && (
        <>
          <RowAccount {...call} />,{' '}
        </>
      )}
      {call.key}, <Time at_ms={call.started_at_ms} />
    </>
  )
}

const REFETCH_MS = 1_000

function RunningCall({ refetch }: { refetch: () => void }) {
  useEffect(() => {
    const timer = setInterval(refetch, REFETCH_MS)
    return () => clearInterval(timer)
  }, [refetch])
  return (
    <EmptyState icon={Hourglass} title="This call is still running">
      Its cost is on hold. Usage and charge show up here once it has ended.
    </EmptyState>
  )
}

const NoSuchCall = ({ words }: { words: string }) => (
  <EmptyState icon={SearchX} title="Call not found" action={<ButtonLink href="/calls">All calls</ButtonLink>}>
    {words}
  </EmptyState>
)

function CallDetails({ call }: { call: Call }) {
  const { outcome, status, failure, first_byte_ms, duration_ms } = call
  return (
    <div className="page">
      <Figures>
        <Figure label="Charge" value={<Money nanos={call.cost_nanos} />} note={<CostNote {...call} />} />
        <Figure label="Outcome" value={<Outcome outcome={outcome} />} note={`status ${status}`} />
        <Figure label="First byte" value={first_byte_ms === null ? '–' : duration(first_byte_ms)} />
        <Figure label="Duration" value={duration(duration_ms)} />
      </Figures>
      {call.cause !== null && <Failure failure={failure} outcome={outcome} why={call.cause} />}
      <Section title="What happened">
        <Course call={call} />
      </Section>
      <UsageTable call={call} />
      <ChargeLines call={call} />
      <CallFacts call={call} />
    </div>
  )
}

function CostNote({ cost_nanos, unpaid_nanos, refunded_nanos }: Call) {
  if (refunded_nanos > 0)
    return refunded_nanos === cost_nanos ? (
      'refunded'
    ) : (
      <span>
        of which <Money nanos={refunded_nanos} /> refunded
      </span>
    )
  return unpaid_nanos === 0 ? null : (
    <span>
      of which <Money nanos={unpaid_nanos} /> became debt
    </span>
  )
}

/** Explanations of the causes. Only `interrupted` answers had started. */
const CAUSES: Readonly<Record<string, string>> = {
  interrupted: 'The provider dropped the connection mid-answer.',
  timeout: 'The provider did not answer in time.',
  rate_limited: 'The provider’s rate limit was reached.',
  overloaded: 'The provider is overloaded.',
  key_rejected: 'The provider rejected its API key. Replace the key on the page of the provider.',
  provider_error: 'The provider failed to answer.',
  request_rejected: 'The provider rejected the request.',
  gateway_error: 'The gateway failed to handle the request. See its log.',
}

function Failure({ failure, outcome, why }: { failure: Call['failure']; outcome: string; why: string }) {
  const late = why === 'timeout' && outcome === 'broken'
  return (
    <Notice tone="bad">
      <p>{late ? 'The provider did not finish its answer in time.' : (CAUSES[why] ?? 'The call failed.')}</p>
      {failure && (
        <div className="small soft">
          {failure.message !== null && <p>Sent to the caller: “{failure.message}”</p>}
          {failure.cause !== null && <p>Cause: {failure.cause}</p>}
          <p>
            Error: <code>{failure.code ?? failure.kind}</code>
          </p>
        </div>
      )}
    </Notice>
  )
}
