// Page of one key: limits, spending, audit log and actions.
import { Ban, ListFilter, PenLine, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { AuditLogList } from '../../audit-log/web/audit-log-list.tsx'
import { FailedFact } from '../../calls/web/failed/failed.tsx'
import { EditLimits } from '../../catalogue/web/settings/edit-limits.tsx'
import { api, pathPart } from '../../console/web/app/client.ts'
import type { PageProps } from '../../console/web/app/page-entry.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { RowAccount } from '../../console/web/parts/account-name.tsx'
import { countNoun } from '../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { Facts } from '../../console/web/parts/facts.tsx'
import { Id } from '../../console/web/parts/id.tsx'
import { Menu } from '../../console/web/parts/menu.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { AwaitedPage } from '../../console/web/parts/states.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import { useWeek, type Week } from '../../console/web/parts/week.ts'
import { useRefusals } from '../../refusals/web/refusals.ts'
import { RefusedFact } from '../../refusals/web/refused.tsx'
import type { KeyView } from '../console/views.ts'
import { ChangeDialog, RevokeDialog, RotateDialog } from './key-dialogs.tsx'
import { KeyStatus, LastUse } from './key-words.tsx'
import { LimitFacts } from './limit-facts.tsx'
import { LimitWarning, SpendLimitFacts } from './spend-limits.tsx'

export default function Key({ params: { key: reference = '' } }: PageProps) {
  const key = useApi(['key', reference], () => api.keys({ id: pathPart(reference) }).get())
  const week = useWeek({ key: reference })
  // Waits for both: content that arrives later would shift the page.
  if (!key.data || week.isPending) return <AwaitedPage title="Key" query={key} />
  return <KeyPage of={key.data} week={week.data} />
}

type Open = 'change' | 'rotate' | 'revoke'

interface KnownKey {
  of: KeyView
  week: Week | undefined
}

function KeyPage({ of: key, week }: KnownKey) {
  const { side } = useViewer()
  const [open, setOpen] = useState<Open | null>(null)
  const dialog = (which: Open) => ({ of: key, open: open === which, onClose: () => setOpen(null) })
  const is_revoked = key.status === 'revoked'
  return (
    <Page
      title={key.name}
      lead={leadOf(key, side === 'operator')}
      actions={
        <>
          <ButtonLink icon={ListFilter} href={`/calls?key=${key.id}`}>
            Calls
          </ButtonLink>
          {key.may_manage && !is_revoked && (
            <>
              <Menu
                label={`More for ${key.name}`}
                trigger={<Button>More</Button>}
                items={[
                  ...(key.status === 'active'
                    ? [{ label: 'Rotate', icon: RefreshCw, onSelect: () => setOpen('rotate') }]
                    : []),
                  { label: 'Revoke', icon: Ban, danger: true, onSelect: () => setOpen('revoke') },
                ]}
              />
              <Button look="primary" icon={PenLine} onClick={() => setOpen('change')}>
                Change
              </Button>
            </>
          )}
        </>
      }
    >
      {(key.status === 'active' || key.status === 'retiring') && (
        <LimitWarning limits={key.spend_limits} who="This key" />
      )}
      <KeyFacts of={key} week={week} />
      <Section title="Spend limits">
        <SpendLimitFacts limits={key.spend_limits} />
      </Section>
      <Section
        title="Rate limits"
        actions={side === 'operator' && !is_revoked && <EditLimits of="key" name={key.prefix} />}
      >
        <LimitFacts limits={key.limits} />
      </Section>
      <Section title="Audit log">
        <AuditLogList key_id={key.id} />
      </Section>
      <ChangeDialog {...dialog('change')} />
      <RotateDialog {...dialog('rotate')} />
      <RevokeDialog {...dialog('revoke')} />
    </Page>
  )
}

function leadOf(key: KeyView, is_operator: boolean) {
  if (is_operator)
    return (
      <>
        A key of{' '}
        <Link href={`/accounts/${key.account_id}`}>
          <RowAccount {...key} />
        </Link>
        .
      </>
    )
  if (key.own) return 'You are signed in with this key.'
  return key.person === null ? 'A key of your account.' : `A key of ${key.person}.`
}

function KeyFacts({ of: key, week }: KnownKey) {
  const { status, revoked_at_ms, expires_at_ms, replaces, replaced_by } = key
  return (
    <Facts
      facts={[
        ['Status', <KeyStatus key="status" of={key} />],
        ['Prefix', <Id key="prefix" value={key.prefix} what="prefix" whole />],
        [
          'Replaces',
          replaces !== null && (
            <Link key="replaces" href={`/keys/${replaces.id}`}>
              <code>{replaces.prefix}</code>
            </Link>
          ),
        ],
        [
          'Replaced by',
          replaced_by !== null && (
            <Link key="replaced" href={`/keys/${pathPart(replaced_by)}`}>
              <code>{replaced_by}</code>
            </Link>
          ),
        ],
        ['Person', key.person ?? false],
        ['Models', key.models?.join(', ') ?? 'all'],
        ['Allowed networks', key.addresses?.join(', ') ?? 'any'],
        ['Spent', <Spent key="spent" of={key} />],
        ['Last 7 days', <WeekWords key="week" week={week} />],
        ['Failed in 7 days', <FailedFact key="failed" key_id={key.id} />],
        ['Refused in 7 days', <Refused key="refused" of={key} />],
        ['Last used', <LastUse key="used" of={key} exact />],
        ['Expires', expires_at_ms === null ? 'never' : <Time key="expires" at_ms={expires_at_ms} exact />],
        [
          status === 'retiring' ? 'Will be revoked' : 'Revoked',
          revoked_at_ms !== null && <Time key="revoked" at_ms={revoked_at_ms} exact />,
        ],
        ['Created', <Time key="created" at_ms={key.created_at_ms} exact />],
      ]}
    />
  )
}

function Spent({ of: { spent_nanos, held_nanos } }: { of: KeyView }) {
  return (
    <>
      <Money nanos={spent_nanos} />
      {held_nanos > 0 && (
        <span className="soft">
          ; <Money nanos={held_nanos} /> held for running calls
        </span>
      )}
    </>
  )
}

function WeekWords({ week }: Pick<KnownKey, 'week'>) {
  if (!week) return <span className="soft">–</span>
  const { totals } = week
  return (
    <>
      <Money nanos={totals.revenue_nanos ?? totals.spent_nanos ?? null} /> for{' '}
      {countNoun(totals.calls, 'call')}
    </>
  )
}

function Refused({ of: { id } }: { of: KeyView }) {
  const { data } = useRefusals({ range: 'week', key_id: id })
  return <RefusedFact refusals={data} key_id={id} />
}
