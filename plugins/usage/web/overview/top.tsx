// The top models and accounts, by revenue and margin.
import { Link } from 'wouter'
import { part } from '../../../console/web/app/client.ts'
import { useViewer } from '../../../console/web/app/session.tsx'
import { RowAccount } from '../../../console/web/parts/account-name.tsx'
import { count, share } from '../../../console/web/parts/amounts.ts'
import { moneyColumns } from '../../../console/web/parts/margin-words.tsx'
import { Section } from '../../../console/web/parts/page.tsx'
import { atEnd, type Column, column, Table } from '../../../console/web/parts/table.tsx'
import { Further } from '../further.tsx'
import type { Overview } from './overview-answer.ts'

type Top = Overview['top']
type Part = Omit<Top['models'][number], 'model'>

const figuresFor = (is_operator: boolean): Column<Part>[] => [
  ...moneyColumns<Part>(is_operator, 'second-end'),
  atEnd('calls', 'Calls', 'second', ({ calls, failed }) => (
    <>
      {count(calls)}
      <span className="on-phone">{calls === 1 ? ' call' : ' calls'}</span>
      {failed > 0 && <span className="soft"> ({share(failed / calls)} failed)</span>}
    </>
  )),
]

export function TopParts({ top }: { top: Top }) {
  const figures = figuresFor(useViewer().role === 'operator')
  return (
    <div className="overview-top">
      <Section title="Top models" actions={<Link href="/usage">Usage by model</Link>}>
        <Table
          label="Top models"
          rows={top.models}
          keyOf={({ model }) => model}
          hrefOf={({ model }) => `/models/${part(model)}`}
          columns={[
            column('model', 'Model', 'first', ({ model }: Top['models'][number]) => model),
            ...figures,
          ]}
        />
        <Further number={top.further_models} what="models" />
      </Section>
      {top.accounts.length > 0 && (
        <Section title="Top accounts" actions={<Link href="/usage?by=account">Usage by account</Link>}>
          <Table
            label="Top accounts"
            rows={top.accounts}
            keyOf={({ account_id }) => account_id}
            hrefOf={({ account_id }) => `/accounts/${account_id}`}
            columns={[
              column('account', 'Account', 'first', (row: Top['accounts'][number]) => (
                <RowAccount {...row} />
              )),
              ...figures,
            ]}
          />
          <Further number={top.further_accounts} what="accounts" />
        </Section>
      )}
    </div>
  )
}
