// The steps of the checklist before the first call: whether each is done, and the button that opens its dialog.
import { Check, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Right } from '../../../src/access/rights.ts'
import type { Movement } from '../../accounts/web/money-dialog.tsx'
import { brand } from '../../console/web/app/brand.ts'
import type { AnswerOf, api } from '../../console/web/app/client.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { exactUsd } from '../../console/web/parts/amounts.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { keyPrefix } from '../../console/web/parts/key-prefix.ts'
import { Money } from '../../console/web/parts/money.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { AddFundsLink, useCanPay } from '../../payments/web/add-funds-link.tsx'
import type { FirstCallQuery } from './first-call.tsx'

export type StartState = AnswerOf<typeof api.start.get>
export type Open = 'provider' | 'model' | 'account' | Movement | 'key' | null

/** An issued key, whose text the page knows until it is reloaded. */
export interface IssuedText {
  id: number
  text: string
}

interface StepProps {
  title: string
  is_done: boolean
  actions?: ReactNode
  children: ReactNode
}

export const Step = ({ title, is_done, actions, children }: StepProps) => (
  <li className="checklist-step">
    <span className="checklist-mark" data-done={is_done || undefined}>
      {is_done && <Check className="icon" aria-hidden />}
    </span>
    <div className="checklist-body">
      <div className="section-head">
        <h2>
          {title}
          {is_done && <span className="unseen">, done</span>}
        </h2>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  </li>
)

interface OpenButtonProps {
  is_next: boolean
  right?: Right
  onClick: () => void
  children: string
}

/** The primary button of the page while its step is the next one. */
const OpenButton = ({ is_next, ...rest }: OpenButtonProps) => (
  <Button look={is_next ? 'primary' : undefined} icon={Plus} {...rest} />
)

interface OpenProps {
  onOpen: (open: Open) => void
}

export function ProviderStep({ providers, onOpen }: OpenProps & { providers: readonly string[] }) {
  const is_done = providers.length > 0
  return (
    <Step
      title="Provider"
      is_done={is_done}
      actions={
        <OpenButton is_next={!is_done} onClick={() => onOpen('provider')}>
          {is_done ? 'Add another provider' : 'Add a provider'}
        </OpenButton>
      }
    >
      <p className="soft">
        {is_done
          ? `Added: ${providers.join(', ')}.`
          : 'A provider serves the models. Until you add one, the simulator answers with made-up text.'}
      </p>
    </Step>
  )
}

export function ModelStep({ state, onOpen }: OpenProps & { state: StartState }) {
  const { sample_model, is_simulated, providers } = state
  const is_done = sample_model !== null && !is_simulated
  const has_provider = providers !== null && providers.length > 0
  return (
    <Step
      title="Model and price"
      is_done={is_done}
      actions={
        has_provider && (
          <OpenButton is_next={!is_done} onClick={() => onOpen('model')}>
            {is_done ? 'Add another model' : 'Add a model'}
          </OpenButton>
        )
      }
    >
      <p className="soft">
        {sample_model === null && 'Add a model of your provider, with the price that callers pay.'}
        {sample_model !== null && (
          <>
            Callers can use <code>{sample_model}</code>
            {is_simulated && ' of the simulator'}. See all prices under <Link href="/models">Models</Link>.
          </>
        )}
      </p>
    </Step>
  )
}

export function AccountStep({ state: { account, providers }, onOpen }: OpenProps & { state: StartState }) {
  const is_operator = providers !== null
  const has_balance = account !== null && account.available_nanos > 0
  const is_covered = !is_operator && account !== null && account.has_plan
  return (
    <Step
      title={is_operator ? 'Account' : 'Balance'}
      is_done={has_balance || is_covered}
      actions={
        is_operator ? (
          <>
            {account && (
              <Button look={has_balance ? undefined : 'primary'} onClick={() => onOpen('top-up')}>
                Top up
              </Button>
            )}
            <OpenButton is_next={account === null} onClick={() => onOpen('account')}>
              New account
            </OpenButton>
          </>
        ) : (
          !has_balance && !is_covered && <AddFundsLink />
        )
      }
    >
      {is_operator ? <OwnedBalance account={account} /> : <OwnBalance account={account} />}
    </Step>
  )
}

