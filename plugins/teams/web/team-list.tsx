// The people of an account with their roles, and open invitations: on the team page, and on the operator's page of an account.
import { MoreHorizontal, Plus, Users } from 'lucide-react'
import { useState } from 'react'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { Menu } from '../../console/web/parts/menu.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { type Column, column, endColumn, useCursor } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import { closestLimit } from '../../keys/web/spend-limits.tsx'
import type { InvitationView, MemberView } from '../list.ts'
import { InvitePerson } from './invite-person.tsx'
import { LimitPerson } from './limit-person.tsx'
import { ChangeRole, RemovePerson } from './member-dialogs.tsx'
import { ROLE_NAMES, type TeamProps } from './words.ts'

const CURSOR = 'team_cursor'

type Open = { what: 'invite' } | { what: 'change' | 'limit' | 'remove'; person: MemberView } | null

export function TeamList({ account }: TeamProps) {
  const { rights } = useViewer()
  const query = { account: account ? String(account.id) : undefined, cursor: useCursor(CURSOR) }
  const team = useApi(['team', query], () => api.team.get({ query }))
  const [open, setOpen] = useState<Open>(null)
  const may_manage = rights.includes('manage_team') && account?.status !== 'closed'
  const close = () => setOpen(null)
  const invite = (
    <Button look={account ? 'plain' : 'primary'} icon={Plus} onClick={() => setOpen({ what: 'invite' })}>
      Invite
    </Button>
  )
  const people = team.data?.people ?? []
  return (
    <div className="stack">
      <Section
        title="People"
        actions={
          <>
            <ExportCsv list="team" query={{ account: query.account }} />
            {may_manage && invite}
          </>
        }
      >
        <PagedTable
          query={team}
          rowsOf={(answer) => answer.people}
          label="People"
          columns={peopleColumns(may_manage ? (what, person) => setOpen({ what, person }) : undefined)}
          keyOf={({ person_id }) => person_id}
          param={CURSOR}
          none={
            <EmptyState icon={Users} title="Nobody yet" action={may_manage && invite}>
              People who may sign in to the account show up here.
            </EmptyState>
          }
        />
      </Section>
      <Invitations account={query.account} may_manage={may_manage} />
      <InvitePerson open={open?.what === 'invite'} onClose={close} account={account} />
      {open?.what === 'change' && (
        <ChangeRole person={open.person} {...{ people, account }} onClose={close} />
      )}
      {open?.what === 'limit' && <LimitPerson person={open.person} account={account} onClose={close} />}
      {open?.what === 'remove' && (
        <RemovePerson person={open.person} {...{ people, account }} onClose={close} />
      )}
    </div>
  )
}

function ClosestLimit({ limits }: { limits: MemberView['spend_limits'] }) {
  const limit = closestLimit(limits) ?? limits[0]
  if (!limit) return '–'
  return (
    <>
      <Money nanos={limit.used_nanos} unit={false} /> of <Money nanos={limit.limit_nanos} />{' '}
      <span className="soft">{PERIODS[limit.period]}</span>
    </>
  )
}

const PERIODS = {
  '5h': 'in 5 hours',
  day: 'today',
  week: 'this week',
  month: 'this month',
  total: '',
} as const

type Manage = (what: 'change' | 'limit' | 'remove', person: MemberView) => void

const peopleColumns = (manage: Manage | undefined): Column<MemberView>[] => [
  column('name', 'Name', 'first', ({ name, is_disabled }) => (
    <>
      {name} {is_disabled && <span className="soft">disabled</span>}
    </>
  )),
  column('email', 'Email', 'second', ({ email, is_verified, spend_limits }) => (
    <>
      {email ?? '–'} {email !== null && !is_verified && <span className="soft">not verified</span>}
      {spend_limits.length > 0 && (
        <span className="on-phone">
          <br />
          <ClosestLimit limits={spend_limits} />
        </span>
      )}
    </>
  )),
  column('role', 'Role', 'second-end', ({ role }) => ROLE_NAMES[role]),
  endColumn('keys', 'Personal keys', 'none', ({ keys }) => keys),
  column('limits', 'Spend limit', 'none', ({ spend_limits }) => <ClosestLimit limits={spend_limits} />),
  column('last_seen', 'Last seen', 'none', ({ last_seen_at_ms }) =>
    last_seen_at_ms === null ? '–' : <ClockTime at_ms={last_seen_at_ms} />,
  ),
  ...(manage
    ? [
        endColumn<MemberView>('manage', '', 'first-end', (person) => (
          <Menu
            label={`Manage ${person.name}`}
            trigger={<Button small look="quiet" icon={MoreHorizontal} aria-label={`Manage ${person.name}`} />}
            items={[
              { label: 'Change role', onSelect: () => manage('change', person) },
              { label: 'Spend limits', onSelect: () => manage('limit', person) },
              { label: 'Remove', danger: true, onSelect: () => manage('remove', person) },
            ]}
          />
        )),
      ]
    : []),
]

function Invitations({ account, may_manage }: { account: string | undefined; may_manage: boolean }) {
  const cursor = useCursor('invitations_cursor')
  const query = { account, cursor }
  const invitations = useApi(['team-invitations', query], () => api['team-invitations'].get({ query }))
  const revoke = useAction({
    work: ({ id }: InvitationView) =>
      send(api['team-invitations']({ id: pathPart(id) }).delete(undefined, { query: { account } })),
    changes: ['team-invitations'],
    done: ({ email }) => ({ text: `Invitation of ${email} revoked` }),
  })
  if (!invitations.data || invitations.data.invitations.length === 0) return null
  return (
    <Section title="Open invitations">
      <PagedTable
        query={invitations}
        rowsOf={(answer) => answer.invitations}
        label="Open invitations"
        columns={[
          column<InvitationView>('email', 'Email', 'first', ({ email }) => email),
          column<InvitationView>('role', 'Role', 'second', ({ role }) => ROLE_NAMES[role]),
          column<InvitationView>('sent', 'Link', 'none', ({ is_mailed }) => (is_mailed ? 'mailed' : 'shown')),
          column<InvitationView>('expires', 'Expires', 'second-end', ({ expires_at_ms }) => (
            <ClockTime at_ms={expires_at_ms} />
          )),
          ...(may_manage
            ? [
                endColumn<InvitationView>('revoke', '', 'first-end', (invitation) => (
                  <Button small disabled={revoke.busy} onClick={() => revoke.run(invitation)}>
                    Revoke
                  </Button>
                )),
              ]
            : []),
        ]}
        keyOf={({ id }) => id}
        param="invitations_cursor"
        none={null}
      />
    </Section>
  )
}
