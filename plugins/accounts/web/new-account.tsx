// Dialog that creates an account.
import { useState } from 'react'
import { useLocation } from 'wouter'
import { PriceGroupField } from '../../catalogue/web/price-groups/price-group-field.tsx'
import { api, send } from '../../console/web/app/client.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { shellQuote } from '../../console/web/parts/code-samples/samples.ts'
import { Dialog } from '../../console/web/parts/dialog.tsx'
import { EmailInput } from '../../console/web/parts/email-input.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'

interface NewAccountProps {
  onClose: () => void
  /** By default, the account's page opens. */
  onCreated?: (name: string) => void
}

export function NewAccountDialog({ open, ...rest }: NewAccountProps & { open: boolean }) {
  return (
    <Dialog open={open} onClose={rest.onClose} title="New account">
      <NewAccount {...rest} />
    </Dialog>
  )
}

function NewAccount({ onClose, onCreated }: NewAccountProps) {
  const [name, setName] = useState('')
  const [display_name, setDisplayName] = useState('')
  const [email, setEmail] = useState('')
  const [price_group, setPriceGroup] = useState<string | null>(null)
  const [, go] = useLocation()
  return (
    <ActionForm
      label="New account"
      work={() => send(api.accounts.post({ name: name.trim(), display_name, email, price_group }))}
      changes={['accounts', 'start']}
      done={(account) => `Account "${account.name}" created. Next: top up and create a key.`}
      onClose={onClose}
      onDone={(account) => {
        onClose()
        if (onCreated) onCreated(account.name)
        else go(`/accounts/${account.id}`)
      }}
      verb="Create account"
      command={`tollgate account create ${name.trim() || 'NAME'}${price_group === null ? '' : ` --group ${shellQuote(price_group)}`}`}
    >
      <Field label="Name" name="name" help="A person, a team or a program: letters, digits and . _ @ + -">
        <TextInput value={name} onChange={setName} autoComplete="off" />
      </Field>
      <Field label="Display name" name="display_name" help="In any letters. Optional.">
        <TextInput value={display_name} onChange={setDisplayName} autoComplete="off" />
      </Field>
      <Field label="Email" name="email" help="Optional.">
        <EmailInput value={email} onChange={setEmail} />
      </Field>
      <PriceGroupField value={price_group} onChange={setPriceGroup} />
    </ActionForm>
  )
}
