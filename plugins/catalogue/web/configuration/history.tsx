// The page of the configuration's history: versions with their authors and changes.
import { History } from 'lucide-react'
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useAddressState } from '../../../console/web/parts/address-state.ts'
import { Button, ButtonLink } from '../../../console/web/parts/button.tsx'
import { AsCommand } from '../../../console/web/parts/code.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { PagedTable } from '../../../console/web/parts/paged-table.tsx'
import { EmptyState } from '../../../console/web/parts/states.tsx'
import { type Column, column, useCursor } from '../../../console/web/parts/table.tsx'
import { ClockTime } from '../../../console/web/parts/time.tsx'

export type Version = AnswerOf<typeof api.catalogue.versions.get>['versions'][number]

export function SavedBy({ by: { kind, address, command } }: Pick<Version, 'by'>) {
  if (kind === 'command') return <code className="no-wrap">tollgate {command}</code>
  if (kind === 'file') return <>The file on the server</>
  return <>Console{address !== null && <span className="soft"> from {address}</span>}</>
}

const MAX_PARTS = 3

/** Words before a name. A model has its id alone. */
const KIND_WORDS: Readonly<Record<string, string>> = { provider: 'provider', price_group: 'price group' }

/** Describes the first few changes: "flash (price), provider attic added". */
export function changeWords(changed: Version['changed']): string {
  if (changed === null) return '–'
  if (changed.length === 0) return 'Comments or order only'
  const words = changed.slice(0, MAX_PARTS).map(({ kind, name, change, fields }) => {
    const what = KIND_WORDS[kind] ? `${KIND_WORDS[kind]} ${name}` : name
    if (change !== 'changed') return `${what} ${change}`
    return fields.length === 0
      ? what
      : `${what} (${fields.map((field) => field.replaceAll('_', ' ')).join(', ')})`
  })
  const more = changed.length - words.length
  return words.join(', ') + (more > 0 ? ` and ${String(more)} more` : '')
}

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
  const [{ part }, change] = useAddressState({ part: '', cursor: '' })
  const query = { limit: 25, cursor, part: part === '' ? undefined : part }
  const versions = useApi(['catalogue', 'versions', query], () => api.catalogue.versions.get({ query }))
  return (
    <Page
      title="Configuration history"
      lead="The newest 100 versions of the configuration. API keys are not stored in them."
      actions={
        <ButtonLink href="/system/configuration" right="operate">
          Configuration file
        </ButtonLink>
      }
    >
      {part !== '' && (
        <div className="row">
          <span>
            Versions that changed <strong>{part}</strong>
          </span>
          <Button small onClick={() => change({ part: '', cursor: '' })}>
            Show all
          </Button>
        </div>
      )}
      <PagedTable
        query={versions}
        rowsOf={(answer) => answer.versions}
        label="Versions"
        columns={COLUMNS}
        keyOf={({ version }) => version}
        hrefOf={({ version }) => `/system/configuration/history/${String(version)}`}
        none={
          <EmptyState icon={History} title="No version found">
            {part === ''
              ? 'The gateway keeps one at each start and change.'
              : `No kept version changed ${part}.`}
          </EmptyState>
        }
      />
      <AsCommand command="tollgate config history" />
    </Page>
  )
}
