// Backups on the System page: the list, a backup on request, and the verification of an archive.
import { useQueryClient } from '@tanstack/react-query'
import { Archive, Download, ShieldCheck } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { announce } from '../../console/web/app/announce.ts'
import { type AnswerOf, api, pathPart, send } from '../../console/web/app/client.ts'
import { addressOf } from '../../console/web/app/gateway-address.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useMay } from '../../console/web/app/session.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { bytes, share } from '../../console/web/parts/amounts.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { AsCommand } from '../../console/web/parts/code.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import { ClockTime, Time } from '../../console/web/parts/time.tsx'
import { Words } from '../../console/web/parts/words.tsx'

type Working = AnswerOf<typeof api.backups.work.get>
type Backup = AnswerOf<typeof api.backups.get>['backups'][number]

const RUNNING_EVERY_MS = 1_000
const EVERY_MS = 15_000
const WORK = 'backup-work'
const LIST = 'backups'

export function Backups() {
  const queries = useQueryClient()
  const is_known_running = queries.getQueryData<Working>([WORK])?.running != null
  const work = useApi([WORK], () => api.backups.work.get(), {
    every_ms: is_known_running ? RUNNING_EVERY_MS : EVERY_MS,
  })
  const list = useApi([LIST], () => api.backups.get())
  const make = useAction({ work: () => send(api.backups.post()), changes: [WORK] })
  const verify = useAction({
    work: (name: string) => send(api.backups({ name: pathPart(name) }).verify.post()),
    changes: [WORK],
  })
  const running = work.data?.running ?? null
  const operates = useMay('operate')
  useAnnouncedEnd(running !== null, work.data)
  return (
    <Section
      title="Backups"
      actions={
        <>
          <ExportCsv list="backups" query={{}} />
          <Button
            icon={Archive}
            right="operate"
            busy={make.busy || running !== null}
            onClick={() => make.run(undefined)}
          >
            Back up now
          </Button>
        </>
      }
    >
      <div className="system-backups stack">
        <Loaded query={work} rows={1}>
          {(data) => <Work {...data} />}
        </Loaded>
        <Loaded query={list} rows={2}>
          {({ backups }) =>
            backups.length === 0 ? (
              <p className="soft">No backups yet.</p>
            ) : (
              <>
                <Table
                  label="Backups"
                  rows={backups}
                  keyOf={({ name }) => name}
                  columns={
                    operates ? [...COLUMNS, actionsOf(verify.busy || running !== null, verify.run)] : COLUMNS
                  }
                />
                {backups.some(({ encrypted }) => !encrypted) && (
                  <p className="small soft">
                    Unencrypted backups contain the providers’ keys and cannot be downloaded here. Copy them
                    on the server. A <code>passphrase</code> in <code>[backup]</code> encrypts new ones.
                  </p>
                )}
              </>
            )
          }
        </Loaded>
        <AsCommand command="tollgate backup" />
      </div>
    </Section>
  )
}

function useAnnouncedEnd(is_running: boolean, work: Working | undefined): void {
  const queries = useQueryClient()
  const was_running = useRef(false)
  useEffect(() => {
    if (was_running.current && !is_running) {
      const [newest] = [work?.last_made, work?.last_verified]
        .filter((ended) => ended != null)
        .sort((one, other) => other.ended_at_ms - one.ended_at_ms)
      announce(newest?.failure ?? newest?.result ?? 'Backup finished.')
      void queries.invalidateQueries({ queryKey: [LIST] })
    }
    was_running.current = is_running
  }, [is_running, work, queries])
}

function Work({ where, next_at_ms, running, last_made, last_verified }: Working) {
  const operates = useMay('operate')
  return (
    <>
      <p>
        In <code>{where}</code>.{' '}
        {next_at_ms === null ? (
          <span className="soft">
            No schedule.
            {operates && (
              <>
                {' '}
                Set one in the <Link href="/settings/backup">backup settings</Link>.
              </>
            )}
          </span>
        ) : (
          <span className="soft">
            The next one is due <Time at_ms={next_at_ms} />.
          </span>
        )}
      </p>
      {running && <Running running={running} />}
      {last_made && <Outcome ended={last_made} failed="The last backup failed" />}
      {last_verified && (
        <Outcome ended={last_verified} failed={`Verification of ${last_verified.name} failed`} />
      )}
    </>
  )
}

function Running({ running: { kind, name, progress } }: { running: NonNullable<Working['running']> }) {
  const done =
    progress === null || progress.of_bytes === 0
      ? ''
      : ` ${share(Math.min(1, progress.bytes / progress.of_bytes))} of ${bytes(progress.of_bytes)}`
  return (
    <p>
      <Status tone="busy">{kind === 'make' ? `Backup running.${done}` : `Verifying ${name}.`}</Status>
    </p>
  )
}

function Outcome({ ended, failed }: { ended: NonNullable<Working['last_made']>; failed: string }) {
  const { failure, result, warnings, ended_at_ms } = ended
  if (failure !== null)
    return (
      <Notice tone="bad" alert>
        {failed} (<Time at_ms={ended_at_ms} />
        ): <Words>{failure}</Words>
      </Notice>
    )
  return (
    <Notice tone={warnings.length > 0 ? 'warn' : 'good'}>
      {result}{' '}
      <span className="soft no-wrap">
        (<Time at_ms={ended_at_ms} />)
      </span>
      {warnings.map((warning) => (
        <p key={warning}>
          <Words>{warning}</Words>
        </p>
      ))}
    </Notice>
  )
}

const COLUMNS: Column<Backup>[] = [
  column('made', 'Created', 'first', ({ made_at_ms }) => <ClockTime at_ms={made_at_ms} />),
  column('by', 'By', 'none', ({ scheduled }) => (
    <span className="soft">{scheduled ? 'schedule' : 'manual'}</span>
  )),
  endColumn('bytes', 'Size', 'first-end', (backup) => bytes(backup.bytes)),
  column('encrypted', 'Encrypted', 'second', ({ encrypted }) =>
    encrypted ? <Status tone="good">encrypted</Status> : <Status tone="warn">not encrypted</Status>,
  ),
]

const actionsOf = (busy: boolean, verify: (name: string) => void): Column<Backup> =>
  endColumn('actions', 'Actions', 'second-end', ({ name, encrypted }) => (
    <span className="row system-backup-actions">
      <Button small icon={ShieldCheck} busy={busy} aria-label={`Verify ${name}`} onClick={() => verify(name)}>
        Verify
      </Button>
      {encrypted && (
        <a
          className="button button-small"
          href={addressOf(`/console/api/backups/${pathPart(name)}`)}
          aria-label={`Download ${name}`}
          download
        >
          <Download className="icon" aria-hidden />
          Download
        </a>
      )}
    </span>
  ))
