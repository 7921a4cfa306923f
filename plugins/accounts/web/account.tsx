// Page of one account: balance, keys, team, transactions, audit log and limits.
import {
  Ban,
  CirclePlay,
  ListFilter,
  Mail,
  MessageSquare,
  MinusCircle,
  PenLine,
  Plus,
  Trash2,
  Users,
} from 'lucide-react'
import { useState } from 'react'
import { AuditLogList } from '../../audit-log/web/audit-log-list.tsx'
import { FailedFigure } from '../../calls/web/failed/failed.tsx'
import { EditLimits } from '../../catalogue/web/settings/edit-limits.tsx'
import { api, pathPart } from '../../console/web/app/client.ts'
import type { PageProps } from '../../console/web/app/page-entry.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useFeature, useMay } from '../../console/web/app/session.tsx'
import { balanceUsd, exactUsd } from '../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { changeOf, Figure, Figures } from '../../console/web/parts/figure.tsx'
import { Menu, type MenuItem } from '../../console/web/parts/menu.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { AwaitedPage } from '../../console/web/parts/states.tsx'
import { Tabs } from '../../console/web/parts/tabs.tsx'
import { exactTime } from '../../console/web/parts/time-words.ts'
import { useWeek, type Week } from '../../console/web/parts/week.ts'
import { EntriesList } from '../../entries/web/entries-list.tsx'
import { HistoryLink } from '../../import/web/history-list.tsx'
import { KeysList } from '../../keys/web/keys-list.tsx'
import { LimitFacts } from '../../keys/web/limit-facts.tsx'
import { SpendLimitFacts } from '../../keys/web/spend-limits.tsx'
import { type Refusals, useRefusals } from '../../refusals/web/refusals.ts'
import { ManyRefused, RefusedFigure } from '../../refusals/web/refused.tsx'
import { TeamList } from '../../teams/web/team-list.tsx'
import type { AccountView } from '../console/views.ts'
import { AccountDetails, DetailsDialog } from './account-details.tsx'
import { CloseDialog, InviteDialog, RenameDialog, SuspendDialog, useResume } from './account-dialogs.tsx'
import { MoneyDialog, type Movement } from './money-dialog.tsx'
import { AccountStatus, lasting } from './words.tsx'

export default function Account({ params: { account: reference = '' } }: PageProps) {
  const account = useApi(['account', reference], () => api.accounts({ id: pathPart(reference) }).get())
  const refusals = useRefusals({ range: 'week', account: reference })
  const week = useWeek({ account: reference })
  // Waits for all three: content that arrives later would shift the page.
  if (!account.data || refusals.isPending || week.isPending)
    return <AwaitedPage title="Account" query={account} />
  return <AccountPage account={account.data} refusals={refusals.data} week={week.data} />
}

type Open = 'details' | 'rename' | 'suspend' | 'close' | 'invite'

interface KnownAccount {
  account: AccountView
  refusals: Refusals | undefined
  week: Week | undefined
}

function AccountPage({ account, refusals, week }: KnownAccount) {
  const [movement, setMovement] = useState<Movement | null>(null)
  const [open, setOpen] = useState<Open | null>(null)
  const sells_plans = useFeature('plans')
  const has_payments = useFeature('payments')
  const dialog = (which: Open) => ({ account, open: open === which, onClose: () => setOpen(null) })
  return (
    <Page
      title={account.display_name || account.name}
      lead={leadOf(account)}
      actions={
        <>
          <ButtonLink icon={ListFilter} href={`/calls?account=${account.id}`}>
            Calls
          </ButtonLink>
          {has_payments && <ButtonLink href={`/payments?account=${account.id}`}>Orders</ButtonLink>}
          {sells_plans && <ButtonLink href={`/plans/${account.id}`}>Plan</ButtonLink>}
          <HistoryLink account={String(account.id)} />
          <AccountMenu account={account} open={setOpen} debit={() => setMovement('debit')} />
          <Button look="primary" icon={Plus} right="credit" onClick={() => setMovement('top-up')}>
            Top up
          </Button>
        </>
      }
    >
      <Suspended account={account} />
      <ManyRefused refusals={refusals} account={account} />
      <AccountDetails of={account} />
      <AccountFigures {...{ account, refusals, week }} />
      <Tabs
        label={`Parts of ${account.name}`}
        tabs={[
          { value: 'keys', title: 'Keys', content: <KeysList account={account} /> },
          { value: 'team', title: 'Team', content: <TeamList account={account} /> },
          { value: 'entries', title: 'Transactions', content: <EntriesList account={account.name} /> },
          { value: 'log', title: 'Audit log', content: <AuditLogList account={account.id} /> },
          { value: 'limits', title: 'Limits', content: <AccountLimits account={account} /> },
        ]}
      />
      <MoneyDialog account={account} movement={movement} onClose={() => setMovement(null)} />
      <DetailsDialog {...dialog('details')} />
      <RenameDialog {...dialog('rename')} />
      <SuspendDialog {...dialog('suspend')} />
      <CloseDialog {...dialog('close')} />
      <InviteDialog {...dialog('invite')} />
    </Page>
  )
}

