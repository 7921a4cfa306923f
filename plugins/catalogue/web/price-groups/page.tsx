// The page of price groups: factors, accounts, and models sold below cost.
import { BarChart3, Percent, Plus, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useMay } from '../../../console/web/app/session.tsx'
import { count, countNoun } from '../../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../../console/web/parts/button.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { EmptyState, Loaded } from '../../../console/web/parts/states.tsx'
import { type Column, column, endColumn, Table } from '../../../console/web/parts/table.tsx'
import { GroupDialog } from './group-dialog.tsx'
import { type Group, useGroups } from './price-group-field.tsx'

const COLUMNS: Column<Group>[] = [
  column('name', 'Group', 'first', ({ name, factor, in_catalogue }) => (
    <>
      {name}
      {in_catalogue && <span className="on-phone"> × {factor}</span>}
      {!in_catalogue && <strong className="tone-bad"> not in the catalogue</strong>}
    </>
  )),
  endColumn('factor', 'Factor', 'none', ({ factor, in_catalogue }) =>
    in_catalogue ? factor : 'list prices',
  ),
  column('models', 'Factors of models', 'none', ({ model_factors }) =>
    model_factors.length === 0 ? (
      <span className="soft">–</span>
    ) : (
      model_factors.map(({ models, factor }) => `${models} × ${factor}`).join(', ')
    ),
  ),
  column('cost', 'Below cost', 'second', ({ below_cost }) => <BelowCost models={below_cost} />),
  endColumn('accounts', 'Accounts', 'second-end', ({ name, accounts }) => (
    <Link
      href={`/accounts?group=${encodeURIComponent(name)}`}
      aria-label={`${countNoun(accounts, 'account')} in ${name}`}
    >
      {count(accounts)}
      <span className="on-phone">{accounts === 1 ? ' account' : ' accounts'}</span>
    </Link>
  )),
]

const MAX_NAMED = 3

function BelowCost({ models }: { models: readonly string[] }) {
  if (models.length === 0) return <span className="soft">–</span>
  const more = models.length - MAX_NAMED
  return (
    <span className="below-cost" title={models.join(', ')}>
      <TriangleAlert className="icon" aria-hidden /> <span className="on-phone">below cost: </span>
      {models.slice(0, MAX_NAMED).join(', ')}
      {more > 0 && ` and ${countNoun(more, 'other')}`}
    </span>
  )
}

export default function PriceGroups() {
  const groups = useGroups()
  const operates = useMay('operate')
  const [open, setOpen] = useState<Group | 'new' | null>(null)
  const edit: Column<Group> = endColumn('edit', '', 'first-end', (group) =>
    group.in_catalogue ? (
      <Button small aria-label={`Edit ${group.name}`} onClick={() => setOpen(group)}>
        Edit
      </Button>
    ) : null,
  )
  return (
    <Page
      title="Price groups"
      lead="Accounts in a group pay list prices times its factor. Choose an account’s group on its page: More, Edit details."
      actions={
        <>
          <ButtonLink icon={BarChart3} href="/?by=price_group">
            Revenue by group
          </ButtonLink>
          <Button look="primary" icon={Plus} right="operate" onClick={() => setOpen('new')}>
            New group
          </Button>
        </>
      }
    >
      <Loaded query={groups}>
        {({ groups }) =>
          groups.length === 0 ? (
            <EmptyState icon={Percent} title="No price groups yet">
              Create one to sell at other prices to some accounts, such as resellers or your own team.
            </EmptyState>
          ) : (
            <Table
              label="Price groups"
              columns={operates ? [...COLUMNS, edit] : COLUMNS}
              rows={groups}
              keyOf={({ name }) => name}
            />
          )
        }
      </Loaded>
      {open !== null && (
        <GroupDialog group={open === 'new' ? undefined : open} onClose={() => setOpen(null)} />
      )}
    </Page>
  )
}
