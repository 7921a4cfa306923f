// The page History of the catalogue: its versions, who saved them, what they changed.
import { History } from 'lucide-react'
import { api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useAddressState } from '../../../console/web/parts/address-state.ts'
import { Button, ButtonLink } from '../../../console/web/parts/button.tsx'
import { AsCommand } from '../../../console/web/parts/code.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { EmptyState, Loaded } from '../../../console/web/parts/states.tsx'
import { type Column, column, Pager, Table, useCursor } from '../../../console/web/parts/table.tsx'
import { ClockTime } from '../../../console/web/parts/time.tsx'
import { changeWords, SavedBy, type Version } from '../parts/version-words.tsx'

const COLUMNS: Column<Version>[] = [
  column('version', 'Version', 'first', ({ version }) => `Version ${String(version)}`),
  column('what', 'Changes', 'second', ({ changed }) => changeWords(changed)),
  column('by', 'Saved by', 'none', ({ by }) => <SavedBy by={by} />),
  column('made', 'Saved', 'first-end', ({ made_at_ms }) => <ClockTime at_ms={made_at_ms} />),
  column(
    'state',
    '',
    'second-end',
    ({ in_force }) => in_force && <strong className="no-wrap">In force</strong>,
  ),
]

export default function HistoryPage() {
  const cursor = useCursor()
  const [{ part }, change] = useAddressState({ part: '' })
  const query = { limit: 25, cursor, part: part === '' ? undefined : part }
  const versions = useApi(['catalogue', 'versions', query], () => api.catalogue.versions.get({ query }))
  return (
    <Page
      title="Catalogue history"
      lead="The newest 100 versions of the catalogue. API keys are not stored in them."
      actions={<ButtonLink href="/catalogue">Open the catalogue</ButtonLink>}
    >
      {part !== '' && (
        <div className="row">
          <span>
            Versions that changed <strong>{part}</strong>
          </span>
          <Button small onClick={() => change({ part: '' })}>
            Show all
          </Button>
        </div>
      )}
      <Loaded query={versions}>
        {({ versions, next_cursor }) =>
          versions.length === 0 ? (
            <EmptyState icon={History} title="No version found">
              {part === ''
                ? 'The gateway keeps one at each start and change.'
                : `No kept version changed ${part}.`}
            </EmptyState>
          ) : (
            <>
              <Table
                label="Versions"
                columns={COLUMNS}
                rows={versions}
                keyOf={({ version }) => version}
                hrefOf={({ version }) => `/catalogue/history/${String(version)}`}
              />
              <Pager next_cursor={next_cursor} />
            </>
          )
        }
      </Loaded>
      <AsCommand command="tollgate config history" />
    </Page>
  )
}