type Account = StartState['account']

function OwnedBalance({ account }: { account: Account }) {
  if (account === null)
    return <p className="soft">An account pays for calls. Create one for a person, a team or a program.</p>
  return (
    <p className="soft">
      <Link href={`/accounts/${account.id}`}>{account.name}</Link> has{' '}
      <Money nanos={account.available_nanos} balance />.
      {account.available_nanos <= 0 && ' Calls are prepaid: top up before the first one.'}
    </p>
  )
}

/** The advice to those who cannot add funds themselves: the others have a button. */
function AskForFunds({ account }: { account: string | undefined }) {
  if (useCanPay()) return null
  return (
    <>
      <WhomToAsk /> to add funds to the account <b>{account}</b>.{' '}
    </>
  )
}

/** The person to ask for funds: an owner, for a member; for others the operator's support page, if there is one. */
function WhomToAsk() {
  if (useViewer().role === 'member') return 'Ask an owner of the account'
  if (brand.support_url === null) return 'Ask your operator'
  return (
    <a href={brand.support_url} target="_blank" rel="noreferrer">
      Contact {brand.name}
    </a>
  )
}

function OwnBalance({ account }: { account: Account }) {
  const is_suspended = useViewer().suspension !== null
  const { available_nanos = 0, debt_nanos = 0, name, has_plan = false } = account ?? {}
  if (debt_nanos > 0)
    return (
      <p>
        You owe {exactUsd(debt_nanos)} USD. <AskForFunds account={name} />
        Added funds pay the debt first{is_suspended ? '.' : '; then calls work again.'}
      </p>
    )
  if (has_plan)
    return (
      <p>
        You have <Money nanos={available_nanos} balance />, and a plan: calls that it covers take nothing from
        the balance.
      </p>
    )
  if (available_nanos <= 0)
    return (
      <p>
        You have no balance yet. <AskForFunds account={name} />
        Without a balance, only free models can be called.
      </p>
    )
  return (
    <p>
      You have <Money nanos={available_nanos} balance />. Calls are charged to it. See the prices under{' '}
      <Link href="/models">Models</Link>.
    </p>
  )
}

interface KeyStepProps extends OpenProps {
  is_called: boolean
  account: Account
  key_id: number | null
  first: FirstCallQuery
  /** The text of the key; undefined after a reload. */
  text: string | undefined
}

export function KeyStep({ account, is_called, key_id, first, text, onOpen }: KeyStepProps) {
  const { key: own } = useViewer()
  return (
    <Step
      title="API key"
      is_done={key_id !== null || (is_called && account?.key_id != null)}
      actions={
        account &&
        !own && (
          <OpenButton
            is_next={key_id === null && !is_called && (account.available_nanos > 0 || account.has_plan)}
            right="manage_keys"
            onClick={() => onOpen('key')}
          >
            {key_id === null ? 'Create key' : 'Create another key'}
          </OpenButton>
        )
      }
    >
      {key_id === null && (
        <p className="soft">
          Programs sign in with an API key. You can limit each key under <Link href="/keys">Keys</Link>.
        </p>
      )}
      {key_id !== null && <KeyInUse first={first} is_known={text !== undefined} />}
    </Step>
  )
}

function KeyInUse({ first, is_known }: { first: FirstCallQuery; is_known: boolean }) {
  const { key: own, side } = useViewer()
  return (
    <Loaded query={first} rows={1}>
      {({ key: { name, prefix, account, status } }) => {
        const is_usable = status === 'active' || status === 'retiring'
        return (
          <p>
            {own ? 'You are signed in with the key' : 'Use the key'} <b>{name}</b> (
            <code>{keyPrefix(prefix)}</code>){side === 'operator' && ` of ${account}`}.
            {!is_usable && ` It is ${status}. Create another key.`}
            {is_usable && is_known && ' The code below has it until you leave this page.'}
            {is_usable &&
              !is_known &&
              !own &&
              ' It was shown only once. If you did not copy it, create another key.'}
          </p>
        )
      }}
    </Loaded>
  )
}
