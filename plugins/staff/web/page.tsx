// The page of the staff: everybody with role and state, and for operators the actions.
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useMay } from '../../console/web/app/session.tsx'
import { Button } from '../../console/web/parts/button.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import { AddStaff } from './add-staff.tsx'
import { PersonMenu } from './person-menu.tsx'
import { ROLE_WORDS, type StaffPerson } from './roles.ts'

export default function Staff() {
  const staff = useApi(['staff'], () => api.staff.get({ query: {} }))
  const operates = useMay('operate')
  const [adding, setAdding] = useState(false)
  return (
    <Page
      title="Staff"
      lead="The people who work on this gateway. A changed role applies from their next request."
      actions={
        <>
          <ExportCsv list="staff" query={{}} />
          <Button look="primary" icon={UserPlus} right="operate" onClick={() => setAdding(true)}>
            Add person
          </Button>
        </>
      }
    >
      <Loaded query={staff}>
        {({ staff: people }) => (
          <>
            <Table
              label="Staff"
              columns={operates ? [...COLUMNS, ACTIONS] : COLUMNS}
              rows={people}
              keyOf={({ id }) => id}
            />
            {/* Rendered with the table, which would otherwise push it down. */}
            <Roles />
          </>
        )}
      </Loaded>
      <AddStaff open={adding} onClose={() => setAdding(false)} />
    </Page>
  )
}

const Roles = () => (
  <dl className="staff-roles small soft">
    {ROLE_WORDS.map(({ value, label, may }) => (
      <div key={value}>
        <dt>{label}</dt>
        <dd>{may}</dd>
      </div>
    ))}
  </dl>
)

const TONES = { active: 'good', invited: 'warn', disabled: 'idle' } as const
const STATE_HELP = {
  active: undefined,
  invited: 'Has no way to sign in yet.',
  disabled: 'Cannot sign in.',
} as const

const COLUMNS: Column<StaffPerson>[] = [
  column('name', 'Name', 'first', ({ name, email }) => (
    <>
      {name}
      {email !== null && <p className="small soft">{email}</p>}
    </>
  )),
  column('role', 'Role', 'second', ({ role }) => ROLE_WORDS.find(({ value }) => value === role)?.label),
  column('state', 'State', 'second-end', ({ state }) => (
    <Status tone={TONES[state]} title={STATE_HELP[state]}>
      {state}
    </Status>
  )),
  endColumn('seen', 'Last seen', 'none', ({ last_seen_at_ms }) => <ClockTime at_ms={last_seen_at_ms} />),
  endColumn('log', 'Activity', 'none', ({ id, name }) => (
    <Link href={`/audit-log?person=${id}`} aria-label={`Audit log of ${name}`}>
      Audit log
    </Link>
  )),
]

const ACTIONS: Column<StaffPerson> = endColumn('actions', '', 'first-end', (person) => (
  <PersonMenu person={person} />
))
