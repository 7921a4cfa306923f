// The page of the books: whether the sums hold, rule by rule, and a new audit.
import { useQueryClient } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Redirect } from 'wouter'
import type { AuditReport } from '../../../src/app/process/full-audit.ts'
import { announce } from '../../console/web/app/announce.ts'
import { api, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useAction } from '../../console/web/parts/action.ts'
import { useAddressState } from '../../console/web/parts/address-state.ts'
import { aligned, count, counted, duration } from '../../console/web/parts/amounts.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { AsCommand } from '../../console/web/parts/code.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { atEnd, type Column, column, Table } from '../../console/web/parts/table.tsx'
import { Time } from '../../console/web/parts/time.tsx'

export function Balance({ totals }: { totals: AuditReport['totals'] }) {
  const lines: [sign: string, label: string, nanos: number, note: string][] = [
    ['', 'Topped up', totals.topped_up_nanos, counted(totals.accounts, 'account')],
    ['−', 'Charged for calls', totals.charged_nanos, counted(totals.calls, 'call')],
    ['', 'Refunded', totals.refunded_nanos, ''],
    ['−', 'Debited', totals.withdrawn_nanos, ''],
  ]
  const text = aligned([...lines.map(([, , nanos]) => nanos), totals.balance_nanos])
  return (
    <table className="books-sum" aria-label="The books as one sum">
      <tbody>
        {lines.map(([sign, label, nanos, note]) => (
          <tr key={label}>
            <th scope="row">
              {label} <span className="soft small">{note}</span>
            </th>
            <td>
              {sign} {text(nanos)}
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">
            Balance of all accounts <span className="soft small">{notesOf(totals)}</span>
          </th>
          <td>{text(totals.balance_nanos)} USD</td>
        </tr>
      </tfoot>
    </table>
  )
}

function notesOf({ held_nanos, held_usd, debt_nanos, debt_usd }: AuditReport['totals']): string {
  const notes = [
    ...(held_nanos > 0 ? [`${held_usd} held for running calls`] : []),
    ...(debt_nanos > 0 ? [`${debt_usd} in debt`] : []),
  ]
  return notes.join('; ')
}

export default function Books() {
  const [{ tab }] = useAddressState({ tab: '' })
  // The entries were a tab of this page once: addresses are kept.
  if (tab === 'entries') return <Redirect to="/transactions" replace />
  return (
    <Page title="Books" lead="Every balance, hold and charge, checked against each other.">
      <Audit />
    </Page>
  )
}

type Rule = AuditReport['rules'][number]
type Finding = AuditReport['findings'][number]

const ASK_EVERY_MS = 1_000

function Audit() {
  const queries = useQueryClient()
  const known = queries.getQueryData<{ running_since_at_ms: number | null }>(['books'])
  const is_known_running = known !== undefined && known.running_since_at_ms !== null
  const books = useApi(['books'], () => api.books.get(), {
    every_ms: is_known_running ? ASK_EVERY_MS : undefined,
  })
  const { run, busy } = useAction({ work: () => send(api.books.audit.post()), changes: ['books'] })
  const is_running = books.data ? books.data.running_since_at_ms !== null : false
  useEndAnnounced(is_running, books.data?.last?.report.clean)
  return (
    <Loaded query={books}>
      {({ last, failure }) => (
        <>
          <div className="spread">
            <p>{last ? <Summary last={last} /> : 'No audit has run since the gateway started.'}</p>
            <Button look="primary" icon={Play} busy={busy || is_running} onClick={() => run(undefined)}>
              {is_running ? 'Checking' : 'Run audit'}
            </Button>
          </div>
          {failure !== null && (
            <Notice tone="bad" alert>
              The last audit could not run: {failure}. Run it again, or run <code>tollgate audit</code> beside
              the gateway.
            </Notice>
          )}
          {last && <Report report={last.report} />}
          <AsCommand command="tollgate audit" />
        </>
      )}
    </Loaded>
  )
}

function useEndAnnounced(is_running: boolean, clean: boolean | undefined): void {
  const was_running = useRef(false)
  useEffect(() => {
    if (was_running.current && !is_running && clean !== undefined)
      announce(clean ? 'Audit finished: no problems found.' : 'Audit finished: problems found.')
    was_running.current = is_running
  }, [is_running, clean])
}

function Summary({ last }: { last: { report: AuditReport; ended_at_ms: number; took_ms: number } }) {
  const { clean, rules, findings } = last.report
  return (
    <>
      {clean ? (
        <Status tone="good">{`All ${rules.length} rules hold.`}</Status>
      ) : (
        <Status tone="bad">{`${counted(findings.length, 'finding')}.`}</Status>
      )}{' '}
      <span className="soft">
        Checked <Time at_ms={last.ended_at_ms} />, in {duration(last.took_ms)}.
      </span>
    </>
  )
}

const RULES: Column<Rule>[] = [
  column('meaning', 'Rule', 'first', ({ meaning }) => meaning),
  column('checked', 'Checked', 'second', ({ checked, over }) => (
    <span className="no-wrap">{`${over}: ${count(checked)}`}</span>
  )),
  column('state', 'State', 'first-end', (rule) => <RuleState rule={rule} />),
]

function RuleState({ rule: { breaches } }: { rule: Rule }) {
  if (breaches === 0) return <Status tone="good">holds</Status>
  return <Status tone="bad">{breaches >= 100 ? 'broken, 100 or more' : `broken, ${breaches}`}</Status>
}

const FINDINGS: Column<Finding>[] = [
  column('subject', 'Where', 'first', ({ subject }) => subject),
  atEnd('found', 'Is', 'first-end', ({ found }) => String(found)),
  atEnd('expected', 'Should be', 'second-end', ({ expected }) => String(expected)),
  column('meaning', 'Rule', 'second', ({ meaning }) => meaning),
]

function Report({ report: { rules, findings, totals } }: { report: AuditReport }) {
  return (
    <>
      <Balance totals={totals} />
      {findings.length > 0 && (
        <Section title="Findings">
          <p className="soft">Amounts are in nano-dollars. Calls continue. Nothing is corrected by itself.</p>
          <Table
            label="Findings"
            columns={FINDINGS}
            rows={findings}
            keyOf={({ invariant, subject }) => `${invariant} ${subject}`}
          />
        </Section>
      )}
      <Section title="Rules">
        <Table label="Rules" columns={RULES} rows={rules} keyOf={({ invariant }) => invariant} />
      </Section>
    </>
  )
}
