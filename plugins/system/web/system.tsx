// The System page: state of the process, the data folder, and sections of other plugins.
import { FileCog, ListChecks, Mail, Megaphone, UserCog } from 'lucide-react'
import type { ReactNode } from 'react'
import { Alerts, type AlertsAnswer, useAlerts } from '../../alerts/web/recent-alerts.tsx'
import { Backups } from '../../backups/web/backups.tsx'
import { type AnswerOf, api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useMay } from '../../console/web/app/session.tsx'
import { bytes, count, longDuration, share } from '../../console/web/parts/amounts.ts'
import { ButtonLink } from '../../console/web/parts/button.tsx'
import { Facts } from '../../console/web/parts/facts.tsx'
import { Figure, Figures } from '../../console/web/parts/figure.tsx'
import { Id } from '../../console/web/parts/id.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { Loaded, Skeleton } from '../../console/web/parts/states.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import { Plugins, usePlugins } from '../../custom-plugins/web/plugins.tsx'
import { HealthCheckSummary } from '../../doctor/web/health-check.tsx'
import { Gateways } from './gateways.tsx'

const EVERY_MS = 5_000

type System = AnswerOf<typeof api.system.get>

export default function SystemPage() {
  const system = useApi(['system'], () => api.system.get(), { every_ms: EVERY_MS })
  // Loaded together with the first section, so that the sections below do not jump.
  const alerts = useAlerts()
  const plugins = usePlugins()
  const operates = useMay('operate')
  return (
    <Page
      title="System"
      actions={
        <>
          <ButtonLink icon={Megaphone} href="/system/incidents">
            Incidents
          </ButtonLink>
          <ButtonLink icon={ListChecks} href="/setup" right="operate">
            First steps
          </ButtonLink>
          <ButtonLink icon={Mail} href="/system/mails">
            Mails
          </ButtonLink>
          <ButtonLink
            icon={FileCog}
            href={operates ? '/system/configuration' : '/system/configuration/history'}
          >
            {operates ? 'Configuration file' : 'Configuration history'}
          </ButtonLink>
          <ButtonLink icon={UserCog} href="/system/staff">
            Staff
          </ButtonLink>
        </>
      }
    >
      <Loaded query={system} rows={10}>
        {(data) =>
          alerts.isPending || plugins.isPending ? (
            <Skeleton rows={10} />
          ) : (
            <SystemSections system={data} alerts={alerts.data}>
              {plugins.data && <Plugins {...plugins.data} />}
            </SystemSections>
          )
        }
      </Loaded>
    </Page>
  )
}

interface SectionsProps {
  system: System
  alerts: AlertsAnswer | undefined
  children: ReactNode
}

function SystemSections({ system, alerts, children }: SectionsProps) {
  const { data, database, files } = system
  return (
    <div className="stack system">
      <Figures>
        <Figure label="Health" value={<Health not_ready={system.not_ready} />} note={system.not_ready} />
        <Figure
          label="Up for"
          value={longDuration(system.uptime_ms)}
          note={<Since at_ms={system.started_at_ms} />}
        />
        <Figure label="Running calls" value={count(system.calls_under_way)} />
        <Figure label="Memory" value={bytes(system.memory_bytes)} />
        <Figure
          label="Free disk"
          value={bytes(data.free_bytes)}
          note={`${share(data.free_bytes / data.disk_bytes)} of ${bytes(data.disk_bytes)}`}
        />
      </Figures>
      {alerts && <Alerts {...alerts} />}
      <Section title="Program">
        <Facts
          facts={[
            ['Version', `${system.version}, on ${system.runtime}, ${system.platform}`],
            ['Data folder', <Id key="folder" value={data.folder} what="data folder" whole />],
            ...databaseFacts(database),
            ...bucketFacts(files),
          ]}
        />
      </Section>
      {system.gateways && <Gateways {...system.gateways} />}
      {children}
      <DataFolder
        parts={data.parts}
        measured_at_ms={data.measured_at_ms}
        has_database={database.engine === SQLITE}
        has_files={files.bucket === null}
      />
      <Backups />
      <HealthCheckSummary />
    </div>
  )
}

/** Facts about the database. The size of a SQLite file is shown in the section Data folder. */
const databaseFacts = ({
  engine,
  address,
  bytes: size,
}: System['database']): (readonly [label: string, value: ReactNode])[] =>
  engine === SQLITE
    ? [['Database', `${engine}, in the data folder`]]
    : [
        ['Database', `${engine}, ${bytes(size)}`],
        ['Database address', <Id key="address" value={address} what="database address" whole />],
      ]

/** Facts about the bucket; none for files in the data folder, which are listed below. */
const bucketFacts = ({ bucket, trouble }: System['files']): (readonly [label: string, value: ReactNode])[] =>
  bucket === null
    ? []
    : [
        ['Files', <Id key="bucket" value={bucket} what="bucket" whole />],
        ...(trouble === null
          ? []
          : [
              [
                'Bucket',
                <Status key="trouble" tone="bad">
                  {`${trouble}: images and uploads are refused`}
                </Status>,
              ] as const,
            ]),
      ]

const Health = ({ not_ready }: Pick<System, 'not_ready'>) =>
  not_ready === null ? <Status tone="good">ready</Status> : <Status tone="bad">not ready</Status>

const Since = ({ at_ms }: { at_ms: number }) => (
  <span>
    since <Time at_ms={at_ms} exact />
  </span>
)

const CONTENTS: Readonly<Record<string, string>> = {
  database: 'accounts, keys, calls and entries',
  images: 'images that were made',
  files: 'images and files that callers uploaded',
  answers: 'answers stored for Idempotency-Key',
  responses: 'responses that can be continued',
  plugins: 'custom plugins, and their packages',
  backups: 'archives of all of this',
  'other files': 'catalogue, lock, settlements waiting for the database',
}

const SQLITE = 'SQLite'

const contentsOf = (name: string): string =>
  CONTENTS[name] ??
  (name.startsWith('before-restore-') ? 'data before a restore; delete it when you no longer need it' : '')

interface InUse {
  has_database: boolean
  has_files: boolean
}

const FILE_FOLDERS: readonly string[] = ['images', 'files', 'answers', 'responses']

function describePart(name: string, { has_database, has_files }: InUse): string {
  if (name === 'database' && !has_database) return 'an SQLite database that is no longer used'
  if (FILE_FOLDERS.includes(name) && !has_files) return 'files from before the bucket that are no longer used'
  return contentsOf(name)
}

const partsOf = (in_use: InUse): Column<System['data']['parts'][number]>[] => [
  column('name', 'Part', 'first', ({ name }) => name),
  column('what', 'Holds', 'second', ({ name }) => <span className="soft">{describePart(name, in_use)}</span>),
  endColumn('files', 'Files', 'none', ({ files }) => count(files)),
  endColumn('bytes', 'Size', 'first-end', (part) => bytes(part.bytes)),
]

function DataFolder({
  parts,
  measured_at_ms,
  ...in_use
}: Pick<System['data'], 'parts' | 'measured_at_ms'> & InUse) {
  return (
    <Section title="Data folder">
      {measured_at_ms === null ? (
        <p className="soft">Being measured…</p>
      ) : (
        <div className="system-folders stack">
          <Table
            label="Parts of the data folder"
            rows={parts}
            keyOf={({ name }) => name}
            columns={partsOf(in_use)}
          />
          <p className="small soft">
            Measured <Time at_ms={measured_at_ms} />.
          </p>
        </div>
      )}
    </Section>
  )
}
