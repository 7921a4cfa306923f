// The viewer's sessions, and the buttons that end them.
import { type AnswerOf, api, pathPart, send } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useSignOut } from '../../../console/web/app/session.tsx'
import { useAction } from '../../../console/web/parts/action.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { ConfirmButton } from '../../../console/web/parts/dialog-buttons.tsx'
import { ExportCsv } from '../../../console/web/parts/export-csv.tsx'
import { keyPrefix } from '../../../console/web/parts/key-prefix.ts'
import { Section } from '../../../console/web/parts/page.tsx'
import { PagedTable } from '../../../console/web/parts/paged-table.tsx'
import { type Column, column, endColumn, useCursor } from '../../../console/web/parts/table.tsx'
import { ClockTime } from '../../../console/web/parts/time.tsx'

type Session = AnswerOf<typeof api.sessions.get>['sessions'][number]

export const useSessions = (cursor: number | undefined) =>
  useApi(['sessions', cursor], () => api.sessions.get({ query: { limit: 20, cursor } }))

export function SessionsSection() {
  const cursor = useCursor()
  const sessions = useSessions(cursor)
  const signOut = useSignOut()
  const end = useAction({
    work: (id: number) => send(api.sessions({ id: pathPart(id) }).delete()),
    changes: ['sessions'],
    done: () => ({ text: 'Session ended' }),
  })

  return (
    <Section
      title="Sessions"
      actions={
        <>
          <ExportCsv list="sessions" query={{}} />
          <ConfirmButton
            title="Sign out everywhere?"
            consequence="This ends all of your sessions, including this one. If somebody else may know your password, change it first."
            verb="Sign out everywhere"
            work={() => signOut(true)}
            changes={[]}
          >
            Sign out everywhere
          </ConfirmButton>
        </>
      }
    >
      <PagedTable
        query={sessions}
        rowsOf={(answer) => answer.sessions}
        label="Sessions"
        columns={columnsOf(end.run, end.busy)}
        keyOf={({ id }) => id}
        none={null}
      />
    </Section>
  )
}

const PROOFS: Readonly<Record<NonNullable<Session['proof']>, string>> = {
  password: 'password',
  link: 'link',
  key: 'key',
  passkey: 'passkey',
  identity: 'another provider',
}

const columnsOf = (end: (id: number) => void, busy: boolean): Column<Session>[] => [
  column('browser', 'Browser', 'first', ({ user_agent, browser, is_current }) => (
    <span title={user_agent}>
      {browser} {is_current && <span className="settings-current">this session</span>}
    </span>
  )),
  column('by', 'Signed in with', 'second', ({ key, proof }) =>
    key ? <span title={key.name}>{`key ${keyPrefix(key.prefix)}`}</span> : PROOFS[proof ?? 'password'],
  ),
  column('address', 'Address', 'none', ({ address }) => address ?? '–'),
  column('last_seen', 'Last seen', 'second-end', ({ last_seen_at_ms }) => (
    <ClockTime at_ms={last_seen_at_ms} />
  )),
  column('expires', 'Ends', 'none', ({ expires_at_ms }) => <ClockTime at_ms={expires_at_ms} />),
  endColumn('end', '', 'first-end', ({ id, is_current }) =>
    is_current ? null : (
      <Button small disabled={busy} onClick={() => end(id)}>
        End
      </Button>
    ),
  ),
]
