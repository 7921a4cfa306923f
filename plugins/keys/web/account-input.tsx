// Input for the name of an account, with existing accounts as suggestions.
import { useId } from 'react'
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { accountLabel } from '../../console/web/parts/account-name.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'

const MAX_SUGGESTED = 12

interface AccountInputProps {
  value: string
  onChange: (name: string) => void
}

/** For the operator only: other viewers may not list accounts. */
export function AccountInput({ value, onChange }: AccountInputProps) {
  const id = useId()
  const search = value.trim()
  const { data } = useApi(['accounts', 'choice', search], () =>
    api.accounts.get({ query: { limit: MAX_SUGGESTED, search: search || undefined } }),
  )
  return (
    <>
      <TextInput value={value} onChange={onChange} autoComplete="off" list={id} />
      <datalist id={id}>
        {data?.accounts.map(({ name, display_name }) => (
          <option key={name} value={name} label={accountLabel({ name, display_name })} />
        ))}
      </datalist>
    </>
  )
}