/** "alice’s balance is 2.14 USD, enough for about 3 days at the pace of the last 7 days." */
function leadOf({ name, status, available_nanos, debt_nanos, lasts_days }: AccountView) {
  if (status === 'closed') return `${name} is closed. Its calls are refused; its history is kept.`
  const state = status === 'suspended' ? ` It is suspended, so its calls are refused.` : ''
  if (debt_nanos > 0)
    return `${name} owes ${exactUsd(debt_nanos)} USD. Calls are refused until the debt is paid.${state}`
  const days = available_nanos > 0 ? lasting(lasts_days) : null
  const pace = days === null ? '' : `, enough for ${days} at the pace of the last 7 days`
  return `${name}’s balance is ${balanceUsd(Math.max(available_nanos, 0))} USD${pace}.${state}`
}

/** The notice for staff, who decide about resuming the account: paying the debt of a lost dispute does not resume it. */
function Suspended({ account }: { account: AccountView }) {
  const { suspension_reason, suspension_words, suspended_at_ms, debt_nanos } = account
  if (suspension_reason === null) return null
  const since = suspended_at_ms === null ? '' : ` on ${exactTime(suspended_at_ms)}`
  if (suspension_reason === 'operator')
    return (
      <Notice tone="warn">
        {`Suspended by an operator${since}`}
        {suspension_words === '' ? ', without a reason.' : `: “${suspension_words}”.`} Its people can still
        sign in, to see this and to pay.
      </Notice>
    )
  return (
    <Notice tone="warn">
      {`Suspended${since}, since a lost dispute left debt. `}
      {debt_nanos > 0
        ? 'Its people can still sign in, to pay it.'
        : 'The debt is paid. Resume the account, or keep it suspended by a reason of your own.'}
    </Notice>
  )
}

function AccountFigures({ account, refusals, week }: KnownAccount) {
  const { balance_nanos, held_nanos, available_nanos } = account
  const { totals, before } = week ?? {}
  return (
    <Figures>
      <Figure
        label="Available balance"
        value={<Money nanos={available_nanos} balance />}
        note={
          held_nanos > 0 ? (
            <span>
              of <Money nanos={balance_nanos} balance />; the rest is held for running calls
            </span>
          ) : (
            'No holds'
          )
        }
      />
      <Figure
        label="Spent in 7 days"
        value={<Money nanos={totals?.revenue_nanos ?? null} />}
        change={changeOf(totals?.revenue_nanos, before?.revenue_nanos)}
      />
      <FailedFigure account={account.name} />
      <RefusedFigure label="Refused in 7 days" refusals={refusals} account={account.id} />
      <Figure label="Status" value={<AccountStatus account={account} />} />
    </Figures>
  )
}

interface AccountMenuProps {
  account: AccountView
  open: (dialog: Open) => void
  debit: () => void
}

function AccountMenu({ account, open, debit }: AccountMenuProps) {
  const resume = useResume(account)
  const { status, name } = account
  const operates = useMay('operate')
  const helps = useMay('help_accounts')
  const is_open = status !== 'closed'
  const reason =
    status === 'suspended' &&
    ({ label: 'Edit reason', icon: MessageSquare, onSelect: () => open('suspend') } as const)
  const change: MenuItem =
    status === 'active'
      ? { label: 'Suspend', icon: Ban, onSelect: () => open('suspend') }
      : { label: is_open ? 'Resume' : 'Reopen', icon: CirclePlay, onSelect: resume }
  const items: (MenuItem | 'line' | false)[] = [
    operates && { label: 'Debit', icon: MinusCircle, onSelect: debit },
    helps && is_open && { label: 'Invite', icon: Mail, onSelect: () => open('invite') },
    operates && { label: 'Edit details', icon: Users, onSelect: () => open('details') },
    operates && { label: 'Rename', icon: PenLine, onSelect: () => open('rename') },
    operates && 'line',
    // Support may not reopen a closed account.
    helps && reason,
    (operates || (helps && is_open)) && change,
    operates &&
      is_open && { label: 'Close account', icon: Trash2, danger: true, onSelect: () => open('close') },
  ]
  const offered = items.filter((item) => item !== false)
  if (offered.length === 0) return null
  return <Menu label={`More for ${name}`} items={offered} trigger={<Button>More</Button>} />
}

function AccountLimits({ account }: { account: AccountView }) {
  return (
    <div className="stack">
      {account.spend_limits.length > 0 && <SpendLimitFacts limits={account.spend_limits} />}
      <Section title="Rate limits" actions={<EditLimits of="account" name={account.name} />}>
        <LimitFacts limits={account.limits} />
      </Section>
    </div>
  )
}
