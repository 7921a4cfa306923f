// What is written down of an account: its short name, email and note, and the form that changes them.
import { useState } from 'react'
import type { ShownAccount } from '../../../api/accounts-views.ts'
import { api, ask, part } from '../../app/client.ts'
import { useAction } from '../../parts/action.ts'
import { AsCommand } from '../../parts/code.tsx'
import { inShell } from '../../parts/code-samples/samples.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Field } from '../../parts/field.tsx'
import { Form, SubmitOrCancel } from '../../parts/form.tsx'
import { TextArea, TextInput } from '../../parts/input.tsx'
import { Switch } from '../../parts/switch.tsx'

/** Nothing for an account that has only its short name, which is its title then. */
export function AccountDetails({ of: account }: { of: ShownAccount }) {
  const { name, display_name, email, note } = account
  if (`${display_name}${email}${note}` === '') return null
  return (
    <Facts
      facts={[
        ['Account', display_name !== '' && <code key="name">{name}</code>],
        [
          'Email',
          email !== '' && (
            <a key="email" href={`mailto:${email}`}>
              {email}
            </a>
          ),
        ],
        ['Note', note !== '' && note],
      ]}
    />
  )
}

interface DetailsDialogProps {
  account: ShownAccount
  open: boolean
  onClose: () => void
}

export function DetailsDialog({ account, open, onClose }: DetailsDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={`Details of ${account.name}`}>
      <Details account={account} onClose={onClose} />
    </Dialog>
  )
}

type Draft = Pick<ShownAccount, 'display_name' | 'email' | 'note' | 'keys_see_account'>

function Details({ account, onClose }: Omit<DetailsDialogProps, 'open'>) {
  const { display_name, email, note, keys_see_account } = account
  const [draft, setDraft] = useState<Draft>({ display_name, email, note, keys_see_account })
  const { runOrThrow } = useAction({
    work: () => ask(api.accounts({ id: part(account.id) }).patch(draft)),
    changes: ['accounts', 'account'],
    done: () => ({ text: `The details of ${account.name} are saved.` }),
  })
  const set = (name: 'display_name' | 'email' | 'note') => (text: string) =>
    setDraft({ ...draft, [name]: text })
  async function save(): Promise<void> {
    await runOrThrow(undefined)
    onClose()
  }
  return (
    <Form submit={save} aria-label="Details">
      <Field label="Display name" name="display_name" help="A person or a company, in any letters.">
        <TextInput value={draft.display_name} onChange={set('display_name')} autoComplete="off" />
      </Field>
      <Field label="Email" name="email" help="To reach whoever pays.">
        <TextInput inputMode="email" value={draft.email} onChange={set('email')} autoComplete="off" />
      </Field>
      <Field label="Note" name="note" help="Only operators see it in the console.">
        <TextArea rows={3} value={draft.note} onChange={set('note')} />
      </Field>
      <Field inline label="Limited keys see all calls" name="keys_see_account">
        <Switch
          checked={draft.keys_see_account}
          onChange={(on) => setDraft({ ...draft, keys_see_account: on })}
        />
      </Field>
      <SubmitOrCancel onCancel={onClose}>Save details</SubmitOrCancel>
      <AsCommand command={`tollgate account change ${account.name}${optionsFor(draft)}`} />
    </Form>
  )
}

const optionsFor = ({ display_name, email, note, keys_see_account }: Draft): string =>
  ` --display-name ${inShell(display_name)} --email ${inShell(email)} --note ${inShell(note)}` +
  ` --keys-see ${keys_see_account ? 'account' : 'own'}`
