// The third step: an account with a first balance, and its key.
import { useState } from 'react'
import type { SetupState } from '../../../catalogue/web/new-provider/choices.ts'
import { type AnswerOf, api, ask } from '../../../console/web/app/client.ts'
import { accountLabel } from '../../../console/web/parts/account-name.tsx'
import { Choices } from '../../../console/web/parts/choices.tsx'
import { AsCommand } from '../../../console/web/parts/code.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../../console/web/parts/form.tsx'
import { MoneyInput, TextInput } from '../../../console/web/parts/input.tsx'
import { useRequestKey } from '../../../console/web/parts/request-key.ts'
import { Select } from '../../../console/web/parts/select.tsx'

export type NewKey = AnswerOf<typeof api.setup.account.post>

interface AccountStepProps {
  setup: SetupState
  /** The account that this step created before, which gets another key. Empty before. */
  account: string
  onDone: (key: NewKey) => void
}

const WHICH = [
  { value: 'new', label: 'A new account' },
  { value: 'old', label: 'Existing account' },
] as const
type Which = (typeof WHICH)[number]['value']

export function AccountStep({ setup, account: before, onDone }: AccountStepProps) {
  const exists = setup.accounts.some(({ name }) => name === before)
  const [which, setWhich] = useState<Which>(exists ? 'old' : 'new')
  const [name, setName] = useState('')
  const [balance, setBalance] = useState('')
  const [old, setOld] = useState(exists ? before : (setup.accounts[0]?.name ?? ''))
  const [key, setKey] = useState(exists ? 'second' : 'first')
  const { keyOf, forget } = useRequestKey()
  const is_new = which === 'new'
  const account = is_new ? name.trim() : old

  async function make(): Promise<void> {
    const wanted = { account, key, ...(is_new ? { balance_usd: balance } : {}) }
    const request_key = keyOf(JSON.stringify(wanted))
    const new_key = await ask(api.setup.account.post({ ...wanted, request_key }))
    forget()
    onDone(new_key)
  }
  return (
    <Form submit={make} aria-label="Account and key">
      {setup.accounts.length > 0 && (
        <Choices label="Which account" options={WHICH} value={which} onChange={setWhich} />
      )}
      {is_new ? (
        <div className="fields">
          <Field label="Account" name="name" help="A short name, such as alice.">
            <TextInput value={name} onChange={setName} autoComplete="off" />
          </Field>
          <Field
            label="First balance"
            name="balance_usd"
            help="In USD, such as 10. Prepaid: calls are refused once it is used up. Enter 0 for none."
          >
            <MoneyInput value={balance} onChange={setBalance} />
          </Field>
        </div>
      ) : (
        <Field label="Account">
          <Select
            options={setup.accounts.map((one) => ({
              value: one.name,
              label: accountLabel(one),
              detail: `${one.free_usd} USD left`,
            }))}
            value={old}
            onChange={setOld}
          />
        </Field>
      )}
      <Field label="Name of the key" name="key" help="Such as “laptop”.">
        <TextInput value={key} onChange={setKey} autoComplete="off" />
      </Field>
      <FormActions>
        <SubmitButton>{is_new ? 'Create account and key' : 'Create key'}</SubmitButton>
      </FormActions>
      <AsCommand command={commandsFor({ account, key, balance: is_new ? balance : undefined })} />
    </Form>
  )
}

const commandsFor = (wanted: { account: string; key: string; balance: string | undefined }): string => {
  const account = wanted.account === '' ? 'NAME' : wanted.account
  const money =
    wanted.balance === undefined
      ? []
      : [
          `tollgate account create ${account}`,
          `tollgate credit ${account} ${wanted.balance.trim() || 'AMOUNT'}`,
        ]
  return [...money, `tollgate key create ${account} --name ${wanted.key}`].join('\n')
}
