// The page "Refer a friend": an account's referral link and its earnings.
import { Gift } from 'lucide-react'
import { type AnswerOf, api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { Code } from '../../console/web/parts/code.tsx'
import { Figure, Figures } from '../../console/web/parts/figure.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { AwaitedPage, EmptyState } from '../../console/web/parts/states.tsx'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'

type Referral = AnswerOf<(typeof api)['referral']['get']>
type Referred = Referral['referrals'][number]

export default function Refer() {
  const referral = useApi(['referral'], () => api.referral.get())
  if (!referral.data) return <AwaitedPage title="Refer a friend" query={referral} />
  return <ReferPage referral={referral.data} />
}

function ReferPage({ referral }: { referral: Referral }) {
  const { url, per_cent, months, signed_up, earned_nanos, referrals } = referral
  return (
    <Page
      title="Refer a friend"
      lead={`You get ${per_cent} % of each payment that a friend makes within ${months === 1 ? 'a month' : `${months} months`} of signing up with your link. Refunds take their share back.`}
    >
      <Section title="Your link">
        <Code what="link" wraps>
          {url}
        </Code>
      </Section>
      <Figures>
        <Figure label="Earned" value={<Money nanos={earned_nanos} balance />} />
        <Figure label="Friends who signed up" value={signed_up} />
      </Figures>
      {referrals.length === 0 ? (
        <EmptyState icon={Gift} title="Nobody signed up yet">
          Share your link. Friends who sign up with it appear here, without their names.
        </EmptyState>
      ) : (
        <Table label="Friends" columns={COLUMNS} rows={referrals} keyOf={({ id }) => id} />
      )}
    </Page>
  )
}

const COLUMNS: Column<Referred>[] = [
  column('signed_up', 'Signed up', 'first', ({ signed_up_at_ms }) => <ClockTime at_ms={signed_up_at_ms} />),
  column('payments', 'Payments', 'second', ({ payments }) => (
    <>
      {payments}
      <span className="on-phone"> {payments === 1 ? 'payment' : 'payments'}</span>
    </>
  )),
  endColumn('earned', 'Earned', 'first-end', ({ earned_nanos }) => <Money nanos={earned_nanos} balance />),
]
