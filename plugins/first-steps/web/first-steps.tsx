// The first steps as a checklist: provider, model, account, API key, first call. Each step opens the ordinary dialog of its page.
import { useState } from 'react'
import { useLocation } from 'wouter'
import { MoneyDialog } from '../../accounts/web/money-dialog.tsx'
import { NewAccountDialog } from '../../accounts/web/new-account.tsx'
import { NewModel } from '../../catalogue/web/models/new-model.tsx'
import { AddProvider } from '../../catalogue/web/new-provider/add-provider.tsx'
import { useReportAdded } from '../../catalogue/web/parts/saving.ts'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { useAddressState } from '../../console/web/parts/address-state.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { Dialog } from '../../console/web/parts/dialog.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { Loaded, Skeleton } from '../../console/web/parts/states.tsx'
import { IssueKey } from '../../keys/web/issue-key.tsx'
import { useRefusals } from '../../refusals/web/refusals.ts'
import { ManyRefused } from '../../refusals/web/refused.tsx'
import { CallStep, hasCalled } from './call-step.tsx'
import { useFirstCall } from './first-call.tsx'
import { postpone } from './first-visit.tsx'
import {
  AccountStep,
  type IssuedText,
  KeyStep,
  ModelStep,
  type Open,
  ProviderStep,
  type StartState,
} from './steps.tsx'

/** Polled, so that a top-up appears without a reload. */
const REFRESH_EVERY_MS = 5_000

export default function FirstSteps() {
  const viewer = useViewer()
  const [, go] = useLocation()
  const [{ account }] = useAddressState({ account: '' })
  const state = useApi(
    ['start', account],
    () => api.start.get({ query: { account: account === '' ? undefined : account } }),
    { every_ms: REFRESH_EVERY_MS },
  )
  const refusals = useRefusals({ range: 'hour' })
  const is_operator = viewer.side === 'operator'
  const leave = (): void => {
    postpone(viewer)
    go('/')
  }
  return (
    <Page
      title={is_operator ? 'First steps' : 'Get started'}
      lead={
        is_operator
          ? 'Add a provider, a model and an account, then make the first paid call.'
          : 'From your balance to your first call, in a few minutes.'
      }
      width="form"
      actions={state.data?.due && <Button onClick={leave}>Do this later</Button>}
    >
      {refusals.isPending ? (
        <Skeleton rows={8} />
      ) : (
        <Loaded query={state} rows={8}>
          {(data) => (
            <>
              {!is_operator && <ManyRefused refusals={refusals.data} />}
              <Checklist state={data} onLeave={leave} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}

function Checklist({ state, onLeave }: { state: StartState; onLeave: () => void }) {
  const { key: own } = useViewer()
  const [address, change] = useAddressState({ account: '', key: '' })
  const [open, setOpen] = useState<Open>(null)
  const [issued, setIssued] = useState<IssuedText | null>(null)
  const in_address = /^\d{1,15}$/.test(address.key) ? Number(address.key) : null
  // A key of an earlier visit, for an account without a call at the time of this one.
  const [was_due] = useState(!state.providers && state.due)
  const key_id = own?.id ?? in_address ?? (was_due ? (state.account?.key_id ?? null) : null)
  const first = useFirstCall(key_id)
  const text = issued !== null && issued.id === key_id ? issued.text : undefined
  return (
    <>
      <ol className="checklist">
        {state.providers && <ProviderStep providers={state.providers} onOpen={setOpen} />}
        {state.providers && <ModelStep state={state} onOpen={setOpen} />}
        <AccountStep state={state} onOpen={setOpen} />
        <KeyStep
          account={state.account}
          is_called={hasCalled(state)}
          {...{ key_id, first, text }}
          onOpen={setOpen}
        />
        <CallStep state={state} key_id={key_id} first={first} text={text} onLeave={onLeave} />
      </ol>
      <Dialogs
        state={state}
        open={open}
        onOpen={setOpen}
        onAccount={(name) => change({ account: name, key: '' }, { push: true })}
        onIssued={(id, text) => {
          setIssued({ id, text })
          change({ key: String(id) }, { push: true })
        }}
      />
    </>
  )
}

interface DialogsProps {
  state: StartState
  open: Open
  onOpen: (open: Open) => void
  onAccount: (name: string) => void
  onIssued: (id: number, text: string) => void
}

function Dialogs({ state: { account }, open, onOpen, onAccount, onIssued }: DialogsProps) {
  const is_operator = useViewer().side === 'operator'
  const [tested, setTested] = useState<{ provider: string; model: string } | null>(null)
  const added = useReportAdded()
  const close = (): void => onOpen(null)
  const movement = open === 'top-up' || open === 'debit' ? open : null
  return (
    <>
      <Dialog open={open === 'provider'} onClose={close} title="New provider" wide>
        <AddProvider
          onDone={(provider, model, saved) => {
            added(provider, saved)
            setTested({ provider, model })
            onOpen('model')
          }}
          onCancel={close}
        />
      </Dialog>
      <Dialog open={open === 'model'} onClose={close} title="Model and price" wide>
        <NewModel
          tested={tested}
          onDone={(id, saved) => {
            added(id, saved)
            close()
          }}
          onCancel={close}
        />
      </Dialog>
      <NewAccountDialog open={open === 'account'} onClose={close} onCreated={onAccount} />
      {account && <MoneyDialog account={account} movement={movement} onClose={close} />}
      <IssueKey
        open={open === 'key'}
        onClose={close}
        account={is_operator ? account?.name : undefined}
        onIssued={({ key, text }) => onIssued(key.id, text)}
      />
    </>
  )
}
