// The account of a page: the operator chooses it, in the address; other viewers have their own.
import { useState } from 'react'
import { api, pathPart } from '../app/client.ts'
import { useApi } from '../app/query.ts'
import { useViewer } from '../app/session.tsx'
import { AccountName } from './account-name.tsx'
import { useAddressState } from './address-state.ts'
import { Button, ButtonLink } from './button.tsx'
import { SearchInput } from './input.tsx'
import { Money } from './money.tsx'
import { EmptyState, Loaded } from './states.tsx'
import { Status } from './status.tsx'

export interface AccountScope {
  is_operator: boolean
  /** The account that the operator has chosen; undefined before, and for all other viewers. */
  account: string | undefined
  choose: (account: string | undefined) => void
  query: { account?: string }
}

export function useAccountScope(): AccountScope {
  const { side } = useViewer()
  const [state, change] = useAddressState({ account: '', cursor: '' })
  const is_operator = side === 'operator'
  const account = is_operator && state.account !== '' ? state.account : undefined
  return {
    is_operator,
    account,
    choose: (chosen) => change({ account: chosen, cursor: undefined }, { push: true }),
    query: { account },
  }
}

const MAX_SHOWN = 12

interface AccountChoiceProps {
  /** Why the page needs an account: "Calls from here are billed." */
  why: string
  onChoose: (account: string) => void
}

/** The first accounts, and a search for the others. */
export function AccountChoice({ why, onChoose }: AccountChoiceProps) {
  const [search, setSearch] = useState('')
  const query = useApi(['accounts', 'choice', search], () =>
    api.accounts.get({ query: { limit: MAX_SHOWN, search: search || undefined } }),
  )
  const has_none = search === '' && !query.isPlaceholderData && query.data?.accounts.length === 0
  if (has_none)
    return (
      <EmptyState
        title="No accounts yet"
        action={
          <ButtonLink look="primary" href="/accounts">
            Create account
          </ButtonLink>
        }
      >
        {why}
      </EmptyState>
    )
  return (
    <section className="account-choice" aria-label="Choose an account">
      <h2>Choose an account</h2>
      <p className="soft">{why}</p>
      <SearchInput aria-label="Search accounts" placeholder="Name" value={search} onChange={setSearch} />
      <Loaded query={query} rows={4}>
        {({ accounts }) =>
          accounts.length === 0 ? (
            <p className="soft">No accounts found.</p>
          ) : (
            <ul>
              {accounts.map(({ name, display_name, status, available_nanos }) => (
                <li key={name}>
                  <button type="button" onClick={() => onChoose(name)}>
                    <b>
                      <AccountName name={name} display_name={display_name} />
                    </b>
                    {status === 'active' ? (
                      <Money nanos={available_nanos} balance />
                    ) : (
                      <Status tone="warn">{status}</Status>
                    )}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}

export function useChosenAccount(account: string | undefined) {
  const { data, isError } = useApi(
    ['accounts', 'chosen', account],
    () => api.accounts({ id: pathPart(account ?? '') }).get(),
    { enabled: account !== undefined, is_of_one: true },
  )
  return { chosen: data, is_awaited: data === undefined && !isError }
}

const isNumber = (account: string | undefined): boolean => /^\d+$/.test(account ?? '')

/** The chosen account, and a button to change it. An unknown account is shown as written in the address. */
export function ChosenAccount({ account, choose }: Pick<AccountScope, 'account' | 'choose'>) {
  const { chosen, is_awaited } = useChosenAccount(account)
  return (
    <span className="row">
      <span>
        Account{' '}
        <b>{chosen ? <AccountName {...chosen} /> : is_awaited && isNumber(account) ? '…' : account}</b>
      </span>
      <Button small onClick={() => choose(undefined)}>
        Change
      </Button>
    </span>
  )
}
