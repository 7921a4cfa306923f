// The page Health check: problems first, with advice; passed checks are folded. A button runs it again.
import { HeartPulse } from 'lucide-react'
import { api, send } from '../../console/web/app/client.ts'
import { useAction } from '../../console/web/parts/action.ts'
import { count, countNoun } from '../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { capital } from '../../console/web/parts/capital.ts'
import { AsCommand } from '../../console/web/parts/code.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { Loaded, Skeleton } from '../../console/web/parts/states.tsx'
import { Status, type Tone } from '../../console/web/parts/status.tsx'
import { type Column, column, Table } from '../../console/web/parts/table.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import { Words } from '../../console/web/parts/words.tsx'
import { BooksSum } from './books-sum.tsx'
import { type Checked, type LastChecks, useLastChecks } from './last-checks.ts'
import { verdictOf } from './verdict.ts'

export default function HealthCheck() {
  const { books, check_up, checks } = useLastChecks()
  const { run, busy } = useAction({
    work: () => Promise.all([send(api.books.audit.post()), send(api.doctor.post())]),
    changes: ['books', 'doctor'],
  })
  const is_running = busy || (checks?.is_running ?? false)
  return (
    <Page
      title="Health check"
      lead="The books, the stored files, the settings, this machine and the providers."
      actions={
        <Button
          look="primary"
          icon={HeartPulse}
          right="operate"
          busy={is_running}
          onClick={() => run(undefined)}
        >
          {is_running ? 'Checking' : checks?.is_complete ? 'Run again' : 'Run health check'}
        </Button>
      }
    >
      <Loaded query={books}>
        {() => (
          <Loaded query={check_up}>{() => (checks ? <Checks {...checks} /> : <Skeleton rows={4} />)}</Loaded>
        )}
      </Loaded>
    </Page>
  )
}

function Checks(checks: LastChecks) {
  const { problems, passed, failures, totals } = checks
  return (
    <div className="stack">
      <Verdict {...checks} />
      {failures.map((failure) => (
        <Notice key={failure} tone="bad" alert>
          The last check could not run: {failure}. Run it again.
        </Notice>
      ))}
      {problems.length > 0 && (
        <Table
          label="Problems"
          columns={COLUMNS}
          rows={problems}
          keyOf={({ check, found }) => `${check} ${found}`}
        />
      )}
      {passed.length > 0 && (
        <details className="health-passed">
          <summary>{`${countNoun(passed.length, 'check')} passed`}</summary>
          <div className="stack">
            {totals && <BooksSum totals={totals} />}
            <Table
              label="Checks passed"
              columns={COLUMNS}
              rows={passed}
              keyOf={({ check, found }) => `${check} ${found}`}
            />
          </div>
        </details>
      )}
      <AsCommand command="tollgate audit && tollgate doctor" />
    </div>
  )
}

const TONES: Record<Checked['level'], Tone> = { ok: 'good', warn: 'warn', fail: 'bad' }
const WORDS: Record<Checked['level'], string> = { ok: 'passed', warn: 'warning', fail: 'failed' }

function Verdict(checks: LastChecks) {
  const { ended_at_ms, is_complete, passed, from } = checks
  const { level, words } = verdictOf(checks)
  return (
    <p>
      <Status tone={level === null ? 'idle' : TONES[level]}>{words}</Status>{' '}
      <span className="soft">
        {ended_at_ms !== undefined && (
          <>
            Checked <Time at_ms={ended_at_ms} />.{' '}
          </>
        )}
        {from && (
          <>
            The books from call {count(from.call_id + 1)} on; all of them <Time at_ms={from.whole_at_ms} />.{' '}
          </>
        )}
        {!is_complete &&
          passed.length > 0 &&
          'So far, only the books were checked, when the gateway started.'}
      </span>
    </p>
  )
}

const COLUMNS: Column<Checked>[] = [
  column('check', 'Check', 'first', ({ check }) => capital(check)),
  column('level', 'Result', 'first-end', ({ level }) => <Status tone={TONES[level]}>{WORDS[level]}</Status>),
  column('found', 'Details', 'second', (checked) => <Found {...checked} />),
]

const Found = ({ found, advice, rows = [] }: Checked) => (
  <div className="health-found">
    <p>
      <Words>{found}</Words>
    </p>
    {rows.map((row) => (
      <p key={row}>{row}</p>
    ))}
    {advice !== null && (
      <p className="soft">
        <Words>{advice}</Words>
      </p>
    )}
  </div>
)

export function HealthCheckSummary() {
  const { checks } = useLastChecks()
  return (
    <Section
      title="Health check"
      actions={
        <ButtonLink icon={HeartPulse} href="/system/health-check">
          Open health check
        </ButtonLink>
      }
    >
      {checks && <Verdict {...checks} />}
    </Section>
  )
}
