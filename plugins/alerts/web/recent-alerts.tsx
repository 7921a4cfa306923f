// Alerts on the System page: the newest alerts, their webhook messages, and the test of the webhook.
import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { Link } from 'wouter'
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useMay } from '../../console/web/app/session.tsx'
import { count } from '../../console/web/parts/amounts.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import { Words } from '../../console/web/parts/words.tsx'

export type AlertsAnswer = AnswerOf<typeof api.alerts.get>
type Alert = AlertsAnswer['recent'][number]
type Sending = AlertsAnswer['sendings'][number]

const EVERY_MS = 15_000

export const useAlerts = () => useApi(['alerts'], () => api.alerts.get(), { every_ms: EVERY_MS })

export function Alerts({ recent, sendings, webhook }: AlertsAnswer) {
  const operates = useMay('operate')
  return (
    <Section title="Alerts">
      <div className="stack">
        {recent.length === 0 ? (
          <p className="soft">
            No alerts in the last 30 days. Alerts warn of low balances, failing models, old backups, a full
            disk and an expiring certificate.
          </p>
        ) : (
          <Table label="Alerts" columns={ALERTS} rows={recent} keyOf={({ id }) => id} />
        )}
        <p className="small soft">
          {webhook === null && !operates ? (
            'No webhook is set, so alerts are shown only here and on the Overview.'
          ) : webhook === null ? (
            <>
              To receive alerts elsewhere, set a webhook in the{' '}
              <Link href="/settings/alerts">alert settings</Link>.
            </>
          ) : (
            `Alerts are sent to ${webhook} when they start and end.`
          )}
        </p>
        {webhook !== null && operates && <SendTest />}
        {sendings.length > 0 && (
          <Table label="Sent alerts" columns={SENDINGS} rows={sendings} keyOf={({ id }) => id} />
        )}
      </div>
    </Section>
  )
}

function SendTest() {
  const test = useMutation({ mutationFn: () => send(api.alerts.test.post()) })
  const { data, error } = test
  return (
    <>
      <div>
        <Button icon={Send} busy={test.isPending} onClick={() => test.mutate()}>
          Send test alert
        </Button>
      </div>
      {(data || error) && !test.isPending && (
        <Notice tone={data?.failure === null ? 'good' : 'bad'} alert>
          <Words>{error?.message ?? data?.sentence ?? ''}</Words>
        </Notice>
      )}
    </>
  )
}

const ALERTS: Column<Alert>[] = [
  column('sentence', 'Alert', 'first', ({ sentence }) => <Words>{sentence}</Words>),
  column('state', 'State', 'second', ({ ended_at_ms }) =>
    ended_at_ms === null ? <Status tone="warn">open</Status> : <Status tone="idle">ended</Status>,
  ),
  endColumn('raised', 'Raised', 'second-end', ({ raised_at_ms }) => <ClockTime at_ms={raised_at_ms} />),
  endColumn('ended', 'Ended', 'none', ({ ended_at_ms }) => <ClockTime at_ms={ended_at_ms} />),
]

const TONES = { sent: 'good', waiting: 'warn', failed: 'bad' } as const

const SENDINGS: Column<Sending>[] = [
  column('sentence', 'Sent alert', 'first', ({ sentence, event }) => (
    <>
      {event === 'ended' && <span className="soft">Ended: </span>}
      <Words>{sentence}</Words>
    </>
  )),
  column('state', 'State', 'second', ({ state, failure }) => (
    <>
      <Status tone={TONES[state]}>{state}</Status>
      {failure !== null && <p className="small soft">{failure}</p>}
    </>
  )),
  endColumn('tries', 'Tries', 'none', ({ tries }) => count(tries)),
  endColumn('last', 'Delivery', 'second-end', ({ sent_at_ms, due_at_ms }) => (
    <ClockTime at_ms={sent_at_ms ?? due_at_ms} />
  )),
]
