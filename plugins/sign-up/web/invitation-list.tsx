// The list of invitations to sign up. An open invitation can be revoked.
import { Mail } from 'lucide-react'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { ConfirmButton } from '../../console/web/parts/dialog-buttons.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, column, endColumn, useCursor } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import type { InvitationListRow } from '../list.ts'

const CURSOR = 'invitations_cursor'

export function InvitationList() {
  const page = { cursor: useCursor(CURSOR) }
  const codes = useApi(['sign-up-invitations', page], () => api['sign-up-invitations'].get({ query: page }))
  return (
    <div className="stack">
      <div className="spread list-head">
        <p className="soft">Links by which people may sign up while it is by invitation.</p>
        <ExportCsv list="sign-up-invitations" query={{}} />
      </div>
      <PagedTable
        query={codes}
        rowsOf={(answer) => answer.invitations}
        label="Invitations"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        param={CURSOR}
        none={
          <EmptyState icon={Mail} title="No invitations yet">
            Invite people to sign up, by mail or by a link.
          </EmptyState>
        }
      />
    </div>
  )
}

const TONES = { open: 'good', used: 'idle', revoked: 'bad', expired: 'idle' } as const

const COLUMNS: Column<InvitationListRow>[] = [
  column('for', 'Invitation', 'first', ({ id, email }) => email ?? `Invitation ${id}`),
  column('state', 'State', 'second', ({ state }) => <Status tone={TONES[state]}>{state}</Status>),
  endColumn('uses', 'Uses', 'second-end', ({ uses, max_uses }) => `${uses} of ${max_uses}`),
  endColumn('expires', 'Expires', 'none', ({ expires_at_ms }) => <ClockTime at_ms={expires_at_ms} />),
  endColumn('created', 'Created', 'none', ({ created_at_ms }) => <ClockTime at_ms={created_at_ms} />),
  endColumn('actions', '', 'first-end', ({ id, state }) =>
    state !== 'open' ? null : (
      <ConfirmButton
        small
        right="help_accounts"
        title={`Revoke invitation ${id}?`}
        consequence="Its link stops working. Accounts created with it stay."
        verb="Revoke invitation"
        work={() => send(api['sign-up-invitations']({ id: pathPart(id) }).delete())}
        changes={['sign-up-invitations']}
        done={() => `Invitation ${id} revoked`}
      >
        Revoke
      </ConfirmButton>
    ),
  ),
]
