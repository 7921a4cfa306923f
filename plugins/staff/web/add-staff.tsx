// The dialog that adds a person to the staff, and its result: a mailed link, a link to pass on, or none.
import { useState } from 'react'
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { Secret } from '../../console/web/parts/code.tsx'
import { Dialog, DialogDone, type DialogState, useResult } from '../../console/web/parts/dialog.tsx'
import { EmailInput } from '../../console/web/parts/email-input.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'
import { Select } from '../../console/web/parts/select.tsx'
import { exactTime } from '../../console/web/parts/time-words.ts'
import { mayWords, ROLE_OPTIONS, type StaffRole } from './roles.ts'

type Added = AnswerOf<typeof api.staff.post>

export function AddStaff({ open, onClose }: DialogState) {
  const [added, setAdded, close] = useResult<Added>(onClose)
  const has_url = added !== null && added.url !== null
  return (
    <Dialog
      open={open}
      onClose={close}
      title={added ? `${added.person.name} added` : 'Add a person'}
      dismissable={!has_url}
    >
      {added ? <LinkMade {...added} onClose={close} /> : <AddForm onAdded={setAdded} onClose={close} />}
    </Dialog>
  )
}

function AddForm({ onAdded, onClose }: { onAdded: (added: Added) => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<StaffRole>('support')
  return (
    <ActionForm
      label="Add a person"
      work={() => send(api.staff.post({ name, email, role }))}
      changes={['staff', 'mails']}
      onClose={onClose}
      onDone={onAdded}
      command={`tollgate staff add "${name.trim() || 'NAME'}" --email ${email.trim() || 'ADDRESS'} --role ${role}`}
      verb="Add person"
    >
      <Field label="Name" name="name">
        <TextInput autoComplete="off" value={name} onChange={setName} />
      </Field>
      <Field label="Email" name="email" help="They sign in with it.">
        <EmailInput value={email} onChange={setEmail} />
      </Field>
      <Field label="Role" name="role" help={mayWords(role)}>
        <Select options={ROLE_OPTIONS} value={role} onChange={setRole} />
      </Field>
    </ActionForm>
  )
}

interface LinkMadeProps extends Pick<Added, 'person' | 'url' | 'mailed_to' | 'expires_at_ms'> {
  was_here?: boolean
  onClose: () => void
}

export function LinkMade({
  person: { name },
  url,
  mailed_to,
  expires_at_ms,
  was_here,
  onClose,
}: LinkMadeProps) {
  const until = expires_at_ms === null ? '' : `It works once, until ${exactTime(expires_at_ms)}`
  return (
    <div className="stack">
      {was_here && <p>{name} already signs in here, and is now on the staff, too.</p>}
      {url !== null ? (
        <>
          <p>
            Send this link to {name} to set a password. {until}, and is not shown again.
          </p>
          <Secret value={url} what="link" />
        </>
      ) : mailed_to !== null ? (
        <p>
          A link to set a password is on its way to {mailed_to}. {until}.
        </p>
      ) : (
        <p>They sign in with the password that they have.</p>
      )}
      <DialogDone onDone={onClose} />
    </div>
  )
}
