// The dialog that makes an account.
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, ask } from '../../app/client.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { useDeed } from '../../parts/deed.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../parts/form.tsx'
import { TextInput } from '../../parts/input.tsx'

export function NewAccountDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="New account">
      <NewAccount onClose={onClose} />
    </Dialog>
  )
}

function NewAccount({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [, go] = useLocation()
  const { runOrThrow } = useDeed({
    work: (wanted: string) => ask(api.accounts.post({ name: wanted })),
    changes: ['accounts'],
    done: (_, account) => ({ text: `${account.name} is there. Next: top up, and make a key.` }),
  })

  async function make(): Promise<void> {
    const { id } = await runOrThrow(name.trim())
    onClose()
    go(`/accounts/${id}`)
  }

  return (
    <Form submit={make} aria-label="New account">
      <Field label="Name" name="name" help="A person, a team or a program: letters, digits and . _ @ + -">
        <TextInput value={name} onChange={setName} autoComplete="off" />
      </Field>
      <FormActions>
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton>Create account</SubmitButton>
      </FormActions>
      <AsCommand command={`tollgate account create ${name.trim() || 'NAME'}`} />
    </Form>
  )
}
