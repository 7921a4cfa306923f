// The section of Settings with the viewer's identities: linking and unlinking.
import { useState } from 'react'
import { type AnswerOf, api, messageOf, pathPart, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { ConfirmButton } from '../../console/web/parts/dialog-buttons.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import { goToLink } from './go-to-provider.ts'

type Answer = AnswerOf<typeof api.identities.get>
type Identity = Answer['identities'][number]

export default function IdentitiesSection() {
  const own = useApi(['identities'], () => api.identities.get())
  const { identities = [], providers = [] } = own.data ?? {}
  // Hidden if the operator has no provider and the person has no identity.
  if (own.data && identities.length === 0 && providers.length === 0) return null
  return (
    <Section title="Other ways to sign in" actions={<LinkButtons providers={providers} />}>
      <Loaded query={own} rows={2}>
        {({ identities }) =>
          identities.length === 0 ? (
            <p className="soft">Link an identity to sign in with it, without a password.</p>
          ) : (
            <Table label="Other ways to sign in" columns={COLUMNS} rows={identities} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Section>
  )
}

function LinkButtons({ providers }: Pick<Answer, 'providers'>) {
  const [failure, setFailure] = useState<string | null>(null)
  return (
    <>
      {providers.map(({ name, title }) => (
        <Button
          key={name}
          onClick={() => void goToLink(name).catch((thrown: unknown) => setFailure(messageOf(thrown)))}
        >
          {`Link ${title}`}
        </Button>
      ))}
      {failure !== null && (
        <Notice tone="bad" alert>
          {failure}
        </Notice>
      )}
    </>
  )
}

const COLUMNS: readonly Column<Identity>[] = [
  column('title', 'Provider', 'first', ({ title }) => <bdi>{title}</bdi>),
  column('email', 'Signed in there as', 'second', ({ email }) => <bdi>{email ?? '–'}</bdi>),
  column('last_used', 'Last used', 'second-end', ({ last_used_at_ms }) => (
    <ClockTime at_ms={last_used_at_ms} />
  )),
  endColumn('unlink', '', 'first-end', ({ id, title }) => (
    <ConfirmButton
      small
      title={`Unlink ${title}?`}
      consequence="You can no longer sign in with it, and your other sessions that it opened end."
      verb={`Unlink ${title}`}
      work={() => send(api.identities({ id: pathPart(id) }).delete())}
      changes={['identities', 'sessions']}
      done={() => `${title} unlinked`}
    >
      Unlink
    </ConfirmButton>
  )),
]
