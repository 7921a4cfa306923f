// The operator's choice of an account: whose page it is, and who pays.
import { useState } from 'react'
import { api, part } from '../app/client.ts'
import { useAsk } from '../app/query.ts'
import { AccountName } from './account-name.tsx'
import { Button, ButtonLink } from './button.tsx'
import { SearchInput } from './input.tsx'
import { Money } from './money.tsx'
import { EmptyState, Loaded } from './states.tsx'
import { Status } from './status.tsx'
import type { Whose } from './whose.ts'

const MAX_SHOWN = 12

interface AccountChoiceProps {
  /** Why one is needed: "Calls from here are paid ones." */
  why: string
  onChoose: (account: string) => void
}

/** Some accounts, and a search for the others. */
export function AccountChoice({ why, onChoose }: AccountChoiceProps) {
  const [search, setSearch] = useState('')
  const query = useAsk(['accounts', 'choice', search], () =>
    api.accounts.get({ query: { limit: MAX_SHOWN, search: search || undefined } }),
  )
  return (
    <Loaded query={query} rows={4}>
      {({ accounts }) =>
        accounts.length === 0 && search === '' ? (
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
        ) : (
          <section className="account-choice" aria-label="Choose an account">
            <h2>Choose an account</h2>
            <p className="soft">{why}</p>
            <SearchInput
              aria-label="Search accounts"
              placeholder="Name"
              value={search}
              onChange={setSearch}
            />
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
            {accounts.length === 0 && <p className="soft">No accounts found.</p>}
          </section>
        )
      }
    </Loaded>
  )
}

/** The account of an address that names it by its name or its number, once it is known. */
export function useChosen(account: string | undefined) {
  const { data, isError } = useAsk(
    ['accounts', 'chosen', account],
    () => api.accounts({ id: part(account ?? '') }).get(),
    { enabled: account !== undefined },
  )
  // Until its answer is there, the one before stays. An account that is not found is shown as the address has it.
  const found = data && (data.name === account || String(data.id) === account) ? data : undefined
  return { chosen: found, is_awaited: found === undefined && !isError }
}

const isNumber = (account: string | undefined): boolean => /^\d+$/.test(account ?? '')

/** The account that was chosen, and the way to another one. */
export function ChosenAccount({ account, choose }: Pick<Whose, 'account' | 'choose'>) {
  const { chosen, is_awaited } = useChosen(account)
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
